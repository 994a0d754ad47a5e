import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findLanes } from '../../delivery/queue/lane-store.ts'
import { NEXT_DUE } from '../../delivery/queue/waiting-lanes.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { IDLE_AFTER } from './record-poll.ts'

const HEALTH_STATES = ['delivering', 'failing', 'parked', 'paused', 'disabled'] as const
type HealthState = (typeof HEALTH_STATES)[number]

export const HealthSchema = Type.Object(
  {
    state: Type.String({
      enum: [...HEALTH_STATES],
      description:
        '`delivering`: its last attempt was delivered, or there was none. `failing`: its attempts fail. `parked`: they have failed for so long that one call at a time is made, with pauses, until one is delivered. `paused` and `disabled`: nothing is sent; a listener is paused while no client asks.',
    }),
    since: Nullable(Moment),
    reason: Nullable(
      Type.String({
        description:
          'The failure of the last attempt: `http_` and the status, or `timeout`, `dns`, `refused`, `reset`, `tls`, `invalid_answer`, `blocked_address`. For a disabled webhook, the reason.',
        examples: ['http_503'],
      }),
    ),
    nextAttemptAt: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'When a webhook that fails is tried next; null where that is any moment, or not known yet.',
      }),
    ),
  },
  {
    description:
      'How its deliveries fare, the same in every process. `state` and `since` are written down within 2 s of a change; `reason`, and `nextAttemptAt` of a parked webhook, may be 10 s old. Tests do not count.',
  },
)

type Webhook = Pick<
  Tables['webhook'],
  'id' | 'status' | 'disabled_reason' | 'status_at' | 'listener' | 'listened_at'
>

/** The health of a webhook; moments in milliseconds. */
export interface Health {
  state: HealthState
  since: Millis | null
  reason: string | null
  nextAttemptAt: Millis | null
}

/** The health of webhooks, by id: one read of `lane` for all, and one of due deliveries for failing ones. */
export async function healthOf(
  db: Db | Tx,
  webhooks: readonly Webhook[],
  now: Millis,
): Promise<Map<Id<'webhook'>, Health>> {
  const active = webhooks.filter(({ status }) => status === 'active').map(({ id }) => id)
  const lanes = await findLanes(db, active, now)
  const failing = [...lanes].flatMap(([id, { failingAt }]) => (failingAt === null ? [] : id))
  const dues = await nextDues(db, failing)
  return new Map(
    webhooks.map((webhook): [Id<'webhook'>, Health] => {
      const { id, status, listener, disabled_reason: reason, status_at: since } = webhook
      if (listener !== null && status === 'paused') return [id, healthOfListener(webhook, now)]
      if (status === 'paused') return [id, { state: 'paused', since, reason: null, nextAttemptAt: null }]
      if (status !== 'active') return [id, { state: 'disabled', since, reason, nextAttemptAt: null }]
      const { parkedAt = null, probeAt = null, failingAt = null, cause = null } = lanes.get(id) ?? {}
      if (failingAt === null)
        return [id, { state: 'delivering', since: null, reason: null, nextAttemptAt: null }]
      const due = Math.max(dues.get(id) ?? 0, probeAt ?? 0)
      const state = parkedAt === null ? 'failing' : 'parked'
      return [id, { state, since: failingAt, reason: cause, nextAttemptAt: due > now ? due : null }]
    }),
  )
}

/** A listener is paused while no client polls it. */
function healthOfListener({ listened_at: last, status_at }: Webhook, now: Millis): Health {
  if (last !== null && Math.abs(now - last) < IDLE_AFTER)
    return { state: 'delivering', since: null, reason: null, nextAttemptAt: null }
  return { state: 'paused', since: last ?? status_at, reason: null, nextAttemptAt: null }
}

export function toHealthWire({ state, since, reason, nextAttemptAt }: Health): Static<typeof HealthSchema> {
  return {
    ...{ state, reason },
    since: since === null ? null : toIso(since),
    nextAttemptAt: toIsoOrNull(nextAttemptAt),
  }
}

/** The first due time of an unclaimed delivery of each webhook. */
async function nextDues(db: Db | Tx, ids: Id<'webhook'>[]): Promise<Map<Id<'webhook'>, Millis | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhook')
    .select(['webhook.id', NEXT_DUE.as('due_at')])
    .where('webhook.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, due_at }) => [id, due_at]))
}
