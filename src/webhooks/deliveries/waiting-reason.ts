import { type Millis, toIsoOrNull } from '../../core/clock.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findLanes } from '../../delivery/queue/lane-store.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Nullable } from '../../http/schema/validation.ts'
import { FIRST_LIMIT } from '../../jobs/lanes/concurrency-limit.ts'

const WAITING_REASONS = [
  'attempting',
  'retry_scheduled',
  'parked',
  'rate',
  'in_flight',
  'webhook_paused',
  'webhook_disabled',
  'listener',
] as const
type WaitingReason = (typeof WAITING_REASONS)[number]

export const WaitingSchema = Nullable(
  Type.Object(
    {
      reason: Type.String({
        enum: [...WAITING_REASONS],
        description:
          '`attempting`: it is being attempted, or is the next that `maxPerSecond` allows. `retry_scheduled`: for its next attempt. `parked`: its webhook does not answer; one delivery at a time is tried, and all that wait follow once one is taken. `rate`: for `maxPerSecond`. `in_flight`: for those before it, as many at once as the webhook is trusted with. `webhook_paused`, `webhook_disabled`: until the webhook is resumed. `listener`: until a client of its listener fetches it.',
      }),
      until: Nullable(
        Type.String({
          format: 'date-time',
          description:
            'When that ends: the next attempt, or the next probe of a parked webhook. Null where it is not known.',
        }),
      ),
    },
    { description: 'Why a delivery that has not ended waits, up to 10 s old; null once it has ended.' },
  ),
)

/** Most claims of one webhook that are read: no webhook has more attempts in flight. */
const MOST_CLAIMED = 256

type Delivery = Pick<Tables['delivery'], 'id' | 'webhook_id' | 'status' | 'attempts' | 'due_at' | 'claim_id'>

/** Why a delivery waits, and until when; null where it has ended, or its webhook was deleted. */
export async function waitingOf(
  db: Db,
  delivery: Delivery,
  now: Millis,
): Promise<Static<typeof WaitingSchema>> {
  if (delivery.status !== 'pending') return null
  const webhook = await db
    .selectFrom('webhook')
    .select(['status', 'max_in_flight', 'max_per_second', 'listener'])
    .where('id', '=', delivery.webhook_id)
    .executeTakeFirst()
  if (webhook === undefined || webhook.status === 'deleted') return null
  const because = (reason: WaitingReason, until: Millis | null = null) => ({
    reason,
    until: until !== null && until > now ? toIsoOrNull(until) : null,
  })
  if (webhook.listener !== null && webhook.status === 'paused') {
    if (delivery.claim_id !== null) return because('attempting')
    return (delivery.due_at ?? 0) > now ? because('retry_scheduled', delivery.due_at) : because('listener')
  }
  if (webhook.status !== 'active')
    return because(webhook.status === 'paused' ? 'webhook_paused' : 'webhook_disabled')
  const lane = (await findLanes(db, [delivery.webhook_id], now)).get(delivery.webhook_id)
  const isParked = lane !== undefined && lane.parkedAt !== null
  const probeAt = lane?.probeAt ?? null
  const isPaced = webhook.max_per_second !== null
  if (delivery.claim_id === null) {
    if ((delivery.due_at ?? 0) > now) return because('retry_scheduled', delivery.due_at)
    if (isParked) return because('parked', probeAt)
    return because(isPaced ? 'rate' : 'in_flight')
  }
  // The worker holds the next probe of a parked webhook until the pause ends.
  if (isParked && (probeAt ?? 0) > now) return because('parked', probeAt)
  const before = await countBefore(db, delivery)
  const atOnce = isPaced ? 1 : Math.min(lane?.level ?? FIRST_LIMIT, webhook.max_in_flight)
  if (before < atOnce) return because('attempting')
  return because(isParked ? 'parked' : isPaced ? 'rate' : 'in_flight')
}

/** Counts the claimed deliveries of a webhook that come before this one. */
async function countBefore(db: Db, { id, webhook_id, due_at }: Delivery): Promise<number> {
  const rows = await db
    .selectFrom('delivery')
    .select('id')
    .where('claim_id', 'is not', null)
    .where('webhook_id', '=', webhook_id)
    .where((where) =>
      where.or([
        where('due_at', '<', due_at ?? 0),
        where.and([where('due_at', '=', due_at ?? 0), where('id', '<', id)]),
      ]),
    )
    .limit(MOST_CLAIMED)
    .execute()
  return rows.length
}
