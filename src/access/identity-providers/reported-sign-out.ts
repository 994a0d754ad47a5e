import { audit, type Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { hashToken } from '../../core/secret.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { endProviderSessions } from '../accounts/end-provider-entry.ts'
import type { AccessDeps } from '../deps.ts'

type Provider = Pick<Tables['identity_provider'], 'id' | 'organization_id'>

/** A sign-out that an identity provider reports. */
interface Report {
  /** The id of the report; a second report with it is refused. */
  id: string
  /** How long a report counts at most. */
  age: Millis
  how: 'back_channel' | 'single_logout'
  /** The account whose sessions end; null: the provider named a person without an account; undefined: `sessions` decides. */
  accountId?: Id<'account'> | null
  /** The session ids of the provider; undefined: all sessions that it began. */
  sessions?: readonly string[] | undefined
}

/**
 * Ends the sessions of a report, with their tokens and grants.
 * @returns whether the report is new; a repeated one ends nothing
 */
export async function endReported(
  tx: Tx,
  { credentials }: Pick<AccessDeps, 'credentials'>,
  trail: Trail,
  provider: Provider,
  { id, age, how, accountId, sessions }: Report,
): Promise<boolean> {
  if (!(await countOnce(tx, provider, hashToken(id), trail.now, age))) return false
  const ended = await endProviderSessions(tx, {
    id: provider.id,
    ...(accountId !== undefined && { accountId }),
    ...(sessions !== undefined && { sessionHashes: sessions.map(hashToken) }),
  })
  for (const session of ended)
    await audit(tx, trail, {
      action: 'sign_out',
      ...{ organizationId: provider.organization_id, accountId: session.account_id },
      ...{ actorId: provider.id, targetId: session.id },
      details: { how },
    })
  if (ended.length > 0) afterCommit(tx, credentials.clear)
  return true
}

async function countOnce(
  tx: Tx,
  { id, organization_id }: Provider,
  token_hash: string,
  now: Millis,
  age: Millis,
): Promise<boolean> {
  await tx.deleteFrom('spent_logout').where('expires_at', '<=', now).execute()
  const added = await tx
    .insertInto('spent_logout')
    .values({ identity_provider_id: id, organization_id, token_hash, expires_at: now + 2 * age })
    .onConflict((conflict) => conflict.doNothing())
    .returning('token_hash')
    .executeTakeFirst()
  return added !== undefined
}

/** The account with a name of the provider; null if there is none. */
export async function accountKnownAs(
  tx: Tx,
  { id }: Pick<Provider, 'id'>,
  subject: string,
): Promise<Id<'account'> | null> {
  const identity = await tx
    .selectFrom('identity')
    .select('account_id')
    .where('provider', '=', id)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return identity?.account_id ?? null
}
