import { sql } from 'kysely'
import { audit, type Trail } from '../audit/audit.ts'
import type { ConnectionProvider } from '../config/providers-file.ts'
import { HOUR, type Millis, SECOND } from '../core/clock.ts'
import { forEachPagedDespiteErrors } from '../core/for-each-despite-errors.ts'
import type { Tx } from '../db/database.ts'
import { keysetAfter } from '../db/keyset.ts'
import type { Connection } from './connection-wire.ts'
import type { ConnectionDeps } from './deps.ts'
import type { IntegrationCode } from './failures.ts'

/** The first wait after a 429 without a time; it doubles with each further one up to the longest. */
const FIRST_WAIT: Millis = 30 * SECOND
const LONGEST_WAIT: Millis = HOUR

/** When a provider that answered 429 accepts requests again. */
export function notBefore(
  { minimumBackoff }: Pick<ConnectionProvider, 'minimumBackoff'>,
  { requested, refusals, now }: { requested: Millis | undefined; refusals: number; now: Millis },
): Millis {
  const first = Math.max(FIRST_WAIT, minimumBackoff)
  const backoff = now + Math.max(minimumBackoff, Math.min(first * 2 ** Math.min(refusals, 10), LONGEST_WAIT))
  return requested === undefined ? backoff : Math.max(requested, now + minimumBackoff)
}

/** Connections in one step. */
const STEP = 100

/** The status and event type for each cause of an end. */
const ENDINGS = {
  INTEGRATION_EXPIRED: { status: 'expired', type: 'connection.expired' },
  INTEGRATION_REVOKED: { status: 'revoked', type: 'connection.revoked' },
} as const satisfies Partial<Record<IntegrationCode, object>>

type Ending = keyof typeof ENDINGS

/**
 * Records the end of a connection: row, event and audit entry together. A connection that has ended already stays as it
 * is.
 * @param claim the claim of the refused refresh; without it the version must be unchanged
 * @returns whether it ended now
 */
export async function recordEnd(
  tx: Tx,
  { publish }: Pick<ConnectionDeps, 'publish'>,
  trail: Trail,
  connection: Pick<Connection, 'id' | 'organization_id' | 'provider' | 'version'>,
  { code, reason, claim }: { code: Ending; reason: string; claim?: string },
): Promise<boolean> {
  const { status, type } = ENDINGS[code]
  const { id, organization_id: organizationId, provider } = connection
  const ended = await tx
    .updateTable('connection')
    .set({
      status,
      outcome: code,
      outcome_reason: reason,
      version: connection.version + 1,
      claim_id: null,
      claim_until: null,
      updated_at: trail.now,
      // The provider no longer accepts these tokens.
      ...(status === 'revoked' ? { tokens: null, refreshable: 0 } : {}),
    })
    .where('id', '=', id)
    .where('version', '=', connection.version)
    .where('status', '!=', status)
    .$if(claim !== undefined, (query) => query.where('claim_id', '=', claim as string))
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return false
  await audit(tx, trail, { action: type, organizationId, targetId: id, details: { provider, reason } })
  await publish(tx, trail.now, { organizationId, type, data: { connectionId: id, provider, reason } })
  return true
}

/**
 * Ends a connection whose access token has expired or was refused, and which cannot be refreshed. @returns whether it
 * ended now
 */
export function expire(
  deps: Pick<ConnectionDeps, 'database' | 'clock' | 'publish'>,
  connection: Connection,
  trail: Trail,
  reason: string,
): Promise<boolean> {
  const now = deps.clock.now()
  return deps.database.tx((tx) =>
    recordEnd(tx, deps, { ...trail, now }, connection, { code: 'INTEGRATION_EXPIRED', reason }),
  )
}

/** Ends expired connections in steps, so that their event does not wait for the next use. */
export async function expireOverdue(
  deps: Pick<ConnectionDeps, 'database' | 'clock' | 'publish' | 'log'>,
  trail: Trail,
): Promise<void> {
  const now = deps.clock.now()
  const read = (after: Connection | undefined): Promise<Connection[]> =>
    deps.database.db
      .selectFrom('connection')
      .selectAll()
      .where(sql<boolean>`refreshable = 0 and status = 'active'`)
      .where('expires_at', '<=', now)
      .where(keysetAfter(['expires_at', 'id'], after))
      .orderBy('expires_at')
      .orderBy('id')
      .limit(STEP)
      .execute()
  await forEachPagedDespiteErrors(
    { read, most: STEP },
    (connection) => expire(deps, connection, trail, 'lifetime'),
    (error, { id }) => deps.log.error({ err: error, connectionId: id }, 'a connection whose token has ended'),
  )
}
