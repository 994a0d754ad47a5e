import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { HOUR, MINUTE, systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { type Database, openDatabase } from '#src/db/database.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import { statements as countsOfDeliveries } from '#src/db/migrations/029-delivery-counts.ts'
import type { Sent } from '#src/delivery/attempt/send.ts'
import { bucketOf, percentilesOf } from '#src/delivery/counts/latency-buckets.ts'
import { readFared, readOpen } from '#src/delivery/counts/read-counts.ts'
import { attemptsOf } from '#src/delivery/store/attempts.ts'
import { type DeliveryJob, type DeliverySettlement, toJob } from '#src/delivery/store/job.ts'
import { stepReplays } from '#src/delivery/store/replay-step.ts'
import { settle } from '#src/delivery/store/settle.ts'
import { NOT_REACHED } from '#src/net/timed-client.ts'
import { olderStore } from './support/older-store.ts'
import { onBothEngines } from './support/postern.ts'

const NOW = 1_795_000_000_000
/** So much later that ids of the next engine, which begins at `NOW` again, are not taken to be of a clock set back a little. */
const UNTIL = NOW + MINUTE
const organization = newId('organization', NOW)

/** A webhook with an event and a delivery that waits and one that has ended, as the first schemas had them. */
async function fill(tx: Tx): Promise<void> {
  await sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Acme', 'free', ${NOW})`.execute(
    tx,
  )
  for (const name of ['a', 'b']) await fillOne(tx, name)
}

async function fillOne(tx: Tx, name: string): Promise<void> {
  const webhook = newId('webhook', NOW)
  await sql`insert into webhook (id, organization_id, url, events, description, status, max_in_flight, created_at, updated_at)
    values (${webhook}, ${organization}, 'https://example.test/', '["*"]', ${name}, 'active', 16, ${NOW}, ${NOW})`.execute(
    tx,
  )
  for (const status of ['pending', 'delivered']) {
    const event = newId('event', NOW)
    await sql`insert into event (id, organization_id, type, body, created_at)
      values (${event}, ${organization}, 'a.b', ${Buffer.from('{}')}, ${NOW})`.execute(tx)
    const delivery = newId('delivery', NOW)
    await sql`insert into delivery
      (id, organization_id, webhook_id, event_id, event_type, status, attempts, due_at, horizon_at, created_at, updated_at)
      values (${delivery}, ${organization}, ${webhook}, ${event}, 'a.b', ${status}, 1,
        ${status === 'pending' ? NOW : null}, ${NOW}, ${NOW}, ${NOW})`.execute(tx)
    await sql`insert into attempt
      (id, delivery_id, number, started_at, duration_ms, outcome, status_code, request_headers, secret_index)
      values (${newId('attempt', NOW)}, ${delivery}, 1, ${NOW}, 5, 'delivered', 200, '{"user-agent":"Postern/0.1.0"}', 0)`.execute(
      tx,
    )
  }
}

/** Letters by which texts in lists could be taken apart. */
const KNOTTY = 'NULL, "b" \\c \\" {d} \'e\' –'

function settlementOf(job: DeliveryJob): DeliverySettlement {
  const sent: Sent = {
    result: { status: 204, retryAfter: undefined },
    durationMs: 12,
    urlVersion: 0,
    reached: NOT_REACHED,
    secretIndex: 0,
    requestHeaders: { 'x-service-attempt': String(job.attempts + 1) },
    responseHeaders: { server: KNOTTY, 'x-other': '' },
    responseBody: Buffer.from(KNOTTY),
    error: KNOTTY,
  }
  const attempt = { startedAt: NOW + 1, outcome: 'delivered', sent }
  return { job, attempt, status: 'delivered', reason: null, horizon: null, dueAt: null, disables: false }
}

/** A webhook with so many deliveries that have failed, and a replay of them that runs, as schema 19 had it. */
async function fillReplay(tx: Tx): Promise<void> {
  await sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Acme', 'free', ${NOW})`.execute(
    tx,
  )
  const webhook = newId('webhook', NOW)
  await sql`insert into webhook (id, organization_id, url, events, description, status, max_in_flight, created_at, updated_at, shard)
    values (${webhook}, ${organization}, 'https://example.test/', '["*"]', 'c', 'active', 16, ${NOW}, ${NOW}, 0)`.execute(
    tx,
  )
  for (let number = 0; number < 3; number += 1) {
    const [event, delivery] = [newId('event', NOW), newId('delivery', NOW)]
    await sql`insert into event (id, organization_id, type, body, created_at)
      values (${event}, ${organization}, 'a.b', ${Buffer.from('{}')}, ${NOW})`.execute(tx)
    await sql`insert into delivery
      (id, organization_id, webhook_id, event_id, event_type, status, attempts, due_at, horizon_at, created_at, updated_at)
      values (${delivery}, ${organization}, ${webhook}, ${event}, 'a.b', 'failed', 1, null, ${NOW}, ${NOW}, ${NOW})`.execute(
      tx,
    )
  }
  await sql`insert into replay
    (id, organization_id, webhook_id, since, until, filter, status, position, total, replayed, created_at, updated_at)
    values (${newId('replay', NOW)}, ${organization}, ${webhook}, 0, ${UNTIL}, 'failed', 'running', '', 3, 0, ${NOW}, ${NOW})`.execute(
    tx,
  )
}

onBothEngines('deliveries of the schema before', (engine) => {
  async function open(version = 3, filled = fill): Promise<Database> {
    const store = await olderStore(engine, version, filled)
    return openDatabase({
      ...readConfig(store).store,
      clock: systemClock,
      report() {},
      onConnectionError() {},
    })
  }

  /** How many events, deliveries and attempts there are. */
  async function counts({ db }: Database): Promise<number[]> {
    const { rows } = await sql<{ events: number; deliveries: number; attempts: number }>`
      select (select count(*) from event) as events, (select count(*) from delivery) as deliveries,
        (select count(*) from attempt) as attempts`.execute(db)
    const [row] = rows
    return [row?.events, row?.deliveries, row?.attempts].map(Number)
  }

  it('keep the attempts that are on record, with all their headers', async () => {
    const database = await open()
    const deliveries = await database.db.selectFrom('delivery').selectAll().execute()
    for (const delivery of deliveries) {
      const [attempt, ...more] = await attemptsOf(database.db, delivery)
      assert.deepEqual(more, [])
      assert.equal(attempt?.number, 1)
      assert.deepEqual(attempt?.requestHeaders, { 'user-agent': 'Postern/0.1.0' })
    }
    await database.close()
  })

  it('have their final attempt beside those that were on record before', async () => {
    const database = await open(7)
    const { db, reserved } = database
    await database.tx((tx) => sql`update delivery set claim_id = 'w' where status = 'pending'`.execute(tx))
    const claimed = await db.selectFrom('delivery').selectAll().where('claim_id', '=', 'w').execute()
    assert.equal(claimed.length, 2)
    const terms = { maxInFlight: 1, maxPerSecond: null }
    await settle(
      reserved,
      'w',
      claimed.map((row) => settlementOf(toJob(row, { body: Buffer.from('{}'), hops: 0 }, terms))),
      NOW + 1,
      async () => {},
    )
    for (const { id } of claimed) {
      const row = await db.selectFrom('delivery').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const [before, final, ...more] = await attemptsOf(db, row)
      assert.deepEqual([before?.number, before?.duration_ms, before?.status_code], [1, 5, 200])
      assert.deepEqual([final?.number, final?.duration_ms, final?.status_code], [2, 12, 204])
      assert.deepEqual(final?.requestHeaders, { 'x-service-attempt': '2' })
      assert.deepEqual(final?.responseHeaders, { server: KNOTTY, 'x-other': '' })
      assert.deepEqual([final?.error, Buffer.from(final?.response_body ?? []).toString()], [KNOTTY, KNOTTY])
      assert.deepEqual(more, [])
    }
    assert.deepEqual(await counts(database), [4, 4, 4])
    await database.close()
  })

  it('leave the inbound paths of their webhooks to their organization', async () => {
    const database = await open(26, async (tx) => {
      const webhook = newId('webhook', NOW)
      await sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Acme', 'free', ${NOW})`.execute(
        tx,
      )
      await sql`insert into webhook (id, organization_id, url, events, endpoint_path, status, max_in_flight, created_at, updated_at, shard)
        values (${webhook}, ${organization}, 'https://example.test/', '["*"]', 'of-old', 'active', 16, ${NOW}, ${NOW}, 0)`.execute(
        tx,
      )
    })
    const paths = await database.db.selectFrom('endpoint_path').select(['path', 'organization_id']).execute()
    assert.deepEqual(
      paths.map(({ path, organization_id }) => [path, organization_id]),
      [['of-old', organization]],
    )
    await database.close()
  })

  it('are made again by a replay that was running, from where it was, each once', async () => {
    const database = await open(19, fillReplay)
    const replay = () => database.db.selectFrom('replay').selectAll().executeTakeFirstOrThrow()
    for (let step = 0; step < 10 && (await replay()).status === 'running'; step += 1)
      await stepReplays(database, UNTIL + 1)
    const { status, replayed, total, criteria } = await replay()
    assert.deepEqual([status, Number(replayed), Number(total), criteria], ['completed', 3, 3, '{}'])
    const rows = await database.db.selectFrom('delivery').select(['event_id', 'status']).execute()
    const perEvent = Map.groupBy(rows, ({ event_id }) => event_id)
    assert.deepEqual(
      [...perEvent.values()].map((of) => of.map(({ status }) => status).sort()),
      Array.from({ length: 3 }, () => ['failed', 'pending']),
    )
    await database.close()
  })

  it('are counted by when they were made and what became of them', async () => {
    const database = await open()
    const rows = await database.db.selectFrom('delivery').selectAll().execute()
    for (const webhookId of new Set(rows.map(({ webhook_id }) => webhook_id))) {
      const whose = { organizationId: organization, webhookId }
      const [all, later] = await readFared(database.db, whose, {
        start: NOW - HOUR,
        width: 2 * HOUR,
        count: 2,
      })
      const { durations, ...fared } = all ?? {}
      assert.deepEqual(fared, { delivered: 1, failed: 0, pending: 1 })
      assert.deepEqual(percentilesOf(durations ?? new Map()), { p50: 5, p95: 5, p99: 5 })
      assert.equal(later?.delivered, 0)
      // To the minute, by the id.
      const [made, end] = [Math.floor(NOW / MINUTE) * MINUTE, MINUTE]
      const [exact] = await readFared(database.db, whose, { start: made, width: end, count: 2 })
      assert.equal(exact?.delivered, 1)
    }
    assert.deepEqual(await readOpen(database.db, { organizationId: organization }), { pending: 2, held: 0 })
    await database.close()
  })

  it('count in the same buckets as those that are counted since', () => {
    const text = countsOfDeliveries({ integer: '', table: '', codeOf: () => '' } as never).join('\n')
    const cases = [...text.matchAll(/< (\d+) then (\d+)/g)].map(([, edge, bucket]) => [edge, bucket])
    assert.ok(cases.length > 50)
    for (const [edge, bucket] of cases) {
      assert.equal(bucketOf(Number(edge) - 1), Number(bucket))
      assert.equal(bucketOf(Number(edge)), Number(bucket) + 1)
    }
  })

  it('are all there, and go with what they belong to', async () => {
    const database = await open()
    assert.deepEqual(await counts(database), [4, 4, 4])
    const [event] = await database.db.selectFrom('event').select('id').orderBy('id').execute()
    await database.tx((tx) =>
      tx
        .deleteFrom('event')
        .where('id', '=', event?.id as Id<'event'>)
        .execute(),
    )
    assert.deepEqual(await counts(database), [3, 3, 3])
    await database.tx((tx) => tx.deleteFrom('webhook').where('description', '=', 'b').execute())
    assert.deepEqual(await counts(database), [3, 1, 1])
    await database.tx((tx) => tx.deleteFrom('organization').execute())
    assert.deepEqual(await counts(database), [0, 0, 0])
    await database.close()
  })
})
