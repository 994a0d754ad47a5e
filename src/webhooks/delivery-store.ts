import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Database, Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables.ts'
import { LAST_CALL } from './breaker.ts'
import { type DeliveryStore, type Due, type Job, toJob } from './deliveries.ts'
import { stepReplays } from './replay-step.ts'
import { settle } from './settle.ts'
import { horizonFloor, type Targets } from './targets.ts'

type Delivery = Tables['delivery']

interface StoreDeps {
  database: Database
  targets: Targets
  /** Told, in the settling transaction, that a destination is gone. */
  onGone: (tx: Tx, job: Job, now: Millis) => Promise<void>
}

/**
 * Whom to probe with is looked for among so many that are due longest and so many that end soonest, the ones that are
 * not due left out: whatever a backlog is like, it is not gone through.
 */
export const PROBES_OF = 500

export function createDeliveryStore({ database, targets, onGone }: StoreDeps): DeliveryStore {
  const { db } = database
  return {
    async join(workerId, aliveUntil) {
      await database.tx((tx) =>
        tx.insertInto('worker').values({ id: workerId, alive_until: aliveUntil }).execute(),
      )
    },

    async keepAlive(workerId, aliveUntil, now) {
      const kept = await database.tx((tx) =>
        tx
          .updateTable('worker')
          // A sign of life that was long under way does not take back a later one.
          .set({
            alive_until: sql`case when alive_until > ${aliveUntil} then alive_until else ${aliveUntil} end`,
          })
          .where('id', '=', workerId)
          .where('alive_until', '>', now)
          .returning('id')
          .executeTakeFirst(),
      )
      return kept !== undefined
    },

    async freeDead(workerId, now) {
      await database.tx(async (tx) => {
        await tx
          .deleteFrom('worker')
          .where('id', '!=', workerId)
          .$if(database.shared, (query) => query.where('alive_until', '<=', now))
          .execute()
        // Whoever claimed without knowing that it had died is among them.
        await tx
          .updateTable('delivery')
          .set({ claim_id: null })
          .where('claim_id', 'is not', null)
          .where('claim_id', 'not in', (from) => from.selectFrom('worker').select('id'))
          .execute()
      })
    },

    async leave(workerId) {
      await database.tx(async (tx) => {
        await tx.updateTable('delivery').set({ claim_id: null }).where('claim_id', '=', workerId).execute()
        await tx.deleteFrom('worker').where('id', '=', workerId).execute()
      })
    },

    async nextDue() {
      const { rows } = await sql<Due>`
        select * from (
          select webhook.id as "webhookId", (
            select min(delivery.due_at) from delivery
            where delivery.webhook_id = webhook.id and delivery.status = 'pending' and delivery.claim_id is null
          ) as "dueAt"
          from webhook where webhook.status = 'active'
        ) as due where "dueAt" is not null`.execute(db)
      return rows
    },

    async claim(workerId, webhookId, now, { limit, order = 'due', only }) {
      const earliest = database.shared ? now : 0
      const lastCall = now + LAST_CALL
      // A claim that a power cut takes back is one that nobody holds: no disk is waited for.
      const { jobs, nextDueAt } = await database.relaxed(async (tx) => {
        const webhook = await tx
          .selectFrom('webhook')
          .select(['max_in_flight', 'resumed_at'])
          .where('id', '=', webhookId)
          .where('status', '=', 'active')
          .executeTakeFirst()
        // What is held is noticed again when its webhook is active again.
        if (webhook === undefined) return { jobs: [], nextDueAt: undefined }
        const claimed = await tx
          .updateTable('delivery')
          .set({ claim_id: workerId })
          .where('id', 'in', (from) => {
            const waiting = from
              .selectFrom('delivery')
              .select(['id', 'due_at', 'horizon_at', 'attempts'])
              .where('webhook_id', '=', webhookId)
              .where('status', '=', literal('pending'))
              .where('claim_id', 'is', null)
              .$if(only !== undefined, (query) => query.where('id', '=', only as Id<'delivery'>))
            const due = waiting
              .where('due_at', '<=', now)
              .orderBy('due_at')
              .orderBy('id')
              .limit(order === 'probe' ? PROBES_OF : limit)
            if (order === 'due')
              return from.selectFrom(due.$call(database.skipLocked).as('due')).select('due.id')
            const ending = waiting.orderBy('horizon_at').orderBy('due_at').orderBy('id').limit(PROBES_OF)
            return from
              .selectFrom(
                from
                  .selectFrom(due.as('due'))
                  .selectAll()
                  .union(from.selectFrom(ending.as('ending')).selectAll().where('ending.due_at', '<=', now))
                  .as('due'),
              )
              .select('due.id')
              .orderBy(sql`case when due.horizon_at <= ${lastCall} then due.horizon_at else ${lastCall} end`)
              .orderBy('due.attempts')
              .orderBy('due.due_at')
              .orderBy('due.id')
              .limit(limit)
          })
          .where('claim_id', 'is', null)
          // A worker whose time has passed while it was not looking gets nothing.
          .where((where) =>
            where.exists(
              where
                .selectFrom('worker')
                .select('worker.id')
                .where('worker.id', '=', workerId)
                .where('worker.alive_until', '>', earliest),
            ),
          )
          .returningAll()
          .execute()
        const next = await tx
          .selectFrom('delivery')
          .select(({ fn }) => fn.min('due_at').as('due_at'))
          .where('webhook_id', '=', webhookId)
          .where('status', '=', literal('pending'))
          .where('claim_id', 'is', null)
          .executeTakeFirst()
        return {
          jobs: await toJobs(tx, claimed, webhook),
          nextDueAt: next?.due_at ?? undefined,
        }
      })
      return { jobs, nextDueAt }
    },

    findTarget: (webhookId, now) => targets.find(webhookId, now),

    async claimedBy(workerId) {
      const rows = await db.selectFrom('delivery').select('id').where('claim_id', '=', workerId).execute()
      return rows.map(({ id }) => id)
    },

    async release(workerId, jobs) {
      if (jobs.length === 0) return
      await database.tx((tx) =>
        tx
          .updateTable('delivery')
          .set({ claim_id: null })
          .where(
            'id',
            'in',
            jobs.map(({ id }) => id),
          )
          .where('claim_id', '=', workerId)
          .execute(),
      )
    },

    stepReplays: (now) => stepReplays(database, now),

    async settle(workerId, settlements, now) {
      await database.tx((tx) => settle(tx, workerId, settlements, now, onGone))
    },
  }
}

async function toJobs(
  tx: Tx,
  claimed: Delivery[],
  webhook: Pick<Tables['webhook'], 'max_in_flight' | 'resumed_at'>,
): Promise<Job[]> {
  if (claimed.length === 0) return []
  const events = await tx
    .selectFrom('event')
    .select(['id', 'body', 'hops'])
    .where('id', 'in', [...new Set(claimed.map(({ event_id }) => event_id))])
    .execute()
  const eventOf = new Map(events.map((event) => [event.id, event]))
  return claimed
    .map((delivery) => {
      const event = eventOf.get(delivery.event_id) ?? { body: new Uint8Array(), hops: 0 }
      const horizon = Math.max(delivery.horizon_at, horizonFloor(webhook.resumed_at))
      return { ...toJob(delivery, event, webhook.max_in_flight), horizon }
    })
    .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
}
