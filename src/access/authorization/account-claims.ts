import type { Id } from '../../core/id.ts'
import { readId } from '../../core/id.ts'
import { fullName } from '../accounts/full-name.ts'
import type { AuthorizationDeps } from './deps.ts'

/** The organization of a grant; undefined where the grant has ended. */
export async function organizationOfGrant(
  { database }: Pick<AuthorizationDeps, 'database'>,
  grantId: string,
): Promise<Id<'organization'> | undefined> {
  const row = await database.db
    .selectFrom('oauth_grant')
    .select('organization_id')
    .where('id', '=', grantId as Id<'grant'>)
    .executeTakeFirst()
  return row?.organization_id
}

/** The claims about a person for a client, by the granted scopes. */
interface Claims {
  [claim: string]: unknown
  sub: string
}

/**
 * An account in the form of `oidc-provider`; undefined where the account is not active.
 * @param grantId the grant of the request, for the claim with the organization
 */
export async function claimsOfAccount(
  deps: Pick<AuthorizationDeps, 'database'>,
  text: string,
  grantId?: string,
): Promise<{ accountId: string; claims: () => Promise<Claims> } | undefined> {
  const id = readId('account', text)
  if (id === undefined) return undefined
  const account = await deps.database.db
    .selectFrom('account')
    .select(['id', 'email', 'email_verified_at', 'first_name', 'last_name'])
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst()
  if (account === undefined) return undefined
  return {
    accountId: account.id,
    claims: async () => ({
      sub: account.id,
      org_id: grantId === undefined ? undefined : await organizationOfGrant(deps, grantId),
      email: account.email,
      email_verified: account.email_verified_at !== null,
      name: fullName(account) ?? undefined,
      given_name: account.first_name ?? undefined,
      family_name: account.last_name ?? undefined,
    }),
  }
}
