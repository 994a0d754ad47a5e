import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { type Id, newId } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import type { DeliveryJob, DeliverySettlement } from '#src/delivery/attempt/delivery-job.ts'
import { toJob } from '#src/delivery/attempt/delivery-job.ts'
import { keepAnswer } from '#src/delivery/attempt/kept-answer.ts'
import type { Sent } from '#src/delivery/attempt/send.ts'
import { attemptsOf } from '#src/delivery/lists/read-attempts.ts'
import { settle } from '#src/delivery/queue/settle.ts'
import { useDatabase } from './support/database.ts'
import { onBothEngines } from './support/postern.ts'

const NOW = 1_795_000_000_000
const organization = newId('organization', NOW)

/** Two webhooks, each with a pending delivery and an ended one, and each delivery with its event and an attempt. */
async function fill(tx: Tx): Promise<void> {
  await sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Acme', 'free', ${NOW})`.execute(
    tx,
  )
  for (const name of ['a', 'b']) await fillOne(tx, name)
}

async function fillOne(tx: Tx, name: string): Promise<void> {
  const webhook = newId('webhook', NOW)
  await sql`insert into webhook (id, organization_id, url, events, description, status, max_in_flight, status_at, created_at, updated_at)
    values (${webhook}, ${organization}, 'https://example.test/', '["*"]', ${name}, 'active', 16, ${NOW}, ${NOW}, ${NOW})`.execute(
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
      (organization_id, delivery_id, number, started_at, duration_ms, outcome, status_code, request_headers, secret_index, reach)
      values (${organization}, ${delivery}, 1, ${NOW}, 5, 'delivered', 200, '{"user-agent":"Postern/0.1.0"}', 0, '0')`.execute(
      tx,
    )
  }
}

/** Characters that separate or quote the items of a list. */
const KNOTTY = 'NULL, "b" \\c \\" {d} \'e\' –'

function settlementOf(job: DeliveryJob): DeliverySettlement {
  const sent: Sent = {
    result: { status: 204, retryAfter: undefined },
    durationMs: 12,
    secretIndex: 0,
    requestHeaders: JSON.stringify({ 'x-service-attempt': String(job.attempts + 1) }),
    responseHeaders: keepAnswer({ server: KNOTTY, 'x-other': '' }),
    responseBody: Buffer.from(KNOTTY),
    reach: '0',
    error: KNOTTY,
  }
  const attempt = { startedAt: NOW + 1, outcome: 'delivered', sent }
  return { job, attempt, status: 'delivered', reason: null, horizon: null, dueAt: null, disables: false }
}

onBothEngines('the rows of deliveries', (engine) => {
  const open = useDatabase(engine)

  async function filled(): Promise<Database> {
    const database = await open()
    await database.tx(async (tx) => {
      await tx.deleteFrom('organization').execute()
      await fill(tx)
    })
    return database
  }

  /** How many events, deliveries and attempts there are. */
  async function counts({ db }: Database): Promise<number[]> {
    const { rows } = await sql<{ events: number; deliveries: number; attempts: number }>`
      select (select count(*) from event) as events, (select count(*) from delivery) as deliveries,
        (select count(*) from attempt) as attempts`.execute(db)
    const [row] = rows
    return [row?.events, row?.deliveries, row?.attempts].map(Number)
  }

  it('hold the attempt that ends them beside the earlier ones, character by character', async () => {
    const database = await filled()
    const { db, reserved } = database
    await database.tx((tx) => sql`update delivery set claim_id = 'w' where status = 'pending'`.execute(tx))
    const claimed = await db.selectFrom('delivery').selectAll().where('claim_id', '=', 'w').execute()
    assert.equal(claimed.length, 2)
    const idsOf = async (row: (typeof claimed)[number]) => (await attemptsOf(db, row)).map(({ id }) => id)
    const earlier = new Map(
      await Promise.all(claimed.map(async (row) => [row.id, await idsOf(row)] as const)),
    )
    const body = Buffer.from('{}')
    const rest = { cap: 1, perSecond: null, hops: 0, bytes: body.length, body }
    await settle(
      reserved,
      'w',
      claimed.map((row) => settlementOf(toJob(row, { ...rest, horizon: row.horizon_at }))),
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
      // Ids are derived from the rows: those of earlier attempts stay, and none is there twice.
      assert.deepEqual([before?.id], earlier.get(id))
      assert.notEqual(final?.id, before?.id)
    }
    assert.deepEqual(await counts(database), [4, 4, 4])
  })

  it('are deleted with their event, their webhook and their organization', async () => {
    const database = await filled()
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
  })
})
