import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { preparedForRows } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Owned } from '../../jobs/job.ts'
import type { Due, DuePage } from '../../jobs/job-store.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'
import type { DeliveryJob } from '../attempt/delivery-job.ts'

const UNCLAIMED = isUnclaimed({ table: 'delivery' })

/** When the next delivery of the statement's `webhook` is due that no worker has claimed; null where there is none. */
export const NEXT_DUE = sql<Millis | null>`(
  select min(delivery.due_at) from delivery
  where delivery.webhook_id = webhook.id and ${UNCLAIMED}
)`

type Next = Owned<DeliveryJob> & { dueAt: Millis | null } & Pick<
    Tables['webhook'],
    'max_in_flight' | 'max_per_second' | 'resumed_at'
  >

const selectDueOf = preparedForRows<Next>((db, size) =>
  db
    .selectFrom('webhook')
    .select(['webhook.id as laneId', 'webhook.organization_id as organizationId', NEXT_DUE.as('dueAt')])
    .select(['max_in_flight', 'max_per_second', 'resumed_at'])
    .where('webhook.status', '=', literal('active'))
    .where(
      'webhook.id',
      'in',
      Array.from({ length: size }, () => '' as Id<'webhook'>),
    ),
)

/**
 * A page of webhooks with unclaimed pending deliveries: one seek in the index `delivery_due` for each, and none for an idle webhook.
 * @param most webhooks at most, active or not
 */
export async function nextDue(db: Db, after: string, most: number): Promise<DuePage<DeliveryJob>> {
  const following = (id: ReturnType<typeof sql>) =>
    sql`(select delivery.webhook_id from delivery where ${UNCLAIMED} and delivery.webhook_id > ${id} order by delivery.webhook_id limit 1)`
  const { rows } = await sql<Next & Pick<Tables['webhook'], 'status'>>`
    with recursive waiting (id, place) as (
      select ${following(sql`${after}`)}, 1
      union all
      select ${following(sql`waiting.id`)}, place + 1 from waiting where waiting.id is not null and place < ${sql.lit(most)}
    )
    select webhook.id as "laneId", webhook.organization_id as "organizationId", webhook.status, ${NEXT_DUE} as "dueAt",
      max_in_flight, max_per_second, resumed_at
    from waiting join webhook on webhook.id = waiting.id
    order by waiting.place`.execute(db)
  return {
    due: toDue(rows.filter(({ status }) => status === 'active')),
    after: rows.length < most ? undefined : rows.at(-1)?.laneId,
  }
}

/** Reads when the first unclaimed delivery of each given webhook is due. */
export async function dueOf(lookups: Db, webhooks: Id<'webhook'>[]): Promise<Due<DeliveryJob>[]> {
  const lists = webhooks.map((id) => [id])
  return toDue(await selectDueOf(lookups, lists))
}

/** Webhooks with a delivery that is due now or later. What a webhook held while it was paused is sent in order, by its owner. */
function toDue(next: Next[]): Due<DeliveryJob>[] {
  return next.flatMap(({ laneId, organizationId, dueAt, max_in_flight, max_per_second, resumed_at }) => {
    if (dueAt === null) return []
    const isHeld = resumed_at !== null && dueAt <= resumed_at
    const terms = isHeld ? {} : { terms: { cap: max_in_flight, perSecond: max_per_second } }
    return [{ laneId, organizationId, dueAt, ...terms }]
  })
}

/** The webhooks with deliveries that a worker has claimed. */
export async function claimedLanes(db: Db, workerId: string): Promise<Id<'webhook'>[]> {
  const rows = await db
    .selectFrom('delivery')
    .select('webhook_id')
    .distinct()
    .where('claim_id', '=', workerId)
    .execute()
  return rows.map(({ webhook_id }) => webhook_id).sort()
}
