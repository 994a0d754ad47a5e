import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { prepared, preparedForRows } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { LAST_CALL } from '../../jobs/job.ts'
import type { JobStore, Want } from '../../jobs/job-store.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'
import { MOST_LANES } from '../../jobs/worker/claims.ts'
import { type DeliveryJob, type ClaimedRow as Row, toJobs } from '../attempt/delivery-job.ts'
import { selectBodies } from './delivery-row.ts'

/**
 * A probe is chosen among this many deliveries that are due longest, and among the due ones of this many whose horizon ends first.
 * The limit keeps a claim from reading a large backlog whole.
 */
export const PROBES_OF = 500

/** Bodies up to so many bytes are read with the claim, where that saves a round trip: 500 of them are a megabyte. */
const SMALL_BODY = 2 * 1024

/** Bytes of bodies that are read with a claim at most; beyond that each body is read before its attempt. */
const MOST_BYTES = 256 * 1024

const UNCLAIMED = isUnclaimed({ table: 'delivery' })

/** The parameters of `claimListed`. */
interface Listed {
  worker: string
  now: Millis
  webhooks: Id<'webhook'>[]
  limits: number[]
}

/**
 * For an engine with lists as parameters: one statement, whose plan a connection keeps, for any number of webhooks. The event and
 * the webhook of a delivery are looked up once a row; a small body is read once an event.
 */
const claimListed = prepared<Listed>()((db, value) =>
  // `lateral` locks the rows of one webhook after the other, because a join of them may not lock.
  sql<Row>`
    ${claimOf(
      sql`
        select due.id
        from unnest(${value('webhooks')}::text[], ${value('limits')}::bigint[]) as want (webhook_id, most)
        cross join lateral (
          select id from delivery
          where exists (select from webhook where webhook.id = want.webhook_id and webhook.status = ${literal('active')})
            and webhook_id = want.webhook_id and ${UNCLAIMED}
            and due_at <= ${value('now')}
          order by due_at, id limit want.most for update skip locked
        ) as due`,
      [value('worker'), value('now')],
    )},
    claimed as (${UPDATE_CHOSEN}),
    counted as (select *, row_number() over (partition by event_id) as place from claimed)
    select counted.id, webhook_id, counted.organization_id, event_id, attempts, due_at, horizon_at,
      length(event.body) as bytes, event.hops, max_in_flight, max_per_second, resumed_at,
      case when place = 1 and length(event.body) <= ${sql.lit(SMALL_BODY)} then event.body end as body
    from counted
      left join event on event.id = event_id
      left join webhook on webhook.id = webhook_id`.compile(db),
)

/** Claims due deliveries of many webhooks, those of one order in one statement. */
export function createClaim(
  database: Database,
): Required<Pick<JobStore<DeliveryJob>, 'claim' | 'claimNamed'>> {
  const { shared } = database

  /** The parameters of each webhook: `which`, the moment, and how many. */
  const claimDue = preparedForRows<Row>((db, size) =>
    claimChosen(
      db,
      unionAll(size, () => {
        const due = unclaimed(db).where('due_at', '<=', 0).orderBy('due_at').orderBy('id').limit(0)
        return sql`select id from ${due.select('id')} as due`
      }),
    ),
  )

  /** The parameters of each webhook: `which`, the moment, `which`, the moment, the last call, and how many. */
  const claimProbes = preparedForRows<Row>((db, size) =>
    claimChosen(
      db,
      unionAll(size, () => {
        const waiting = unclaimed(db).select(['id', 'due_at', 'horizon_at', 'attempts'])
        const due = waiting.where('due_at', '<=', 0).orderBy('due_at').orderBy('id').limit(sql.lit(PROBES_OF))
        const ending = waiting.orderBy('horizon_at').orderBy('due_at').orderBy('id').limit(sql.lit(PROBES_OF))
        return sql`select id from (
            select * from (
              select * from ${due} as due union select * from ${ending} as ending where due_at <= ${0}
            ) as due
            order by case when horizon_at <= ${0} then horizon_at else ${0} end, attempts, due_at, id
            limit ${0}
          ) as probe`
      }),
    ),
  )

  const claimNamed = preparedForRows<Row>((db, size) =>
    claimChosen(
      db,
      sql`select delivery.id from delivery
        join webhook on webhook.id = delivery.webhook_id and webhook.status = ${literal('active')}
        where ${UNCLAIMED} and delivery.due_at <= ${0}
          and delivery.id in (${sql.join(Array.from({ length: size }, () => ''))})`,
    ),
  )

  /** The first parameters of a claim. A worker whose lease has expired claims nothing. */
  const worker = (workerId: string, now: Millis) => [workerId, shared ? now : 0]
  /** The parameters of `unclaimed`. */
  const which = (id: Id<'webhook'>) => [id, id]

  function claimOfEach(tx: Tx, wants: Want<DeliveryJob>[], workerId: string, now: Millis): Promise<Row[]> {
    const limits = wants.map(({ limit }) => limit)
    if (!shared) {
      const rows = wants.map(({ laneId, limit }) => [...which(laneId), now, limit])
      return claimDue(tx, rows, worker(workerId, now))
    }
    const webhooks = wants.map(({ laneId }) => laneId)
    return claimListed(tx, { webhooks, limits, worker: workerId, now })
  }

  async function claimWanted(
    tx: Tx,
    workerId: string,
    wants: Want<DeliveryJob>[],
    now: Millis,
  ): Promise<DeliveryJob[]> {
    const byOrder = Map.groupBy(wants, ({ order = 'due' }) => order)
    const due = byOrder.get('due') ?? []
    const lastCall = now + LAST_CALL
    const probes = (byOrder.get('probe') ?? []).map(({ laneId, limit }) => [
      ...[...which(laneId), now, ...which(laneId), now],
      ...[lastCall, lastCall, limit],
    ])
    const rows = due.length === 0 ? [] : await claimOfEach(tx, due, workerId, now)
    if (probes.length > 0) rows.push(...(await claimProbes(tx, probes, worker(workerId, now))))
    return toJobs(rows)
  }

  /** Where each statement is a round trip, missing bodies are read together, unless they are too large. */
  async function withBodies(jobs: DeliveryJob[]): Promise<DeliveryJob[]> {
    const without = jobs.filter(({ body }) => body === undefined)
    const sizes = new Map(without.map(({ eventId, bytes }) => [eventId, bytes]))
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    if (!shared || without.length === 0 || bytes > MOST_BYTES) return jobs
    // The deliveries are claimed already; a body that is missing here is read later.
    const bodies = await selectBodies(database.lookups, sizes.keys()).catch(() => undefined)
    for (const job of without) job.body = bodies?.get(job.eventId)?.body
    return jobs
  }

  /** Most claims are one statement, which needs no round trips for `begin` and `commit`. */
  const inOne = (lanes: unknown[], statements = 1) =>
    statements === 1 && lanes.length <= MOST_LANES ? database.brief : database.tx

  return {
    // Waits for the disk: if a crash of the store lost the claim of a sent delivery, it would be sent twice.
    async claim(workerId, wants, now) {
      const orders = new Set(wants.map(({ order = 'due' }) => order))
      return withBodies(await inOne(wants, orders.size)((tx) => claimWanted(tx, workerId, wants, now)))
    },

    claimNamed(workerId, named, now) {
      const ids = named.map(({ id }) => [id])
      return inOne(named)(async (tx) => toJobs(await claimNamed(tx, ids, [...worker(workerId, now), now])))
    },
  }
}

/** Repeats a choice for each webhook, with its own parameters. */
function unionAll(size: number, choice: () => ReturnType<typeof sql>): ReturnType<typeof sql> {
  return sql.join(Array.from({ length: size }, choice), sql` union all `)
}

/** Unclaimed pending deliveries of an active webhook. */
function unclaimed(db: Db) {
  return db
    .selectFrom('delivery')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook')
          .select('webhook.id')
          .where('webhook.id', '=', '' as Id<'webhook'>)
          .where('webhook.status', '=', literal('active')),
      ),
    )
    .where('webhook_id', '=', '' as Id<'webhook'>)
    .where(UNCLAIMED)
}

/**
 * The first two parts of a claim: the claimer, if its lease holds, and the chosen deliveries. Its own parameters, the worker and the
 * moment, come first.
 */
function claimOf(choice: ReturnType<typeof sql>, [id, now]: [string, Millis] = ['', 0]) {
  // `materialized`, because a choice that locks rows and skips locked ones must be made once, and not for each row.
  return sql`with claimer as materialized (select id from worker where id = ${id} and alive_until > ${now}),
    chosen as materialized (${choice})`
}

/** Claims the chosen rows. */
const UPDATE_CHOSEN = sql`
  update delivery set claim_id = (select id from claimer)
  where id in (select id from chosen) and claim_id is null and exists (select 1 from claimer)
  returning id, webhook_id, organization_id, event_id, attempts, due_at, horizon_at`

/** The statement around a choice of deliveries. */
function claimChosen(db: Db, choice: ReturnType<typeof sql>) {
  return sql<Row>`${claimOf(choice)} ${UPDATE_CHOSEN},
    (select length(body) from event where event.id = delivery.event_id) as bytes,
    (select hops from event where event.id = delivery.event_id) as hops,
    (select max_in_flight from webhook where webhook.id = delivery.webhook_id) as max_in_flight,
    (select max_per_second from webhook where webhook.id = delivery.webhook_id) as max_per_second,
    (select resumed_at from webhook where webhook.id = delivery.webhook_id) as resumed_at`.compile(db)
}
