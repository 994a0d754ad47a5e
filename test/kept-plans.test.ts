import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { type Id, newId } from '#src/core/id.ts'
import { openVault } from '#src/core/secret.ts'
import { sealContext } from '#src/db/sealed.ts'
import type { DeliveryJob, DeliverySettlement } from '#src/delivery/attempt/delivery-job.ts'
import { newSecret } from '#src/delivery/attempt/signature.ts'
import { createTargets } from '#src/delivery/attempt/targets.ts'
import { createPublishAll } from '#src/delivery/publish/publish.ts'
import { createSubscriptions } from '#src/delivery/publish/subscriptions.ts'
import { settle } from '#src/delivery/queue/settle.ts'
import { useDatabase } from './support/database.ts'
import { NO_HANDOVER } from './support/delivering.ts'
import { writeWebhooks } from './support/many-webhooks.ts'
import { until } from './support/waits.ts'

const NOW = 1_795_000_000_000
/** The number of deliveries that one worker has claimed, and of those whose results are written. */
const [CLAIMED, SETTLED] = [3_000, 40]

const open = useDatabase('postgres')
/** One in which there is no webhook yet. */
const openEmpty = useDatabase('postgres')

/** Otherwise PostgreSQL tells what a connection has read when that has rested for ten seconds. */
const tell = sql`select pg_stat_force_next_flush()`

/** How often a table was read from end to end, and its rows were looked up by an index. */
async function looks(): Promise<{ whole: number; byKey: number; byClaim: number }> {
  const { db } = await open()
  const { rows } = await sql<{ whole: string; byKey: string; byClaim: string }>`
    select seq_scan as whole,
      (select idx_scan from pg_stat_user_indexes where indexrelname = 'delivery_pkey') as "byKey",
      (select idx_scan from pg_stat_user_indexes where indexrelname = 'delivery_claim') as "byClaim"
    from pg_stat_user_tables where relname = 'delivery'`.execute(db)
  const [row] = rows
  return { whole: Number(row?.whole), byKey: Number(row?.byKey), byClaim: Number(row?.byClaim) }
}

function settlementOf(id: Id<'delivery'>): DeliverySettlement {
  const job = { id, organizationId: newId('organization', NOW), attempts: 0 } as DeliveryJob
  return { job, attempt: null, status: 'failed', reason: 'x', horizon: null, dueAt: null, disables: false }
}

it('results are written by the key of their delivery, though nothing was there when that was planned', async () => {
  const { reserved, tx } = await open()
  const write = (ids: Id<'delivery'>[]) => settle(reserved, 'w', ids.map(settlementOf), NOW, async () => {})
  await write([newId('delivery', NOW)])
  const [organization, webhook, event] = [
    newId('organization', NOW),
    newId('webhook', NOW),
    newId('event', NOW),
  ]
  const ids = Array.from({ length: CLAIMED }, () => newId('delivery', NOW))
  await tx(async (tx) => {
    await sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Acme', 'free', ${NOW})`.execute(
      tx,
    )
    await sql`insert into webhook (id, organization_id, url, events, status, max_in_flight, status_at, created_at, updated_at)
      values (${webhook}, ${organization}, 'https://example.test/', '["*"]', 'active', 16, ${NOW}, ${NOW}, ${NOW})`.execute(
      tx,
    )
    await sql`insert into event (id, organization_id, type, body, created_at)
      values (${event}, ${organization}, 'a.b', ${Buffer.from('{}')}, ${NOW})`.execute(tx)
    await sql`insert into delivery (id, organization_id, webhook_id, event_id, event_type, status, attempts, due_at,
        horizon_at, claim_id, created_at, updated_at)
      select id, ${organization}, ${webhook}, ${event}, 'a.b', 'pending', 0, ${NOW}::bigint, ${NOW}::bigint, 'w', ${NOW}::bigint, ${NOW}::bigint
      from unnest(${ids}::text[]) as list (id)`.execute(tx)
  })
  const before = await looks()
  await write(ids.slice(0, SETTLED))
  await reserved.brief((tx) => tell.execute(tx))
  const after = await until(looks, ({ byKey }) => byKey >= before.byKey + SETTLED)
  assert.deepEqual([after.whole, after.byClaim], [before.whole, before.byClaim])
  const { rows } = await sql<{
    count: string
  }>`select count(*) as count from delivery where status = 'failed'`.execute((await open()).db)
  assert.equal(Number(rows[0]?.count), SETTLED)
})

it('where deliveries go is looked up by the webhook, though there was none when that was planned', async () => {
  const database = await open()
  const vault = openVault('0'.repeat(43))
  const find = (id: Id<'webhook'>) => createTargets({ database, vault }).find(id, NOW)
  await find(newId('webhook', NOW))
  const organization = newId('organization', NOW)
  const ids = Array.from({ length: CLAIMED }, () => newId('webhook', NOW))
  const secrets = ids.map((id) => vault.seal(newSecret(), sealContext('webhook_secret', id)))
  await database.tx(async (tx) => {
    await sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Looks', 'free', ${NOW})`.execute(
      tx,
    )
    await sql`insert into webhook (id, organization_id, url, events, status, max_in_flight, status_at, created_at, updated_at)
      select id, ${organization}, 'https://example.test/', '["*"]', 'active', 16, ${NOW}::bigint, ${NOW}::bigint, ${NOW}::bigint
      from unnest(${ids}::text[]) as list (id)`.execute(tx)
    await sql`insert into webhook_secret (webhook_id, secret, hint, created_at)
      select id, secret, 'hint', ${NOW}::bigint from unnest(${ids}::text[], ${secrets}::text[]) as list (id, secret)`.execute(
      tx,
    )
  })
  /** Entries of their indexes that were read, and rows of the tables without one. */
  const read = async () => {
    const { rows } = await sql<{ keys: string; entries: string; whole: string }>`
      select (select idx_scan from pg_stat_user_indexes where indexrelname = 'webhook_pkey') as keys,
        (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ('webhook', 'webhook_secret')) as entries,
        (select sum(seq_tup_read) from pg_stat_user_tables where relname in ('webhook', 'webhook_secret')) as whole`.execute(
      database.db,
    )
    const [row] = rows
    return { keys: Number(row?.keys), looked: Number(row?.entries) + Number(row?.whole) }
  }
  const before = await read()
  for (const id of ids.slice(0, SETTLED)) assert.equal((await find(id))?.url, 'https://example.test/')
  await tell.execute(database.lookups)
  const after = await until(read, ({ keys }) => keys >= before.keys + SETTLED)
  assert.ok(after.looked - before.looked < CLAIMED, `${after.looked - before.looked} read`)
})

it('what is assumed of an organization is held against its own webhooks, though there was none when that was planned', async () => {
  const database = await openEmpty()
  const publishAll = createPublishAll(NO_HANDOVER, createSubscriptions(database))
  const [own, other] = [newId('organization', NOW), newId('organization', NOW)]
  for (const id of [own, other])
    await database.tx((tx) =>
      tx
        .insertInto('organization')
        .values({ id, name: id, plan: 'free', flags: '{}', created_at: NOW })
        .execute(),
    )
  const publish = () =>
    database.brief((tx) =>
      publishAll(tx, [{ now: NOW, fact: { organizationId: own, type: 'file.processed', data: {} } }]),
    )
  // The second one is planned: by then something is assumed.
  for (let times = 0; times < 2; times += 1) await publish()
  await writeWebhooks(database, other, CLAIMED, NOW)
  const read = async () => {
    const { rows } = await sql<{ looks: string; entries: string; whole: string }>`
      select (select sum(idx_scan) from pg_stat_user_indexes where relname = 'webhook') as looks,
        (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'webhook') as entries,
        (select seq_tup_read from pg_stat_user_tables where relname = 'webhook') as whole`.execute(
      database.db,
    )
    const [row] = rows
    return { looks: Number(row?.looks), looked: Number(row?.entries) + Number(row?.whole) }
  }
  const before = await read()
  for (let times = 0; times < SETTLED; times += 1) await publish()
  await database.brief((tx) => tell.execute(tx))
  const after = await until(read, ({ looks }) => looks > before.looks)
  assert.ok(after.looked - before.looked < CLAIMED, `${after.looked - before.looked} read`)
})
