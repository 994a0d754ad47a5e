import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type KyselyPlugin, sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { DAY, fromIso, HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import { permissionsOf } from '#src/http/permissions.ts'
import { FAILURE_BOUNDS, webhookProblemsWithin } from '#src/webhooks/endpoints/webhook-problems.ts'
import { watchLive } from './support/live-stream.ts'
import { writeWebhooks } from './support/many-webhooks.ts'
import { administrator, apiKey, member, newEmail, type Person } from './support/people.ts'
import { plansFile } from './support/plans.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from './support/postern.ts'
import { answering, ended, fail, placeFailed } from './support/replays.ts'
import { advanceAtRest, untilAtRest } from './support/rest.ts'
import { storeOf } from './support/social.ts'
import { type Calls, callsOf, until } from './support/webhook-calls.ts'
import { RUN, useSender } from './support/webhooks.ts'

const HEARTBEAT = 10 * SECOND
/** `health` says a change of the state within so long. */
const HEALTH_WITHIN = 2 * SECOND
/** Identifiers do not follow a clock that is set back by so little. */
const BACK = 8 * SECOND
/** A plan of ten credits. Reading a file costs nine. */
const PLANS = plansFile({
  plans: {
    ten: { requestsPerMinute: null, modules: ['webhooks', 'files'], webhooks: 100, creditsPerCycle: 10 },
  },
  prices: { 'file.process': 9 },
})

const ENV = { PLANS_FILE: PLANS, DEFAULT_PLAN: 'ten' }

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
async function problemsOf(calls: Calls): Promise<any[]> {
  const { status, body, text } = await calls.get('/v1/problems')
  assert.equal(status, 200, text)
  assert.equal(body.more, 0)
  return body.data
}

onBothEngines('open problems', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: ENV })
  const sender = useSender(server)

  /** An organization of its own, with a webhook whose destination answers as it is told. */
  async function stand() {
    const { postern, receiver } = await sender()
    const name = newEmail('Org')
    const admin = await administrator(postern, name)
    const key = await apiKey(postern, admin)
    const calls = callsOf(postern, key)
    const destination = await receiver()
    const register = async (): Promise<string> =>
      (await calls.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })).body.id
    return { postern, name, admin, key, calls, destination, register }
  }

  /** The same, where three deliveries failed for good and the destination takes all that follow. */
  async function standWithFailures() {
    const made = await stand()
    made.destination.answer = answering(400)
    const id = await made.register()
    await fail(made.calls, id, 3)
    made.destination.answer = answering(204)
    await fail(made.calls, id, 1)
    return { ...made, id }
  }

  /** The first problem, once its webhook takes deliveries. */
  async function failedOf(calls: Calls) {
    const [problem] = await until(
      () => problemsOf(calls),
      ([one]) => one?.state === 'failed',
      { what: 'a webhook that takes deliveries' },
    )
    return problem
  }

  test('are none where nothing is wrong', async () => {
    const { calls, register, destination } = await stand()
    destination.answer = answering(204)
    const id = await register()
    await fail(calls, id, 3)
    assert.deepEqual(await problemsOf(calls), [])
    const { health } = (await calls.get(`/v1/webhooks/${id}`)).body
    assert.deepEqual(health, { state: 'delivering', since: null, reason: null, nextAttemptAt: null })
  })

  it('count every delivery of a webhook that failed for good, and a replay of their time makes exactly these again', async () => {
    const { postern, calls, register, destination } = await stand()
    destination.answer = answering(404)
    const id = await register()
    await fail(calls, id, 2)
    await placeFailed(postern, id, 1_300)
    const shown = await until(
      () => problemsOf(calls),
      ([one]) => one?.state === 'failing',
      { what: 'a webhook that fails' },
    )
    const [problem] = shown
    assert.equal(shown.length, 1)
    assert.deepEqual(
      [problem.id, problem.kind, problem.subjectId, problem.subject, problem.reason],
      [`webhook:${id}`, 'webhook', id, destination.url, 'http_404'],
    )
    assert.deepEqual([problem.failed.count, problem.failed.atLeast], [1_302, false])
    assert.match(problem.exampleId, /^dlv_/)
    assert.equal((await calls.get(`/v1/deliveries/${problem.exampleId}`)).body.status, 'failed')
    const { since, until: end } = problem.failed
    const body = { since, until: end, status: 'failed' }
    const dry = await calls.post(`/v1/webhooks/${id}/replay`, { ...body, dryRun: true })
    assert.equal(dry.body.matched, 1_302)
    destination.answer = answering(204)
    const begun = await calls.post(`/v1/webhooks/${id}/replay`, body)
    assert.equal(begun.status, 202, begun.text)
    assert.equal((await ended(calls, begun.body.id)).replayed, 1_302)
    // What was made again is no failure any more, and the webhook takes what comes.
    await until(
      () => problemsOf(calls),
      ({ length }) => length === 0,
      { what: 'no problem' },
    )
  })

  test('show a parked webhook, since when and why, what waits for it, and when it is tried next', async () => {
    const { postern, admin, calls, register, destination } = await stand()
    destination.answer = answering(503)
    const id = await register()
    const stream = await watchLive(postern.url, admin.token, { query: '?topics=webhooks' })
    const event = { type: 'agent.run.completed', data: RUN }
    const events = Array.from({ length: 80 }, () => event)
    assert.equal((await calls.post('/v1/events/batch', { events })).status, 202)
    const [problem] = await until(
      async () => {
        await advanceAtRest(postern, HEARTBEAT)
        return problemsOf(calls)
      },
      ([one]) => one?.state === 'parked' && one.waiting?.count === events.length,
      { what: 'a parked webhook' },
    )
    assert.deepEqual([problem.reason, problem.failed], ['http_503', null])
    assert.equal(problem.waiting.atLeast, false)
    const { body } = await calls.get(`/v1/webhooks/${id}`)
    assert.deepEqual(
      [body.status, body.health.state, body.health.reason, body.health.since],
      ['active', 'parked', 'http_503', problem.since],
    )
    await stream.sees(
      'the parked webhook',
      ({ event, data }) =>
        event === 'webhook' && data.id === id && (data.health as { state: string }).state === 'parked',
    )
    const waiting = async (one: { id: string }) =>
      (await calls.get(`/v1/deliveries/${one.id}`)).body.waiting as { reason: string; until: string | null }
    // No further probe begins, and the one under way has ended.
    const stopped = postern.clock.stop()
    await untilAtRest(postern)
    assert.equal((await calls.post('/v1/events', event)).status, 202)
    const [untried] = (await calls.get('/v1/deliveries?status=pending&limit=1')).body.data
    assert.equal(untried.attemptCount, 0)
    assert.equal((await waiting(untried)).reason, 'parked')
    await calls.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    assert.deepEqual(await waiting(untried), { reason: 'webhook_paused', until: null })
    stopped[Symbol.dispose]()
    await calls.patch(`/v1/webhooks/${id}`, { status: 'active' })
    const probe = await until(
      async () => {
        await advanceAtRest(postern, HEARTBEAT)
        const { health } = (await calls.get('/v1/webhooks')).body.data[0]
        return health.nextAttemptAt as string | null
      },
      (at) => at !== null,
      { what: 'the moment of a probe' },
    )
    assert.ok(probe !== null && (fromIso(probe) ?? 0) > postern.clock.now() - MINUTE)
    destination.answer = answering(204)
    await until(
      async () => {
        await advanceAtRest(postern, HEARTBEAT)
        return problemsOf(calls)
      },
      ({ length }) => length === 0,
      { what: 'a webhook that is well' },
    )
    const well = await until(
      async () => {
        await advanceAtRest(postern, HEARTBEAT)
        return (await calls.get(`/v1/webhooks/${id}`)).body.health
      },
      ({ state }) => state === 'delivering',
      { what: 'its health' },
    )
    assert.equal(well.since, null)
    stream.leave()
  })

  test('say of a delivery whose attempt failed when it is tried next', async () => {
    const { calls, register, destination } = await stand()
    destination.answer = answering(500)
    const id = await register()
    const published = await calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })
    assert.equal(published.status, 202)
    const path = `/v1/webhooks/${id}/deliveries`
    const [row] = await until(
      async () => (await calls.get(path)).body.data,
      ([one]) => one?.attemptCount >= 1,
      { what: 'an attempt' },
    )
    const { waiting, nextAttemptAt } = (await calls.get(`/v1/deliveries/${row.id}`)).body
    assert.deepEqual(waiting, { reason: 'retry_scheduled', until: nextAttemptAt })
    destination.answer = answering(204)
    await calls.post(`/v1/deliveries/${row.id}/retry`)
    await until(
      async () => (await calls.get(`/v1/deliveries/${row.id}`)).body,
      (one) => one.status === 'delivered' && one.waiting === null,
      { what: 'its delivery' },
    )
  })

  test('show a webhook that is gone, and no paused one; their health says since when', async () => {
    const { postern, calls, register, destination } = await stand()
    destination.answer = answering(410)
    const id = await register()
    await fail(calls, id, 1)
    const [problem] = await until(
      () => problemsOf(calls),
      ([one]) => one?.state === 'disabled',
      { what: 'a disabled webhook' },
    )
    assert.deepEqual([problem.reason, problem.nextAt, problem.failed.count], ['gone', null, 1])
    const paused = await register()
    const at = postern.clock.now()
    assert.equal((await calls.patch(`/v1/webhooks/${paused}`, { status: 'paused' })).status, 200)
    await calls.patch(`/v1/webhooks/${paused}`, { description: 'paused' })
    const { health } = (await calls.get(`/v1/webhooks/${paused}`)).body
    assert.equal(health.state, 'paused')
    assert.ok((fromIso(health.since) ?? 0) >= at && (fromIso(health.since) ?? 0) <= postern.clock.now())
    assert.equal((await problemsOf(calls)).length, 1)
    assert.equal((await calls.delete(`/v1/webhooks/${id}`)).status, 204)
    assert.deepEqual(await problemsOf(calls), [])
  })

  it('are the same for the metrics and for the doctor', async () => {
    const { postern, calls, register, destination } = await stand()
    destination.answer = answering(422)
    await fail(calls, await register(), 1)
    await until(
      () => problemsOf(calls),
      ({ length }) => length === 1,
      { what: 'a problem' },
    )
    postern.clock.advance(HEARTBEAT)
    const { text } = await postern.client().get('/metrics')
    const counted = /^postern_problems\{kind="webhook"\} (\d+)$/m.exec(text)?.[1]
    assert.ok(Number(counted) >= 1, text)
    const { out } = await command(postern, 'doctor')
    assert.match(out, new RegExp(`^ok +Problems +of organizations: ${counted} webhooks? that do`, 'm'))
  })

  /** Sends a file, and has its text read. @returns its id */
  async function process(postern: Postern, { token }: Person, bytes: Blob): Promise<string> {
    const form = new FormData()
    form.append('file', bytes, 'file')
    const headers = { authorization: `Bearer ${token}` }
    const sent = await fetch(`${postern.url}/v1/files`, { method: 'POST', headers, body: form })
    const { id } = (await sent.json()) as { id: string }
    await callsOf(postern, token).post(`/v1/files/${id}/process`, {}, { prefer: 'wait=30' })
    return id
  }

  test('tell that credits run low, until there are more or the next cycle begins', async () => {
    const { postern, name, admin, calls } = await stand()
    await process(postern, admin, new Blob(['a text'], { type: 'text/plain' }))
    const [problem] = await problemsOf(calls)
    assert.deepEqual([problem.kind, problem.state, problem.balance], ['credits', 'low', 1])
    const { cycle } = (await calls.get('/v1/billing/balance')).body
    assert.equal(problem.nextAt, cycle.renewsAt)
    postern.clock.advance(HEARTBEAT)
    const { text } = await postern.client().get('/metrics')
    assert.match(text, /^postern_problems\{kind="credits"\} [1-9]/m)
    const granted = await command(
      postern,
      'credits',
      '--organization',
      name,
      '--grant',
      '5',
      '--reason',
      'more',
    )
    assert.equal(granted.code, 0, granted.out)
    assert.deepEqual(await problemsOf(calls), [])
  })

  it('name the API keys that expire within 7 days, or did so in the last 7, to administrators', async () => {
    const { postern, admin, calls } = await stand()
    const ask = (body: object) => calls.post('/v1/api-keys', body)
    await ask({ name: 'later', expiresInDays: 30 })
    const machine = callsOf(postern, await apiKey(postern, admin, 'member'))
    const { body: key } = await ask({ name: 'soon', expiresInDays: 8 })
    assert.deepEqual(await problemsOf(calls), [])
    /** Lets the key end at another moment, because the tests that follow do not live for weeks. */
    const endIn = (left: Millis) =>
      postern.app.database.tx((tx) =>
        tx
          .updateTable('api_key')
          .set({ expires_at: postern.clock.now() + left })
          .where('id', '=', key.id)
          .execute(),
      )
    await endIn(7 * DAY)
    const [problem] = await problemsOf(calls)
    assert.deepEqual(
      [problem.id, problem.state, problem.subjectId, problem.subject],
      [`api_key:${key.id}`, 'expiring', key.id, 'soon'],
    )
    assert.equal(problem.nextAt, (await calls.get(`/v1/api-keys/${key.id}`)).body.expiresAt)
    postern.clock.advance(HEARTBEAT)
    const { text } = await postern.client().get('/metrics')
    assert.match(text, /^postern_problems\{kind="api_key"\} [1-9]/m)
    assert.deepEqual(await problemsOf(machine), [])
    await endIn(-6 * DAY)
    const [expired] = await problemsOf(calls)
    assert.deepEqual([expired.id, expired.state, expired.nextAt], [problem.id, 'expired', null])
    await endIn(-8 * DAY)
    assert.deepEqual(await problemsOf(calls), [])
    await endIn(DAY)
    assert.equal((await calls.patch(`/v1/api-keys/${key.id}`, { expiresInDays: 90 })).status, 200)
    assert.deepEqual(await problemsOf(calls), [])
  })

  test('are seen by members, and files that cannot be read are among them until they are removed', async () => {
    const { postern, admin, calls } = await stand()
    const colleague = callsOf(postern, (await member(postern, admin)).token)
    const id = await process(postern, admin, new Blob(['%PDF-1.7 and nothing'], { type: 'application/pdf' }))
    // What reading it takes is set aside meanwhile, so that credits run low.
    const problem = await until(
      async () => (await problemsOf(colleague)).find(({ kind }) => kind === 'file'),
      (found) => found !== undefined,
      { what: 'a failed file' },
    )
    assert.deepEqual(
      [problem.kind, problem.state, problem.failed.count, problem.exampleId],
      ['file', 'failed', 1, id],
    )
    assert.equal((await calls.delete(`/v1/files/${id}`)).status, 204)
    assert.ok(!(await problemsOf(colleague)).some(({ kind }) => kind === 'file'))
  })

  it('name a time of failures that a replay takes, also after the clock was set back', async () => {
    const { postern, calls, id } = await standWithFailures()
    for (const back of [BACK, HOUR]) {
      using _ = postern.clock.setBack(back)
      const problem = await failedOf(calls)
      assert.equal(problem.failed.count, 3)
      const { since, until: end } = problem.failed
      const body = { since, until: end, status: 'failed', dryRun: true }
      const { status, body: dry } = await calls.post(`/v1/webhooks/${id}/replay`, body)
      assert.deepEqual([status, dry.matched], [200, 3])
    }
  })

  it('come with a health that is 2 s old at most, the same in every process, however many webhooks begin to fail', async () => {
    const { postern, key, calls, register, destination } = await stand()
    const failing: string[] = []
    const fail503 = async (running: Postern) => {
      for (const id of failing)
        await until(
          async () => (await callsOf(running, key).get(`/v1/webhooks/${id}`)).body.health,
          ({ state, reason }) => state === 'failing' && reason === 'http_503',
          { what: 'its health' },
        )
    }
    destination.answer = answering(503)
    {
      using _ = postern.clock.stop()
      for (let count = 1; count <= 3; count += 1) {
        failing.push(await register())
        assert.equal((await calls.post('/v1/events', { type: 'agent.run.completed', data: RUN })).status, 202)
        await until(
          async () => (await calls.get('/v1/deliveries?status=pending&limit=100')).body.data,
          (rows: { webhookId: string; attemptCount: number }[]) =>
            rows.some(({ webhookId, attemptCount }) => webhookId === failing.at(-1) && attemptCount === 1),
          { what: 'a failed attempt at each webhook' },
        )
        // Each begins to fail while what is known of the one before waits to be written.
        postern.clock.advance(HEALTH_WITHIN / 4)
      }
      for (let passed = 0; passed < HEALTH_WITHIN; passed += HEALTH_WITHIN / 4)
        postern.clock.advance(HEALTH_WITHIN / 4)
      await fail503(postern)
    }
    if (engine === 'sqlite') return
    const second = await startPostern(engine, { env: ENV, env0: storeOf(postern), clock: postern.clock })
    await fail503(second).finally(second.stop)
  })

  it('cost a bounded number of rows, in steps of a few hundred, however much has failed for good', async () => {
    const { postern, calls, register, destination } = await stand()
    destination.answer = answering(400)
    const id = (await register()) as Id<'webhook'>
    // The bounds of every answer, by ten: 13,000 failures are more.
    const bounds = {
      ...FAILURE_BOUNDS,
      ofAll: FAILURE_BOUNDS.ofAll / 10,
      ofOne: FAILURE_BOUNDS.ofOne / 10,
    }
    const source = webhookProblemsWithin(bounds)
    await placeFailed(postern, id, 1_000)
    const { database } = postern.app
    const { organization_id } = await database.db
      .selectFrom('webhook')
      .select('organization_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const others = await writeWebhooks(database, organization_id, 12, postern.clock.now())
    await copyFailures(database, id, others)
    const caller = { organizationId: organization_id, actorId: '', permissions: permissionsOf('member') }
    const context = { now: postern.clock.now(), book: readConfig(postern.env).plans.book }
    const asked = createWatch(database)
    const problems = await source.find(asked.db, caller, context)
    const counts = problems.map(({ failed }) => failed?.count).sort((a, b) => (a ?? 0) - (b ?? 0))
    assert.deepEqual(counts, [100, 100, 100, ...Array.from({ length: 10 }, () => 1_000)])
    assert.ok(problems.every(({ failed }) => failed?.atLeast))
    assert.equal(asked.looked(), 10_300)
    assert.ok(asked.longest() <= 500, `${asked.longest()} rows in one statement`)
    // A step each, and no more than a few statements for each webhook beside.
    assert.ok(asked.statements() <= 23 + 5 * problems.length, `${asked.statements()} statements`)
    // What metrics count asks no more than one step of each.
    const counting = createWatch(database)
    assert.ok((await source.count(counting.db, context)).count >= problems.length)
    assert.ok(counting.longest() <= 500)
    // All of it made again is no problem, and costs no more to see.
    await database.tx(async (tx) => {
      await sql`update delivery set event_id = (select min(event_id) from delivery first where first.webhook_id = ${id})
        where organization_id = ${organization_id} and status = 'failed'`.execute(tx)
    })
    const again = createWatch(database)
    assert.ok((await source.count(again.db, context)).atLeast)
    assert.ok(again.looked() <= 10_000 + 100 * problems.length, `${again.looked()} rows`)
    assert.ok(again.longest() <= 500)
    assert.equal((await calls.get('/v1/problems')).status, 200)
  })

  it('say of a webhook that takes deliveries what it has not got, and no more of that after 7 days', async () => {
    const { postern, calls } = await standWithFailures()
    const problem = await failedOf(calls)
    assert.deepEqual([problem.failed.count, problem.waiting, problem.nextAt], [3, null, null])
    postern.clock.advance(7 * DAY)
    assert.deepEqual(await problemsOf(calls), [])
  })
})

/** Gives other webhooks the failures of one, each with an id of its own. */
async function copyFailures({ tx, db }: Database, from: Id<'webhook'>, to: Id<'webhook'>[]): Promise<void> {
  const one = await db
    .selectFrom('delivery')
    .selectAll()
    .where('webhook_id', '=', from)
    .executeTakeFirstOrThrow()
  const names = Object.keys(one)
  for (const [place, webhook] of to.entries()) {
    // No hexadecimal digit: no other id has it.
    const sign = String.fromCharCode('g'.charCodeAt(0) + place)
    const values = names.map((name) => {
      if (name === 'id') return sql`substr(id, 1, 28) || ${sql.lit(sign)} || substr(id, 30)`
      return name === 'webhook_id' ? sql`${sql.lit(webhook)}` : sql.ref(name)
    })
    await tx((writing) =>
      sql`insert into delivery (${sql.join(names.map((name) => sql.ref(name)))})
        select ${sql.join(values)} from delivery where webhook_id = ${from} and status = 'failed'`.execute(
        writing,
      ),
    )
  }
}

/** A store that notes how many statements it is asked, and how many failed deliveries these looked at. */
function createWatch({ db }: Database) {
  let statements = 0
  const steps: number[] = []
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1
      return node
    },
    async transformResult({ result }) {
      for (const row of result.rows) if ('passed' in row) steps.push(Number(row.passed))
      return result
    },
  }
  return {
    db: db.withPlugin(plugin),
    statements: () => statements,
    looked: () => steps.reduce((sum, passed) => sum + passed, 0),
    longest: () => Math.max(0, ...steps),
  }
}
