import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { SECOND } from '#src/core/clock.ts'
import { administrator, apiKey } from './support/people.ts'
import { startPostern } from './support/postern.ts'
import { startPostgres } from './support/postgres.ts'
import { startReceiver } from './support/receiver.ts'
import { advanceAtRest } from './support/rest.ts'
import { callsOf, until } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const EVENTS = 4
/** The clock moves only while more than this is left of the lease. */
const LEASE_LEFT = 12 * SECOND

describe('deliveries in flight while PostgreSQL is killed', () => {
  it('are not sent again by the process that lives on: their claims were on the disk', async () => {
    const server = await startPostgres({ isDurable: true })
    await ask(`${server.url}/postgres`, 'create database postern')
    await ask(
      `${server.url}/postgres`,
      `alter system set wal_writer_delay = '10s'`,
      'select pg_reload_conf()',
    )
    const postern = await startPostern('postgres', {
      env0: { DATABASE_URL: `${server.url}/postern`, SECRET_KEY: 'k'.repeat(43) },
    })
    const destination = await startReceiver()
    // Each needs what comes after it.
    after(async () => {
      for (const part of [postern, destination, server]) await part.stop()
    })
    const calls = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const made = await calls.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })
    const deliveries = async () => {
      const { body } = await calls.get(`/v1/webhooks/${made.body.id}/deliveries?limit=100`)
      return (body.data ?? []) as { status: string; attemptCount: number }[]
    }
    destination.answer = (_call, response) => void response.writeHead(503).end()
    // No retry is due before it is to be held.
    const stopped = postern.clock.stop()
    for (let count = 0; count < EVENTS; count += 1)
      assert.equal((await calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })).status, 202)
    await until(
      deliveries,
      (rows) => rows.length === EVENTS && rows.every(({ attemptCount }) => attemptCount === 1),
      {
        what: 'one attempt of each',
      },
    )
    // After this the log writer rests for ten seconds: only commits that wait for the disk reach it.
    await ask(`${server.url}/postgres`, 'set synchronous_commit = off', 'create table nudge (value integer)')
    const held: (() => void)[] = []
    destination.answer = (_call, response) => void held.push(() => response.writeHead(204).end())
    postern.clock.advance(2 * SECOND)
    stopped[Symbol.dispose]()
    await destination.count(EVENTS + 1)
    await server.kill()
    await server.restart()
    destination.answer = (_call, response) => void response.writeHead(204).end()
    for (const answer of held) answer()
    const aliveUntil = async () => {
      const rows = await ask<{ until: string }>(
        `${server.url}/postern`,
        `select max(alive_until) as until from worker`,
      )
      return Number(rows[0]?.until)
    }
    await until(
      async () => {
        // No faster than it keeps its lease: without that it would rightly send again what it has in hand.
        if ((await aliveUntil()) - postern.clock.now() > LEASE_LEFT) await advanceAtRest(postern, SECOND)
        return deliveries()
      },
      (rows) => rows.length === EVENTS && rows.every(({ status }) => status === 'delivered'),
      { what: 'every delivery to be delivered' },
    )
    assert.equal(destination.received.length, 2 * EVENTS)
  })
})

/** What the last statement answers. */
async function ask<Row extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let answered: Row[] = []
  for (const statement of statements) answered = (await client.query<Row>(statement)).rows
  await client.end()
  return answered
}
