import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { MINUTE, SECOND, stopwatch } from '#src/core/clock.ts'
import { agentCalls } from './support/agents.ts'
import { assertError } from './support/attacks.ts'
import { administrator, apiKey, newEmail } from './support/people.ts'
import type { Postern } from './support/postern.ts'
import { startProcess } from './support/process.ts'
import {
  clockWithoutPolls,
  ELSEWHERE,
  type Processes,
  useProcesses,
  useReceivers,
} from './support/processes.ts'
import { callsOf, until } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const receiver = useReceivers()

const EVENT = { type: 'agent.run.completed', data: RUN }

/** An organization's administrator as a machine, and a webhook of it. */
async function sender(postern: Postern, url: string, more: object = {}) {
  const calls = callsOf(postern, await apiKey(postern, await administrator(postern)))
  const made = await calls.post('/v1/webhooks', { url, events: [EVENT.type], ...more })
  assert.equal(made.status, 201, made.text)
  return { calls, webhookId: String(made.body.id) }
}

describe('a process that only serves HTTP', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('wakes one that sends, which need not look for what was accepted', async () => {
    const { one, processes } = await start()
    await processes.start({ env: { ROLE: 'worker' }, clock: clockWithoutPolls() })
    const destination = await receiver()
    const { calls, webhookId } = await sender(one, destination.url)
    const published = await calls.post('/v1/events', EVENT)
    const [call] = await destination.count(1)
    assert.equal(call?.event.id, published.body.id)
    // Nor for deliveries of a paused webhook …
    await calls.patch(`/v1/webhooks/${webhookId}`, { status: 'paused' })
    await calls.post('/v1/events', EVENT)
    await calls.patch(`/v1/webhooks/${webhookId}`, { status: 'active' })
    await destination.count(2)
    // … for a replay …
    await until(
      () => calls.get(`/v1/webhooks/${webhookId}/deliveries?status=delivered`),
      ({ body }) => body.data.length === 2,
    )
    const since = '2020-01-01T00:00:00.000Z'
    one.clock.advance(5)
    await calls.post(`/v1/webhooks/${webhookId}/replay`, { since, status: 'all' })
    await destination.count(4)
    // … or for a mail.
    const email = newEmail('woken')
    await calls.post('/v1/invitations', { email, role: 'member' })
    await one.mailbox.next(email)
  })

  it('tells of many events together, with the webhook that each is for', async () => {
    const { one, processes } = await start()
    const { calls, webhookId } = await sender(one, (await receiver()).url)
    const arrived = await processes.receives()
    const elapsed = stopwatch()
    await Promise.all(Array.from({ length: 300 }, () => calls.post('/v1/events', EVENT)))
    const reported = await until(
      () => arrived.filter((text) => text.includes(webhookId)),
      ({ length }) => length >= 1,
    )
    const took = elapsed()
    assert.ok(reported.length <= took / 25 + 2, `${reported.length} notifications in ${took} ms`)
  })
})

describe('a process that serves HTTP alone, with nobody beside it', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('keeps what is to be worked on until there is one that works, and tells how long the oldest has waited', async () => {
    const { one, processes } = await start()
    const token = await apiKey(one, await administrator(one))
    const calls = agentCalls(one, { token })
    const { body: base } = await calls.post('/v1/knowledge-bases', { name: 'Prices' })
    const text = Buffer.from('A lamp costs forty crowns.')
    const { body: file } = await calls.post('/v1/files?name=a.txt', text, { 'content-type': 'text/plain' })
    const { body: document } = await calls.post(`/v1/knowledge-bases/${base.id}/documents`, {
      fileId: file.id,
    })
    const { id: runId } = await calls.run(await calls.agent(), 'What does a lamp cost?')
    const paths = [`/v1/files/${file.id}`, `/v1/documents/${document.id}`, `/v1/runs/${runId}`]
    const states = () => Promise.all(paths.map(async (path) => String((await calls.get(path)).body.status)))
    const oldest = async (kind: string) => {
      one.clock.advance(MINUTE)
      const { text } = await one.client().get('/metrics')
      return Number(new RegExp(`^postern_jobs_oldest_due_seconds{kind="${kind}"} (.*)$`, 'm').exec(text)?.[1])
    }
    for (const kind of ['file.process', 'run']) assert.ok((await oldest(kind)) >= 60, kind)
    assert.deepEqual(await states(), ['processing', 'queued', 'queued'])
    await processes.start({ env: { ROLE: 'worker' } })
    const ended = ['processed', 'indexed', 'succeeded']
    await until(states, (all) => all.every((state, index) => state === ended[index]))
    assert.equal(await oldest('run'), 0)
  })
})

describe('a process that lost the connection on which it is woken', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('is woken by the next one, and looks once for what it missed', async () => {
    const { one, processes } = await start()
    await processes.start({ env: { ROLE: 'worker' }, clock: clockWithoutPolls() })
    const destination = await receiver()
    const { calls } = await sender(one, destination.url)
    // The connections for accepting and recording are open.
    await calls.post('/v1/events', EVENT)
    await destination.count(1)
    const arrived = await processes.receives()
    // The database refuses connections, and the listener of Postern is cut.
    const [{ name } = {}] = await processes.asks('select current_database() as name')
    await processes.asks(`update pg_database set datallowconn = false where datname = $1`, [name])
    const listeners = await processes.asks(
      `select pid, pg_terminate_backend(pid, 10000) as ended from pg_stat_activity
       where datname = $1 and application_name = 'postern listener'`,
      [name],
    )
    assert.equal(listeners.length, 2)
    await calls.post('/v1/events', EVENT)
    // The notification is lost, or cannot be sent.
    await until(
      async () => arrived.length > 0 || one.log().includes('the other processes could not be notified'),
      Boolean,
    )
    await processes.asks(`update pg_database set datallowconn = true where datname = $1`, [name])
    await destination.count(2)
    await calls.post('/v1/events', EVENT)
    await destination.count(3)
  })
})

describe('a process that sends and ends', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })
  const claimsOf = async (processes: Processes) =>
    (await processes.asks('select claim_id from delivery where claim_id is not null')).length

  it('leaves its webhooks to the others at once, and one of which a call is under way when that has ended', async () => {
    const { one, processes } = await start()
    const leaving = await processes.start({ env: { ROLE: 'worker' } })
    const busy = await receiver()
    let answerFirst = () => {}
    busy.answer = (_call, response) => {
      const answer = () => void response.writeHead(204).end()
      if (busy.received.length === 1) answerFirst = answer
      else answer()
    }
    const { calls } = await sender(one, busy.url, { maxInFlight: 1 })
    await calls.post('/v1/events/batch', { events: Array.from({ length: 5 }, () => EVENT) })
    await busy.count(1)
    await until(
      () => claimsOf(processes),
      (count) => count === 5,
    )
    const quiet = await receiver()
    const idle = await sender(one, quiet.url)
    const staying = await processes.start({ env: { ROLE: 'worker' }, clock: clockWithoutPolls() })
    const left = leaving.stop()
    await until(
      () => claimsOf(processes),
      (count) => count === 1,
    )
    await idle.calls.post('/v1/events', EVENT)
    await quiet.count(1)
    assert.equal(busy.received.length, 1)
    answerFirst()
    await left
    await busy.count(5)
    assert.equal(new Set(busy.received.map(({ event }) => event.id)).size, 5)
    // A receiver's answer does not wait for its result to be written.
    await staying.stop()
    assert.equal(await claimsOf(processes), 0)
  })

  it('without a word is missed within 45 seconds, and not before its lease has run out', async () => {
    const { one, processes } = await start()
    const killed = await startProcess({ ...one.env, ROLE: 'worker' })
    const destination = await receiver()
    destination.answer = (_call, response) => {
      if (destination.received.length > 1) response.writeHead(204).end()
    }
    const { calls } = await sender(one, destination.url)
    const { body } = await calls.post('/v1/events', EVENT)
    await destination.count(1)
    await processes.start({ env: { ROLE: 'worker' } })
    await processes.asks(ELSEWHERE)
    await killed.kill()
    for (let passed = 9; passed <= 45; passed += 9) {
      assert.ok(passed > 30 || destination.received.length === 1, `sent again before ${passed} s`)
      one.clock.advance(9 * SECOND)
    }
    const both = await destination.count(2)
    assert.deepEqual(
      both.map(({ event }) => event.id),
      [body.id, body.id],
    )
  })
})

describe('connections to PostgreSQL', () => {
  const start = useProcesses({ env: { DATABASE_POOL: '5' } })

  it('are kept for sending when requests use up all of theirs, and whoever gets none is told so', async () => {
    const { one, processes } = await start()
    const destination = await receiver()
    let answer = () => {}
    destination.answer = (_call, response) => {
      answer = () => void response.writeHead(204).end()
    }
    const { calls } = await sender(one, destination.url)
    const others = callsOf(one, await apiKey(one, await administrator(one)))
    const { body } = await calls.post('/v1/events', EVENT)
    await destination.count(1)
    await processes.asks('begin')
    await processes.asks('lock table audit in access exclusive mode')
    // No process has more than one.
    const requests = [calls, calls, others, others, others].map((one) => one.get('/v1/audit-log'))
    await until(
      () => processes.asks(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`),
      ({ length }) => length === 2,
    )
    // The two connections for requests wait for the lock now; a result is written, and the process is ready.
    answer()
    await until(
      () => processes.asks('select status from delivery where event_id = $1', [body.id]),
      ([row]) => row?.status === 'delivered',
    )
    assert.equal((await one.client().get('/readyz')).status, 200)
    // Requests behind them are refused with an error; those before them are answered when the lock is released.
    const refused: number[] = []
    for (const request of requests) void request.then(({ status }) => refused.push(status))
    await until(
      async () => refused.length,
      (count) => count === 3,
    )
    await processes.asks('rollback')
    const answers = await Promise.all(requests)
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429, 429, 429])
    for (const refusal of answers.filter(({ status }) => status === 429))
      assertError(refusal, 'RATE_LIMITED', { retryAfterSeconds: 5 })
    assert.match(
      one.log(),
      /all 2 database connections for requests were in use for 5 s: raise DATABASE_POOL/,
    )
  })

  it('prepare the queries of the hot path once', async () => {
    const { one } = await start()
    const destination = await receiver()
    const { calls } = await sender(one, destination.url)
    const delivered = () =>
      one.app.database.db.selectFrom('delivery').select('id').where('status', '=', 'delivered').execute()
    // The database holds deliveries of earlier tests.
    const before = (await delivered()).length
    for (let count = 1; count <= 5; count += 1) {
      await calls.post('/v1/events', EVENT)
      await destination.count(count)
      // One at a time, because results that arrive together share another statement.
      await until(delivered, ({ length }) => length === before + count)
    }
    // The prepared statements of the connection that writes results.
    const kept = () =>
      one.app.database.reserved.brief((tx) =>
        sql<{ statement: string }>`
          select statement from pg_prepared_statements
          where name like 'postern_%' and generic_plans + custom_plans >= 5`.execute(tx),
      )
    await until(
      async () => (await kept()).rows.map(({ statement }) => statement),
      (statements) => statements.some((statement) => statement.includes('update delivery set')),
    )
  })
})

describe('a process that only sends', () => {
  const start = useProcesses({ env: { ROLE: 'worker' } })

  it('answers its supervisor and nobody else', async () => {
    const { one } = await start()
    const client = one.client()
    assert.equal((await client.get('/livez')).status, 200)
    const ready = await client.get('/readyz')
    assert.deepEqual([ready.status, ready.body.checks.database], [200, 'ok'])
    assert.match((await client.get('/metrics')).text, /^postern_deliveries\{state="due"\} 0$/m)
    for (const path of ['/v1/errors', '/openapi.json', '/api/docs', '/sign-in', '/'])
      assertError(await client.get(path), 'ENTITY_NOT_FOUND')
    assertError(await client.post('/v1/events', EVENT), 'ENTITY_NOT_FOUND')
  })
})
