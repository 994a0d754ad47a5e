import type { IdentityProvider, Member, Organization } from '#sdk/postern.ts'
import { useAccess, useMay } from '../../app/access.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** The identity providers of the organization, oldest first, as they change. Nothing is read where the person may not. */
export function useProviders(): Data<readonly IdentityProvider[]> {
  const mayRead = useMay()('sign_in:read')
  useLive(['identityProvider'], () => outdate('identity-providers'))
  return useData(
    mayRead ? 'identity-providers' : undefined,
    async (how) => (await postern.identityProviders.list(how).page()).data,
  )
}

/** The organization as the API lists it, with what it requires of its members. */
export function useOwnOrganization(): Organization | undefined {
  const { organization, may } = useAccess()
  const { data } = useData(may('organization:read') ? 'organization' : undefined, (how) =>
    postern.organizations.list({}, how).page(),
  )
  return data?.data.find(({ id }) => id === organization?.id)
}

/** The administrators of the organization, of its first thousand members. */
export function useAdministrators(): readonly Member[] {
  const { organization, may } = useAccess()
  const { data = [] } = useData<Member[]>(
    organization && may('members:read') ? 'members by name' : undefined,
    (how) => postern.members.list(organization?.id ?? '', { limit: 100 }, how).take(1_000),
  )
  return data.filter(({ role }) => role === 'administrator')
}
