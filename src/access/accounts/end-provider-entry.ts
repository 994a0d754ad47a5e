import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { forgetFlowsTo } from '../../oauth/flow-state.ts'
import { endGrants } from './end-grants.ts'

/** The ids of an organization's identity providers, as the identities there name them. */
export function providersOf(tx: Tx, organizationId: Id<'organization'>) {
  return tx
    .selectFrom('identity_provider')
    .select((where) => where.ref('id').$castTo<string>().as('id'))
    .where('organization_id', '=', organizationId)
}

/**
 * Ends all that the sign-ins of an organization's identity provider began: sessions, with the tokens that they were exchanged for,
 * grants, sign-ins that wait for a second factor, and those on their way. The row of the provider must be locked by `tx`, which waits for
 * sign-ins under way. The caller clears the cache of credentials after the commit.
 * @returns how many sessions have ended
 */
export async function endProviderEntry(
  tx: Tx,
  trail: Trail,
  { id, actorId }: { id: Id<'identityProvider'>; actorId: string | null },
): Promise<number> {
  const ended = await tx
    .deleteFrom('session')
    .where('identity_provider_id', '=', id)
    .returning('id')
    .execute()
  await endGrants(tx, trail, { identityProviderId: id }, { actorId, because: 'identity_provider' })
  await tx.deleteFrom('pending_sign_in').where('identity_provider_id', '=', id).execute()
  await forgetFlowsTo(tx, id)
  return ended.length
}
