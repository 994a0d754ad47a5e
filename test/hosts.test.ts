import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { readConfig } from '#src/config/config.ts'
import { type Millis, pause, SECOND, systemClock } from '#src/core/clock.ts'
import { openDatabase } from '#src/db/database.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { createPublishers } from '#src/delivery/publish/publishers.ts'
import { administrator, apiKey } from './support/people.ts'
import { freshStore, type Postern, postern, readyStore, startPostern } from './support/postern.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { advanceAtRest } from './support/rest.ts'
import { within } from './support/waits.ts'
import { callsOf, readAll, until } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }
/** Of each publisher of a load after an event: more than it proves costs. */
const LOAD_PAUSE: Millis = 20

/** What a suite has started, which ends with it. */
function useEndings(): (() => Promise<unknown>)[] {
  const endings: (() => Promise<unknown>)[] = []
  after(async () => {
    for (const end of endings.reverse()) await end()
  })
  return endings
}

/** What one PostgreSQL says by itself. */
async function ask(server: PostgresServer, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: `${server.url}/postgres` })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

const nameOf = (server: PostgresServer) => new URL(server.url).host

/** The address that names these hosts, in this order. */
const addressOf = (...servers: PostgresServer[]) =>
  `postgres://postern@${servers.map(nameOf).join(',')}/postgres`

/** Lets commits wait until a standby has them; '' lets them wait for none. */
const waitFor = (server: PostgresServer, standbys: string) =>
  ask(server, `alter system set synchronous_standby_names = '${standbys}'`, 'select pg_reload_conf()')

describe('a database with a standby', () => {
  const endings = useEndings()
  let one: PostgresServer
  let two: PostgresServer
  let server: Postern
  let destination: Receiver
  let key = ''

  before(async () => {
    one = await startPostgres()
    endings.push(() => one.stop())
    two = await startPostgres({ standbyOf: one })
    endings.push(() => two.stop())
    destination = await startReceiver()
    endings.push(() => destination.stop())
    const store = await freshStore('sqlite')
    server = await startPostern('postgres', { env0: { ...store, DATABASE_URL: addressOf(two, one) } })
    endings.push(() => server.stop())
    key = await apiKey(server, await administrator(server))
    const calls = callsOf(server, key)
    const made = await calls.post('/v1/webhooks', { url: destination.url, events: [EVENT.type] })
    assert.equal(made.status, 201, made.text)
  })

  const publish = () => callsOf(server, key).post('/v1/events', EVENT)
  const host = async () => {
    const { body } = await server.client().get('/readyz')
    return String(body.checks.databaseHost)
  }
  const doctor = async () => (await postern(server, 'doctor')).out
  const arrived = (ids: string[]) =>
    until(
      async () => {
        // The outcome of a commit may be unknown after its connection has died; the next poll finds out.
        await advanceAtRest(server, SECOND)
        return new Set(destination.received.map(({ event }) => event.id))
      },
      (there) => ids.every((id) => there.has(id)),
      { what: 'all that was acknowledged to arrive' },
    )

  it('is used by the host that takes writes, wherever that stands in the address', async () => {
    const { status, body } = await publish()
    assert.equal(status, 202)
    await arrived([body.id])
    assert.match(await host(), /^2 of 2, since \d{4}-/)
    assert.match(server.log(), new RegExp(`"host":"${nameOf(one)}","msg":"the host of PostgreSQL that takes`))
    const commands = await postern(server, 'organizations')
    assert.deepEqual([commands.code, commands.err], [0, ''])
    const found = await doctor()
    assert.match(
      found,
      new RegExp(`^ok +Hosts +DATABASE_URL uses ${nameOf(one)}; ${nameOf(two)} takes no writes$`, 'm'),
    )
    assert.match(found, /^warning +Durability +walreceiver follow asynchronously \(\d+ bytes behind\): /m)
    assert.match(found, /^problem +Durability +fsync is off: /m)
  })

  it('acknowledges nothing whose wait for a standby was cut off, and goes on when that follows', async () => {
    await waitFor(one, 'nobody')
    const found = await doctor()
    assert.match(found, /^problem +Durability +a commit waits for nobody, and no such standby follows: /m)
    let answered: { status: number; body: { error?: { code: string } } } | undefined
    const answer = publish().then((it) => {
      answered = it
      return it
    })
    await until(
      async () => {
        // Heartbeats wait as well, and may be cut off like anything else.
        await ask(one, `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
        return answered
      },
      (it) => it !== undefined,
    )
    const { status, body } = await answer
    assert.deepEqual([status, body.error.code], [500, 'PROCESSING_FAILED'])
    await waitFor(one, 'walreceiver')
    const next = await publish()
    assert.equal(next.status, 202)
    await arrived([next.body.id])
    await until(doctor, (it) =>
      /^ok +Durability +a commit waits for walreceiver: walreceiver \(sync\)$/m.test(it),
    )
  })

  it('is followed to the host that is promoted while the former one becomes a standby', async () => {
    await one.demote(two)
    const refused = await publish()
    assert.equal(refused.body.error.code, 'RATE_LIMITED')
    assert.match(server.log(), /No host of DATABASE_URL takes writes: /)
    await ask(two, 'select pg_promote()')
    const { body } = await until(publish, ({ status }) => status === 202)
    await arrived([body.id])
    assert.match(await host(), /^1 of 2, since /)
    assert.match(
      server.log(),
      new RegExp(`"host":"${nameOf(two)}","before":"${nameOf(one)}","msg":"another host of PostgreSQL`),
    )
    const found = await doctor()
    assert.match(
      found,
      new RegExp(`^ok +Hosts +DATABASE_URL uses ${nameOf(two)}; ${nameOf(one)} takes no writes$`, 'm'),
    )
    // No connection is left at the standby, neither for writes nor to listen.
    const connected = () =>
      ask(one, `select application_name from pg_stat_activity where application_name like 'postern%'`)
    await until(connected, ({ length }) => length === 0)
  })

  it('loses nothing that was acknowledged when the primary is killed under load', async () => {
    await waitFor(two, 'walreceiver')
    const acknowledged: string[] = []
    let isOver = false
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, body } = await publish()
        if (status === 202) acknowledged.push(body.id)
        else assert.ok(status === 500 || status === 429, `${status}`)
        await pause(LOAD_PAUSE)
      }
    })
    await until(
      () => acknowledged.length,
      (count) => count >= 100,
    )
    await two.kill()
    // The standby becomes the primary, with the log that it has received.
    await ask(one, 'select pg_promote()')
    const before = acknowledged.length
    await until(
      () => acknowledged.length,
      (count) => count >= before + 50,
    )
    isOver = true
    await Promise.all(load)
    const written = await readAll(callsOf(server, key), `/v1/events?type=${EVENT.type}`)
    const ids = new Set(written.map(({ id }) => id))
    assert.deepEqual(
      acknowledged.filter((id) => !ids.has(id)),
      [],
    )
    await arrived(acknowledged)
    assert.match(await host(), /^2 of 2, since /)
    const found = await doctor()
    assert.match(
      found,
      new RegExp(`^ok +Hosts .* uses ${nameOf(one)}; ${nameOf(two)} cannot be reached \\(ECONN`, 'm'),
    )
    assert.match(found, /^warning +Hosts +a host of DATABASE_URL cannot be reached: /m)
  })

  it('wakes other processes by the host that is used now', async () => {
    const { DATA_DIR = '', DATABASE_URL = '' } = server.env
    const api = await startPostern('postgres', { env0: { DATA_DIR, DATABASE_URL }, env: { ROLE: 'api' } })
    const calls = destination.received.length
    const { status } = await callsOf(api, key).post('/v1/events', EVENT)
    assert.equal(status, 202)
    await destination.count(calls + 1)
    await api.stop()
  })
})

describe('a host that takes no writes any more under open connections', () => {
  const endings = useEndings()
  it('is left after one refusal, and is not written to again', async () => {
    const former = await startPostgres()
    endings.push(() => former.stop())
    const next = await freshStore('postgres')
    const url = new URL(next.DATABASE_URL ?? '')
    const database = url.pathname.slice(1)
    await ask(former, `create database ${database}`)
    const changes: unknown[] = []
    const engine = openPostgres(`postgres://postern@${nameOf(former)},${url.host}/${database}`, {
      clock: systemClock,
      size: 5,
      onConnectionError() {},
      onHost: (...change) => void changes.push(change),
    })
    endings.push(() => engine.close())
    const port = () =>
      engine.tx(
        async (tx) => (await sql<{ port: number }>`select inet_server_port() as port`.execute(tx)).rows,
      )
    // One connection for requests and one for background work; both stay open to this host.
    await Promise.all([engine.db, engine.background.db].map((db) => sql`select 1`.execute(db)))
    const write = () => engine.tx((tx) => sql`create table if not exists kept (value integer)`.execute(tx))
    const [before] = await port()
    assert.equal(before?.port, Number(new URL(former.url).port))
    await ask(former, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
    let refused: { code?: string } | undefined
    await until(
      () =>
        write().catch((error: { code?: string }) => {
          refused = error
        }),
      () => refused !== undefined,
      { what: 'the setting to be read by an open connection' },
    )
    assert.equal(refused?.code, '25006')
    await write()
    assert.equal((await port())[0]?.port, Number(url.port))
    const left = () => ask(former, `select 1 from pg_stat_activity where application_name = 'postern'`)
    await until(left, ({ length }) => length === 0)
    assert.deepEqual(changes, [
      [nameOf(former), undefined],
      [url.host, nameOf(former)],
    ])
    await engine.close()
  })
})

describe('hosts that do not answer', () => {
  const endings = useEndings()
  it('hold up neither the start nor each other', async () => {
    const { createServer } = await import('node:net')
    const sockets = new Set<import('node:net').Socket>()
    const silent = createServer((socket) => void sockets.add(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    endings.push(async () => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const store = await freshStore('postgres')
    const DATABASE_URL = (store.DATABASE_URL ?? '').replace('@', `@127.0.0.1:${port},`)
    const { code, err } = await within(
      'a command to end',
      postern({ env: { ...store, DATABASE_URL } }, 'migrate'),
      { patience: 30 * SECOND },
    )
    assert.equal(code, 0, err)
    const none = await postern(
      { env: { ...store, DATABASE_URL: `postgres://u:hunter2@127.0.0.1:1,127.0.0.1:${port}/x` } },
      'migrate',
    )
    assert.equal(none.code, 1)
    assert.match(
      none.err,
      new RegExp(
        `^No host of DATABASE_URL takes writes: 127\\.0\\.0\\.1:1 cannot be reached \\(ECONNREFUSED\\); 127\\.0\\.0\\.1:${port} cannot be reached \\(.*\\)\\. Look whether the cluster has a primary\\.$`,
      ),
    )
    assert.doesNotMatch(none.err, /hunter2/)
  })
})

describe('the number of a publisher', () => {
  const endings = useEndings()
  it('is not remembered beyond a change of the host, after which it may be given to another', async () => {
    const store = await readyStore('postgres')
    const database = await openDatabase({
      ...readConfig(store).store,
      clock: systemClock,
      report() {},
      onConnectionError() {},
    })
    endings.push(() => database.close())
    const postern = await startPostern('postgres', { env0: store })
    const [one, other] = [await administrator(postern), await administrator(postern)]
    await postern.stop()
    let since = 1
    const publishers = createPublishers({ ...database, host: () => ({ place: 1, of: 2, since }) })
    const numberOf = ({ organizationId }: typeof one) =>
      publishers.numberOf({ organizationId: organizationId as never, actorId: 'svc_1' })
    const before = await numberOf(one)
    // As the next primary has it that never got the last commits.
    await database.tx((tx) => sql`truncate publisher restart identity`.execute(tx))
    assert.equal(await numberOf(one), before, 'remembered')
    since = 2
    assert.equal(await numberOf(other), 1)
    assert.equal(await numberOf(one), 2)
  })
})
