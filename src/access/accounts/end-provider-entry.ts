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
  const ended = await endProviderSessions(tx, { id })
  await endGrants(tx, trail, { identityProviderId: id }, { actorId, because: 'identity_provider' })
  await forgetFlowsTo(tx, id)
  return ended.length
}

/** Selects sessions that an identity provider began: all of them, those of one account, or those with session ids of the provider. */
interface ProviderSessions {
  id: Id<'identityProvider'>
  /** null selects no session, because the provider named an unknown account. */
  accountId?: Id<'account'> | null
  sessionHashes?: readonly string[]
}

/**
 * Ends sessions that an organization's identity provider began, with the tokens and grants that rest on them, and sign-ins that wait for
 * a second factor. The caller clears the cache of credentials after the commit.
 */
export async function endProviderSessions(
  tx: Tx,
  { id, accountId, sessionHashes }: ProviderSessions,
): Promise<{ id: Id<'session'>; account_id: Id<'account'> }[]> {
  if (accountId === null) return []
  const ended = await tx
    .deleteFrom('session')
    .where('identity_provider_id', '=', id)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as Id<'account'>))
    .$if(sessionHashes !== undefined, (query) =>
      query.where('provider_session_hash', 'in', sessionHashes as readonly string[]),
    )
    .returning(['id', 'account_id'])
    .execute()
  await tx
    .deleteFrom('pending_sign_in')
    .where('identity_provider_id', '=', id)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as Id<'account'>))
    .$if(sessionHashes !== undefined, (query) =>
      query.where('provider_session_hash', 'in', sessionHashes as readonly string[]),
    )
    .execute()
  return ended
}
