import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { readConfig } from '#src/config/config.ts'
import { SECOND, systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { type Database, openDatabase } from '#src/db/database.ts'
import { renewSecret } from '#src/delivery/attempt/secrets.ts'
import { newDelivery } from '#src/delivery/publish/new-delivery.ts'
import { insertDeliveries } from '#src/delivery/queue/delivery-row.ts'
import { PACE } from '#src/jobs/lease/lease.ts'
import { connectTo, countLocked } from '../support/locks.ts'
import { writeWebhooks } from '../support/many-webhooks.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey, newEmail } from '../support/people.ts'
import { onBothEngines, type Postern, startPostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { advanceAtRest } from '../support/rest.ts'
import { startSlowLink } from '../support/slow-link.ts'
import { PATIENCE, until, within } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

/** Webhooks with a backlog. */
const WEBHOOKS = 800
/** The latency of a database in another city, in milliseconds. */
const AWAY = 10

/** Stops a Postern whose webhooks each have a waiting delivery. */
async function leaveBacklog(postern: Postern, destination: Receiver): Promise<void> {
  const { organizationId } = await administrator(postern)
  const { vault } = postern.app
  await postern.stop()
  const database = await openDatabase({
    ...readConfig(postern.env).store,
    clock: systemClock,
    report() {},
    onConnectionError() {},
  })
  try {
    await write(database, organizationId as Id<'organization'>)
  } finally {
    await database.close()
  }

  async function write(database: Database, organizationId: Id<'organization'>): Promise<void> {
    const now = systemClock.now()
    const life = { status: 'active' as const, url: destination.url }
    const ids = await writeWebhooks(database, organizationId, WEBHOOKS, now, life)
    const named = { id: newId('event', now), organization_id: organizationId, type: 'agent.run.completed' }
    const event = { ...named, body: Buffer.from('{"id":"one"}'), hops: 0, created_at: now }
    await database.tx(async (tx) => {
      await tx.insertInto('event').values(event).execute()
      for (const id of ids) await renewSecret(tx, vault, id, now)
      await insertDeliveries(
        tx,
        ids.map((id) => newDelivery(event, id, new Map(), now)),
      )
    })
  }
}

onBothEngines('a start with a large backlog', (engine) => {
  const cleanups: (() => Promise<unknown>)[] = []
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  })

  // A file has no latency, so by day only the remote database is tested.
  const declare = engine === 'postgres' || IS_NIGHTLY ? it : () => {}
  declare(`delivers to ${WEBHOOKS} webhooks over a slow link to the database, without an error`, async () => {
    const destination = await startReceiver()
    cleanups.push(() => destination.stop())
    const first = await startPostern(engine)
    await leaveBacklog(first, destination)
    const { DATA_DIR = '', DATABASE_URL } = first.env
    const env: Record<string, string> = { DATA_DIR }
    if (DATABASE_URL !== undefined) {
      const url = new URL(DATABASE_URL)
      const link = await startSlowLink(url.hostname, Number(url.port), AWAY)
      cleanups.push(() => link.stop())
      url.port = String(link.port)
      url.hostname = '127.0.0.1'
      env.DATABASE_URL = url.href
    }
    const second = await startPostern(engine, { env0: env })
    cleanups.push(() => second.stop())
    const received = await destination.count(WEBHOOKS)
    assert.equal(new Set(received.map(({ headers }) => headers['x-service-delivery'])).size, WEBHOOKS)
    assert.doesNotMatch(second.log(), /"level":50/)
  })

  it('succeeds although its first poll fails, and sends when the table is readable again', async () => {
    const destination = await startReceiver()
    cleanups.push(() => destination.stop())
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const first = await startPostern(engine)
    const key = await apiKey(first, await administrator(first))
    const calls = callsOf(first, key)
    await calls.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })
    assert.equal((await calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })).status, 202)
    await destination.count(1)
    await first.stop()
    const before = destination.received.length
    const { DATA_DIR = '', DATABASE_URL } = first.env
    const rename = await renamer(DATA_DIR, DATABASE_URL)
    cleanups.push(rename.end)
    await rename.run('alter table delivery rename to away')
    const second = await startPostern(engine, {
      env0: { DATA_DIR, ...(DATABASE_URL !== undefined && { DATABASE_URL }) },
    })
    cleanups.push(() => second.stop())
    const failed = () => second.log().includes('"level":50')
    await until(failed, Boolean, { what: 'a look that fails' })
    assert.equal((await second.client().get('/livez')).status, 200)
    const invited = await callsOf(second, key).post('/v1/invitations', { email: newEmail() })
    assert.equal(invited.status, 201, invited.text)
    destination.answer = (_call, response) => void response.writeHead(204).end()
    await rename.run('alter table away rename to delivery')
    await until(
      async () => {
        await advanceAtRest(second, PACE.poll)
        return destination.received.length
      },
      (count) => count > before,
      { what: 'the delivery that was due' },
    )
  })
})

/** Renames tables by a separate connection to a database. */
async function renamer(dataDir: string, databaseUrl: string | undefined) {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, 'postern.db'), { timeout: PATIENCE })
    // References to the table keep its name.
    database.exec('pragma legacy_alter_table=on; pragma foreign_keys=off')
    return { run: async (statement: string) => database.exec(statement), end: async () => database.close() }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return { run: async (statement: string) => void (await client.query(statement)), end: () => client.end() }
}

/** A store with a table that another session of PostgreSQL has locked. */
async function lockedStore(table: 'webhook' | 'delivery') {
  const first = await startPostern('postgres')
  const token = await apiKey(first, await administrator(first))
  await first.stop()
  const { DATA_DIR = '', DATABASE_URL = '' } = first.env
  const [holder, observer] = [await connectTo(first), await connectTo(first)]
  await holder.query('begin')
  await holder.query(`lock table ${table} in access exclusive mode`)
  const hanging = () => countLocked(observer)
  return {
    env0: { DATA_DIR, DATABASE_URL },
    token,
    observer,
    hanging,
    untilHanging: () => until(hanging, (count) => count >= 1, { what: 'a first look that hangs' }),
    free: () => holder.query('rollback'),
    end: () => Promise.all([holder.end(), observer.end()]),
  }
}

describe('a start whose first poll hangs', () => {
  it('can be stopped at once, without a wait for the statement', async () => {
    // The table that the first poll reads. The tables for ending a worker's claims are not locked.
    const { env0, untilHanging, free, end } = await lockedStore('webhook')
    try {
      const postern = await startPostern('postgres', { env0 })
      const ending = untilHanging().then(() =>
        // A statement is given up after 30 s.
        within('it to end', postern.stop(), { patience: 20 * SECOND }),
      )
      await ending.finally(free)
      assert.doesNotMatch(postern.log(), /"level":50/)
    } finally {
      await end()
    }
  })

  it('succeeds: the process keeps its lease, sends mails, and can be stopped', async () => {
    const { env0, token, observer, hanging, untilHanging, free, end } = await lockedStore('delivery')
    const postern = await startPostern('postgres', { env0 })
    try {
      await untilHanging()
      const aliveUntil = async () => {
        const answer = await observer.query('select max(alive_until) as until from worker')
        return Number(answer.rows[0].until)
      }
      const begun = await aliveUntil()
      for (let beats = 1; beats <= 5; beats += 1) {
        postern.clock.advance(PACE.heartbeat)
        await until(aliveUntil, (now) => now >= begun + beats * PACE.heartbeat, { what: 'a heartbeat' })
      }
      const email = newEmail()
      const answer = await postern.client().post('/v1/invitations', { email }, { token })
      assert.equal(answer.status, 201, answer.text)
      await postern.mailbox.next(email)
      assert.equal((await postern.client().get('/readyz')).status, 200)
      assert.ok((await hanging()) >= 1, 'the first look has ended meanwhile')
      await free()
      const { rows: workers } = await observer.query('select id from worker where alive_until > $1', [
        postern.clock.now() - SECOND,
      ])
      assert.equal(workers.length, 1)
    } finally {
      await end()
      await postern.stop()
    }
  })
})
