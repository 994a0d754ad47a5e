import { DAY, type Millis, plausible, toIso, toIsoOrNull } from '../core/clock.ts'
import type { Tables } from '../db/tables/tables.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'

export type Connection = Tables['connection']

const CONNECTION_STATUSES = [
  'active',
  'expired',
  'revoked',
  'error',
] as const satisfies Connection['status'][]

export const ConnectionSchema = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  status: Type.String({
    enum: CONNECTION_STATUSES,
    description:
      '`active`: it can be used. `expired`: its token has ended and cannot be refreshed. `revoked`: the provider does not accept it any more. `error`: the last refresh failed, and the next one may succeed. `expired` and `revoked` need a new authorization.',
  }),
  scopes: Type.Array(Type.String()),
  subject: Nullable(
    Type.String({ description: "The provider's own id of the account, if it has sent one." }),
  ),
  refreshable: Type.Boolean(),
  lastError: Nullable(
    Type.Object(
      { code: Type.String(), reason: Nullable(Type.String()) },
      {
        description:
          'Why the last refresh failed, or why the connection ended; null when a later refresh or authorization succeeded.',
      },
    ),
  ),
  retryNotBefore: Nullable(Moment),
  createdBy: Nullable(Type.String()),
  createdAt: Moment,
  updatedAt: Moment,
  expiresAt: Nullable(Moment),
  refreshedAt: Nullable(Moment),
})

/** Longest wait that a provider can request. */
export const LONGEST_BACKOFF: Millis = DAY

/** Until when the provider accepts no request of a connection; null where it accepts them. */
export function blockedUntil({ not_before }: Pick<Connection, 'not_before'>, now: Millis): Millis | null {
  return not_before !== null && plausible(not_before, now, LONGEST_BACKOFF) > now ? not_before : null
}

/** Whether the token has expired and cannot be refreshed, even if the row still says `active`. */
export function isExpired({ status, refreshable, expires_at }: Connection, now: Millis): boolean {
  return status !== 'revoked' && refreshable === 0 && expires_at !== null && expires_at <= now
}

export function scopesOf({ scopes }: Pick<Connection, 'scopes'>): string[] {
  return scopes.split(' ').filter((scope) => scope !== '')
}

export function toWire(row: Connection, now: Millis): Static<typeof ConnectionSchema> {
  const { outcome, outcome_reason } = row
  return {
    id: row.id,
    provider: row.provider,
    status: isExpired(row, now) ? 'expired' : row.status,
    scopes: scopesOf(row),
    subject: row.subject,
    refreshable: row.refreshable === 1,
    lastError: outcome === null ? null : { code: outcome, reason: outcome_reason },
    retryNotBefore: toIsoOrNull(blockedUntil(row, now)),
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    expiresAt: toIsoOrNull(row.expires_at),
    refreshedAt: toIsoOrNull(row.refreshed_at),
  }
}
