import { HOUR, MINUTE, type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import type { AddedJob } from '../jobs/create-jobs.ts'
import type { RowSettlement } from '../jobs/rows/row.ts'
import type { Handler, Outcome } from '../jobs/rows/row-kind.ts'
import { ProviderRefusal } from '../oauth/provider-refusal.ts'
import { openTokens } from './connection-store.ts'
import type { Connection } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'

/** The kind of job that revokes tokens. The end of an organization cancels jobs of every other kind. */
export const REVOCATION = 'revocation'

/** After this long without success the tokens are deleted here, although the provider may still accept them. */
const HORIZON: Millis = 24 * HOUR
/** Longest attempt: two calls of ten seconds, and the provider's metadata. */
const LONGEST: Millis = MINUTE
const WAITS: Millis[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR]

interface Payload {
  connectionId: Id<'connection'>
}

/** Adds a job to `tx`. */
export type AddRevocation = (tx: Tx, job: AddedJob, now: Millis) => Promise<unknown>

/**
 * Keeps the tokens of connections that `tx` deletes until a job has revoked them at their providers, also after a
 * crash. Connections without tokens are skipped.
 */
export async function revokeLater(
  tx: Tx,
  add: AddRevocation,
  ended: Pick<Connection, 'id' | 'organization_id' | 'provider' | 'tokens'>[],
  now: Millis,
): Promise<void> {
  for (const { id, organization_id, provider, tokens } of ended) {
    if (tokens === null) continue
    await tx
      .insertInto('ended_connection')
      .values({ id, organization_id, provider, tokens, created_at: now })
      .execute()
    const payload: Payload = { connectionId: id }
    const whose = { organizationId: organization_id, laneId: organization_id }
    await add(tx, { kind: REVOCATION, ...whose, payload, dueAt: now, horizon: now + HORIZON }, now)
  }
}

/** Revokes the tokens of an ended connection (RFC 7009). Repeating it does no harm. */
export function revocationHandler({
  database,
  vault,
  providers,
  clock,
  log,
}: Pick<ConnectionDeps, 'database' | 'vault' | 'providers' | 'clock' | 'log'>): Handler {
  return {
    kind: REVOCATION,
    longest: LONGEST,
    waits: WAITS,
    isRepeatable: true,
    async work({ organizationId, payload }): Promise<Outcome> {
      const { connectionId } = payload as Payload
      const row = await database.background.db
        .selectFrom('ended_connection')
        .selectAll()
        .where('id', '=', connectionId)
        .executeTakeFirst()
      const tokens = row && openTokens(vault, row)
      if (row === undefined || tokens === undefined) return { done: null }
      const facts = { organizationId, connectionId, provider: row.provider }
      try {
        const provider = providers.get(row.provider)
        const isDone = (await provider?.revoke(tokens, clock.now(), organizationId)) ?? false
        log.info({ ...facts, revoked: isDone }, 'connection given back')
        return { done: null }
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        const { reason, notBefore } = error
        log.warn({ ...facts, revoked: false, reason }, 'connection given back')
        return { retry: reason, ...(notBefore !== undefined && { notBefore }) }
      }
    },
  }
}

/** Deletes the tokens once their job has ended, even if it failed. */
export async function settleRevocation(tx: Tx, { job, status }: RowSettlement): Promise<void> {
  if (status === 'pending') return
  const { connectionId } = job.payload as Payload
  await tx.deleteFrom('ended_connection').where('id', '=', connectionId).execute()
}
