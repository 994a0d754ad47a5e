import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Millis, pause, SECOND, stopwatch, toIso } from '#src/core/clock.ts'
import { inspectStandby } from '#src/db/database.ts'
import { childrenOf } from './support/children.ts'
import { connectMcp } from './support/mcp-client.ts'
import { administrator, apiKey, type Person } from './support/people.ts'
import { freshStore, OPERATOR_TOKEN, type Postern, postern, startPostern } from './support/postern.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { until } from './support/waits.ts'
import { type Calls, callsOf } from './support/webhook-calls.ts'

const urlOf = ({ url }: PostgresServer) => `${url}/postgres`

const hostOf = ({ url }: PostgresServer) => new URL(url).host

const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

const asOf = ({ headers }: { headers: Headers }) => headers.get('data-as-of')

/** The primary answers where a standby is further behind. */
const MOST_BEHIND = 10 * SECOND
/** The least time between two exchanges of standbys that are behind. */
const NEXT_EXCHANGE = 30 * SECOND

type Listed = Awaited<ReturnType<Calls['get']>>

/**
 * A list of a standby whose replay was stopped at a moment; or of the primary, once the standby is too far behind, as on a machine that
 * is so busy that comparisons fail.
 */
function stoppedList(server: Postern, list: () => Promise<Listed>, stoppedAt: Millis): Promise<Listed> {
  const isOver = (seen: Listed) => asOf(seen) !== null || server.clock.now() > stoppedAt + MOST_BEHIND
  return until(list, isOver, { what: 'a list of the stopped standby, or its lag' })
}

/** Asserts that a list has a webhook, or names a moment that is not later than the webhook. */
function assertHonest(seen: Listed, webhook: string, before: Millis): void {
  const isOlder = (asOf(seen) ?? '~') <= toIso(before)
  assert.ok(idsOf(seen).includes(webhook) || isOlder, `a list of ${asOf(seen)} lacks an older webhook`)
}

const WEBHOOK = { url: 'https://receiver.test/hook', events: ['agent.run.completed'] }

const endings: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of endings.reverse()) await end()
})

async function ask({ url }: PostgresServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('lists of a server whose database has a standby', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let server: Postern
  let person: Person
  let key: string
  let program: Calls

  const create = async () => (await program.post('/v1/webhooks', WEBHOOK)).body.id as string
  const list = async () => {
    const answer = await program.get('/v1/webhooks?limit=100')
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const byStandby = () => until(list, (answer) => asOf(answer) !== null, { what: 'a list from the standby' })
  const byPrimary = () => until(list, (answer) => asOf(answer) === null, { what: 'a list from the primary' })
  const doctor = async () => (await postern(server, 'doctor')).out

  before(async () => {
    primary = await startPostgres()
    endings.push(() => primary.stop())
    standby = await startPostgres({ standbyOf: primary })
    endings.push(() => standby.stop())
    const env0 = {
      ...(await freshStore('sqlite')),
      ...{ DATABASE_URL: urlOf(primary), DATABASE_STANDBY_URL: urlOf(standby), OPERATOR_TOKEN },
    }
    server = await startPostern('postgres', { env0 })
    endings.push(() => server.stop())
    person = await administrator(server)
    key = await apiKey(server, person)
    program = callsOf(server, key)
  })

  it('are answered by the standby for programs, and say up to which moment; by the primary for persons', async () => {
    const id = await create()
    const acknowledged = server.clock.now()
    const answer = await until(byStandby, (seen) => idsOf(seen).includes(id), {
      what: 'the standby to have the webhook',
    })
    assert.equal(answer.status, 200)
    const later = await until(byStandby, (seen) => (asOf(seen) ?? '') > toIso(acknowledged), {
      what: 'a later moment',
    })
    assert.ok(idsOf(later).includes(id))
    assert.ok((asOf(later) ?? '') <= toIso(server.clock.now()))
    const own = await callsOf(server, person.token).get('/v1/webhooks')
    assert.deepEqual([own.status, asOf(own)], [200, null])
    const one = await program.get(`/v1/webhooks/${id}`)
    assert.deepEqual([one.status, asOf(one)], [200, null])
    const operator = callsOf(server, OPERATOR_TOKEN)
    const all = await until(
      () => operator.get('/v1/operator/organizations'),
      (seen) => asOf(seen) !== null,
      { what: 'the operator’s list from the standby' },
    )
    assert.equal(all.status, 200)
    assert.match(await doctor(), /^ok +Standby +it answers lists of programs, \d+ ms behind$/m)
    assert.match(server.log(), /"msg":"the standby answers lists"/)
    for (const path of ['events', 'deliveries', 'audit-log', 'runs', 'files']) {
      const page = await until(
        () => program.get(`/v1/${path}`),
        (seen) => asOf(seen) !== null,
        { what: `${path} from the standby` },
      )
      assert.equal(page.status, 200, path)
    }
    const table = await program.get('/v1/events', { accept: 'text/csv' })
    assert.deepEqual([table.status, asOf(table)], [200, null])
  })

  it('hold everything that was acknowledged before that moment, and a standby that is too far behind answers none', async () => {
    await byStandby()
    await ask(standby, 'select pg_wal_replay_pause()')
    const before = server.clock.now()
    const late = await create()
    // Longer than a position of the standby is used.
    await pause(1_500)
    assertHonest(await stoppedList(server, list, before), late, before)
    // An answer of the MCP server has no header for the moment.
    const mcp = await connectMcp(server.url, key, 'new')
    const { structuredContent } = await mcp.callTool({ name: 'list_webhooks', arguments: { limit: 100 } })
    await mcp.close()
    assert.ok(idsOf({ body: structuredContent as { data: { id: string }[] } }).includes(late))
    // What the standby lacks is asked of the primary.
    const deliveries = await program.get(`/v1/webhooks/${late}/deliveries`)
    assert.deepEqual([deliveries.status, asOf(deliveries)], [200, null])
    server.clock.advance(MOST_BEHIND)
    assert.ok(idsOf(await byPrimary()).includes(late))
    await ask(standby, 'select pg_wal_replay_resume()')
    assert.ok(idsOf(await byStandby()).includes(late))
  })

  it('are answered by the primary while the standby is away, and a right that ends ends there at once', async () => {
    const own = callsOf(server, person.token)
    const { key, id } = (await own.post('/v1/api-keys', { name: 'machine', role: 'administrator' })).body
    await ask(standby, 'select pg_wal_replay_pause()')
    assert.equal((await callsOf(server, key).get('/v1/webhooks')).status, 200)
    assert.equal((await own.delete(`/v1/api-keys/${id}`)).status, 204)
    assert.equal((await callsOf(server, key).get('/v1/webhooks')).status, 401)
    await standby.kill()
    const seen = () => list().then(server.log)
    await until(seen, (text) => text.includes('the standby cannot be used'), { what: 'the log to say so' })
    assert.equal(asOf(await list()), null)
    await standby.restart()
    await byStandby()
  })

  it('are answered by the primary while the standby hangs, with its connections open', async () => {
    await byStandby()
    const main = Number(readFileSync(join(standby.data, 'postmaster.pid'), 'utf8').split('\n')[0])
    const processes = [main, ...childrenOf(main)]
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    try {
      await byPrimary()
      await until(
        () => list().then(server.log),
        (text) => text.includes('it has not ended in 1 s'),
        {
          what: 'the log to say so',
        },
      )
    } finally {
      for (const pid of processes) process.kill(pid, 'SIGCONT')
    }
    await byStandby()
  })

  it('are not read from what is no standby of this database', async () => {
    const other = await startPostgres()
    endings.push(() => other.stop())
    for (const [url, trouble] of [
      [urlOf(primary), 'is no standby'],
      [urlOf(other), 'is a standby of another database'],
      [urlOf(standby).replace(/postgres$/, 'template1'), 'is a standby of another database'],
    ] as const) {
      assert.equal((await inspectStandby(urlOf(primary), url)).trouble, trouble)
    }
    const env = { ...server.env, DATABASE_STANDBY_URL: urlOf(other) }
    assert.match(
      (await postern({ env }, 'doctor')).out,
      /^warning +Standby +DATABASE_STANDBY_URL cannot be used \(is a standby of another database\): /m,
    )
  })

  it('are not read from a standby that has become the primary of another log', async () => {
    await byStandby()
    await ask(standby, 'select pg_promote()')
    const id = await create()
    assert.ok(idsOf(await byPrimary()).includes(id))
    assert.match(server.log(), /"trouble":"is no standby"/)
  })
})

describe('lists of a server whose address of standbys names several hosts', () => {
  let [primary, first, second] = [] as unknown as [PostgresServer, PostgresServer, PostgresServer]
  let server: Postern
  let program: Calls

  const list = async () => {
    const answer = await program.get('/v1/webhooks?limit=100')
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const create = async () => (await program.post('/v1/webhooks', WEBHOOK)).body.id as string
  /** Waits for a list of a standby with the webhook. */
  const byStandby = (id: string, what: string) =>
    until(list, (answer) => asOf(answer) !== null && idsOf(answer).includes(id), { what })

  before(async () => {
    primary = await startPostgres()
    endings.push(() => primary.stop())
    first = await startPostgres({ standbyOf: primary })
    endings.push(() => first.stop())
    second = await startPostgres({ standbyOf: primary })
    endings.push(() => second.stop())
    const standbys = `postgres://postern@${[primary, first, second].map(hostOf).join(',')}/postgres`
    const env0 = {
      ...(await freshStore('sqlite')),
      ...{ DATABASE_URL: urlOf(primary), DATABASE_STANDBY_URL: standbys },
    }
    server = await startPostern('postgres', { env0 })
    endings.push(() => server.stop())
    program = callsOf(server, await apiKey(server, await administrator(server)))
  })

  it('are read from the first that is a standby, and from the next one after it has gone', async () => {
    await byStandby(await create(), 'a list of the first standby')
    assert.match(
      server.log(),
      new RegExp(`"host":"${hostOf(first)}","msg":"the host of PostgreSQL that answers`),
    )
    await first.kill()
    await byStandby(await create(), 'a list of the second standby')
    assert.match(
      server.log(),
      new RegExp(`"host":"${hostOf(second)}","msg":"the host of PostgreSQL that answers`),
    )
    const { out } = await postern(server, 'doctor')
    assert.match(out, new RegExp(`^ok +Hosts +DATABASE_STANDBY_URL uses ${hostOf(second)}; `, 'm'))
    assert.match(out, /^warning +Hosts +a host of DATABASE_STANDBY_URL cannot be reached: /m)
    await first.restart()
  })

  it('never have the moment of one standby and the rows of another', async () => {
    await byStandby(await create(), 'a list of the second standby')
    await ask(first, 'select pg_wal_replay_pause()')
    const before = server.clock.now()
    const late = await create()
    await byStandby(late, 'the second standby to have the webhook')
    const stopped = server.clock.stop()
    // While time stands still, no other comparison is made than that with the second standby.
    assert.notEqual(asOf(await list()), null)
    await second.kill()
    for (let asked = 0; asked < 10; asked += 1) {
      const answer = await list()
      assert.ok(idsOf(answer).includes(late), `a list of ${asOf(answer)} lacks an older webhook`)
    }
    stopped[Symbol.dispose]()
    assertHonest(await stoppedList(server, list, before), late, before)
    await ask(first, 'select pg_wal_replay_resume()')
    await byStandby(late, 'a list of the first standby')
    await second.restart()
  })

  it('are read from another standby while the one in use is too far behind, and from the primary while all are', async () => {
    await byStandby(await create(), 'a list of the first standby')
    const hosts = () => server.log().split('"msg":"the host of PostgreSQL that answers').length
    const before = hosts()
    await ask(first, 'select pg_wal_replay_pause()')
    let stoppedAt = server.clock.now()
    const late = await create()
    // Longer than a comparison is used: the next list reads a position that the first standby lacks.
    await pause(1_500)
    assertHonest(await stoppedList(server, list, stoppedAt), late, stoppedAt)
    server.clock.advance(MOST_BEHIND)
    const sinceExchange = stopwatch()
    await byStandby(late, 'a list of the second standby')
    assert.equal(hosts(), before + 1)
    await until(
      () => postern(server, 'doctor'),
      ({ out }) => /^ok +Standby +it answers lists of programs, \d+ ms behind$/m.test(out),
      { what: 'doctor to find the second standby' },
    )

    await ask(second, 'select pg_wal_replay_pause()')
    stoppedAt = server.clock.now()
    const later = await create()
    await pause(1_500)
    assertHonest(await stoppedList(server, list, stoppedAt), later, stoppedAt)
    server.clock.advance(MOST_BEHIND)
    const answer = await until(list, (seen) => asOf(seen) === null, { what: 'a list of the primary' })
    assert.ok(idsOf(answer).includes(later))
    // The first one is not tried again so soon.
    await pause(1_500)
    assert.equal(asOf(await list()), null)
    if (sinceExchange() < NEXT_EXCHANGE) assert.equal(hosts(), before + 1)
    await until(
      () => postern(server, 'doctor'),
      ({ out }) => /^warning +Standby +DATABASE_STANDBY_URL is more than 10 seconds behind: /m.test(out),
      { what: 'doctor to compare both standbys' },
    )
    for (const one of [first, second]) await ask(one, 'select pg_wal_replay_resume()')
    await byStandby(later, 'a list of the second standby')
  })

  it('are read from another standby after the one in use has become a primary', async () => {
    await byStandby(await create(), 'a list of the second standby')
    await ask(second, 'select pg_promote()')
    await byStandby(await create(), 'a list of the first standby')
    assert.match(server.log(), /"trouble":"is no standby"/)
  })

  it('are answered by the primary while no host is a standby, which the log and doctor say', async () => {
    await first.kill()
    const answer = await until(list, (seen) => asOf(seen) === null, { what: 'a list of the primary' })
    assert.equal(asOf(answer), null)
    await until(
      () => list().then(server.log),
      (text) => text.includes('No host of DATABASE_STANDBY_URL is a standby'),
      { what: 'the log to say so' },
    )
    assert.match(
      (await postern(server, 'doctor')).out,
      /^warning +Hosts +no host of DATABASE_STANDBY_URL is a standby, so the primary answers all lists: /m,
    )
  })
})
