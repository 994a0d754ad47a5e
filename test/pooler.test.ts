import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { SECOND, systemClock, turn } from '#src/core/clock.ts'
import { createHosts } from '#src/db/postgres/hosts.ts'
import { openPool } from '#src/db/postgres/pool.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { administrator, apiKey, member } from './support/people.ts'
import { noPooler, poolers, startPooler } from './support/pgbouncer.ts'
import { freshStore, type Options, type Postern, postern, startPostern } from './support/postern.ts'
import { startProcess } from './support/process.ts'
import { clockWithoutPolls } from './support/processes.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { advanceAtRest } from './support/rest.ts'
import { refusedStart, startHere } from './support/start-here.ts'
import { PATIENCE, until, within } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }

/** So few that each of them passes from hand to hand. */
const SESSIONS = 3

/** What a test has started. */
const endings: (() => Promise<unknown>)[] = []

/** An empty database behind a pooler, and what starts Posterns on it. */
async function behindPooler(path: string) {
  const store = await freshStore('postgres')
  const direct = store.DATABASE_URL ?? ''
  const pooler = await startPooler(path, direct, SESSIONS)
  endings.push(pooler.stop)
  const env0 = { ...store, DATABASE_URL: pooler.url }
  const start = async (options: Options = {}): Promise<Postern> => {
    const started = await startPostern('postgres', { env0, ...options })
    let stopped: Promise<void> | undefined
    const once = { ...started, stop: () => (stopped ??= started.stop()) }
    endings.push(once.stop)
    return once
  }
  return { direct, env: env0, start }
}

async function receiver(): Promise<Receiver> {
  const started = await startReceiver()
  endings.push(() => started.stop())
  return started
}

/** What PostgreSQL itself says. */
async function asks(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Settings that the pooler itself restores for each client. */
const OF_POOLER = [
  'application_name',
  'client_encoding',
  'DateStyle',
  'IntervalStyle',
  'standard_conforming_strings',
  'TimeZone',
]

/** Settings, prepared statements and channels on the sessions that the pooler hands out, all of them at once. */
async function leftOnSessions(url: string): Promise<unknown[]> {
  const clients = Array.from({ length: SESSIONS }, () => new pg.Client({ connectionString: url }))
  const left: unknown[] = []
  for (const client of clients) {
    await client.connect()
    await client.query('begin')
  }
  for (const client of clients) {
    const { rows } = await client.query(`
      select name from pg_settings where source = 'session'
      union all select statement from pg_prepared_statements
      union all select pg_listening_channels()`)
    left.push(...rows.map(({ name }) => name).filter((name) => !OF_POOLER.includes(name)))
  }
  for (const client of clients) await client.end()
  return left
}

/** An organization that has published an event to a receiver. */
async function published(server: Postern): Promise<{ destination: Receiver }> {
  const destination = await receiver()
  const calls = callsOf(server, await apiKey(server, await administrator(server)))
  const made = await calls.post('/v1/webhooks', { url: destination.url, events: [EVENT.type] })
  assert.equal(made.status, 201, made.text)
  assert.equal((await calls.post('/v1/events', EVENT)).status, 202)
  return { destination }
}

describe('behind a pooler that gives a session to each transaction anew', { skip: noPooler }, () => {
  for (const { path, version } of poolers) {
    describe(`PgBouncer ${version}`, () => {
      afterEach(async () => {
        for (const end of endings.splice(0).reverse()) await end()
      })

      it('people sign up, and what is published arrives, however many do so at once', async () => {
        const { start, direct } = await behindPooler(path)
        const server = await start()
        const admin = await administrator(server)
        await Promise.all([member(server, admin), member(server, admin), member(server, admin)])
        const destination = await receiver()
        const calls = callsOf(server, await apiKey(server, admin))
        assert.equal(
          (await calls.post('/v1/webhooks', { url: destination.url, events: [EVENT.type] })).status,
          201,
        )
        const published = await Promise.all(Array.from({ length: 60 }, () => calls.post('/v1/events', EVENT)))
        assert.deepEqual([...new Set(published.map(({ status }) => status))], [202])
        const received = await destination.count(60)
        assert.deepEqual(
          received.map(({ event }) => event.id).sort(),
          published.map(({ body }) => body.id).sort(),
        )
        assert.doesNotMatch(server.log(), /"level":[56]0/)
        assert.deepEqual(await leftOnSessions(server.env.DATABASE_URL ?? ''), [])
        const locks = `select 1 from pg_locks join pg_database on pg_database.oid = database
          where locktype = 'advisory' and datname = current_database()`
        assert.deepEqual(await asks(direct, locks), [])
      })

      it('without another address the processes look for what was accepted elsewhere', async () => {
        const { start } = await behindPooler(path)
        const api = await start({ env: { ROLE: 'api' } })
        const worker = await start({ env: { ROLE: 'worker' } })
        const { destination } = await published(api)
        await until(
          async () => {
            await advanceAtRest(worker, SECOND)
            return destination.received.length
          },
          (calls) => calls > 0,
          { what: 'somebody to look for the delivery' },
        )
      })

      it('with DATABASE_DIRECT_URL they hear of it at once, and need not look', async () => {
        const { start, direct } = await behindPooler(path)
        const env = { DATABASE_DIRECT_URL: direct }
        const api = await start({ env: { ...env, ROLE: 'api' } })
        await start({ env: { ...env, ROLE: 'worker' }, clock: clockWithoutPolls() })
        const { destination } = await published(api)
        await destination.count(1)
      })

      it('doctor says which way the connections go, and what that costs', async () => {
        const { direct, env, start } = await behindPooler(path)
        await (await start()).stop()
        const pooler = async (more: Record<string, string>) =>
          (await postern({ env: { ...env, ...more } }, 'doctor')).out.match(/^.*Pooler.*$/m)?.[0]
        assert.match((await pooler({})) ?? '', /^warning +Pooler +one, and no DATABASE_DIRECT_URL: /)
        assert.match(
          (await pooler({ DATABASE_DIRECT_URL: direct })) ?? '',
          /^ok +Pooler +one; .* by DATABASE_DIR/,
        )
        assert.match((await pooler({ DATABASE_URL: direct })) ?? '', /^ok +Pooler +none; /)
        assert.match(
          (await pooler({ DATABASE_DIRECT_URL: `${env.DATABASE_URL}?application_name=x` })) ?? '',
          /^problem +Pooler +DATABASE_DIRECT_URL hears no notification/,
        )
      })

      it('refuses to make tables in another database than the one behind it', async () => {
        const { env } = await behindPooler(path)
        const other = await freshStore('postgres')
        const wrong = { ...env, DATABASE_DIRECT_URL: other.DATABASE_URL ?? '' }
        const { code, err } = await postern({ env: wrong }, 'migrate')
        assert.deepEqual(
          [code, err],
          [1, 'DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Nothing was changed.'],
        )
        assert.deepEqual(
          await asks(other.DATABASE_URL ?? '', "select 1 from pg_tables where tablename = 'meta'"),
          [],
        )
      })

      it('says in words that it takes no parameters of PostgreSQL', async () => {
        const { env } = await behindPooler(path)
        const { code, err } = await postern(
          { env: { ...env, DATABASE_URL: `${env.DATABASE_URL}?options=-c%20work_mem%3D64MB` } },
          'mail',
        )
        assert.equal(code, 1)
        assert.match(
          err,
          /^What DATABASE_URL leads to refuses it \(unsupported startup parameter.*: leave them out\.$/,
        )
      })

      it('the key is not changed while a server is there, whichever way each of them came', async () => {
        const { direct, env } = await behindPooler(path)
        const past = { ...env, DATABASE_URL: direct }
        for (const [serving, changing] of [
          [env, env],
          [past, env],
          [env, past],
        ] as const) {
          const server = await startHere(serving)
          assert.notEqual(server.url, '')
          const refused = await postern({ env: changing }, 'rotate-key')
          assert.equal(refused.code, 1, refused.out)
          assert.match(refused.err, /^Postern runs on this database\. Stop all of its processes first\.$/)
          assert.equal((await server.end()).code, 0)
          const changed = await postern({ env: changing }, 'rotate-key')
          assert.equal(changed.code, 0, changed.err)
        }
      })

      it('a server that was killed is counted as there for 15 seconds, and no longer', async () => {
        const { direct, env } = await behindPooler(path)
        const server = await startProcess(env)
        await server.kill()
        const left = '(alive_until - extract(epoch from clock_timestamp()) * 1000)::int'
        const [row] = await asks(direct, `select ${left} as left from presence`)
        assert.ok(Number(row?.left) <= 15 * SECOND, `${row?.left} ms`)
        // The rest of that time, made shorter.
        await asks(direct, `update presence set alive_until = alive_until - ${left} + ${SECOND}`)
        const changed = await postern({ env }, 'rotate-key')
        assert.equal(changed.code, 0, changed.err)
      })

      it('a statement that is not answered is given up after 40 seconds, with its connection', async (context) => {
        const { env } = await behindPooler(path)
        const { connections, ownsSessions } = openPool(createHosts(env.DATABASE_URL), {
          name: 'a test',
          size: 1,
          onConnectionError() {},
        })
        await sql`select 1`.execute(connections)
        assert.equal(ownsSessions(), false)
        context.mock.timers.enable({ apis: ['setTimeout'] })
        let failed: unknown
        const asked = sql`select pg_sleep(${PATIENCE / SECOND})`
          .execute(connections)
          .catch((error: unknown) => {
            failed = error
          })
        for (let turns = 0; turns < 100; turns += 1) await turn()
        context.mock.timers.tick(40 * SECOND - 1)
        for (let turns = 0; turns < 100; turns += 1) await turn()
        assert.equal(failed, undefined)
        context.mock.timers.tick(1)
        context.mock.timers.reset()
        await within('the statement to be given up', asked)
        assert.match(String(failed), /Query read timeout/)
        await within('another connection', sql`select 1`.execute(connections))
        await connections.destroy()
      })

      it('no server starts while the key is changed, whichever way each of them came', async () => {
        const { direct, env } = await behindPooler(path)
        await postern({ env }, 'migrate')
        const past = { ...env, DATABASE_URL: direct }
        for (const [serving, changing] of [
          [env, env],
          [past, env],
          [env, past],
        ] as const) {
          const engine = openPostgres(changing.DATABASE_URL, { clock: systemClock, onConnectionError() {} })
          await engine.claimAlone('postern rotate-key')
          assert.match(
            (await refusedStart(serving)).err,
            /"postern rotate-key" is at work on the database "\w+" since .*\. Wait until it has ended, then try again\./,
          )
          await engine.close()
        }
      })
    })
  }
})
