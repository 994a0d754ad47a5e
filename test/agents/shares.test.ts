import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { openRuns } from '#src/agents/runs/start-run.ts'
import { SECOND } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls, type Shown } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { ask, begin, say } from '../support/chat-server.ts'
import { openEvents } from '../support/event-reader.ts'
import { administrator, member, newEmail } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { onBothEngines, type Postern, postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { untilAtRest } from '../support/rest.ts'
import { until, within } from '../support/waits.ts'

const tools = await useAgentTools()
const plan = (creditsPerCycle: number | null, modules: string[]) => ({
  ...{ requestsPerMinute: null, modules, creditsPerCycle },
})
const PLANS = plansFile({
  plans: { rich: plan(null, ['agents']), poor: plan(30, ['agents']), bare: plan(null, []) },
})

/** Runs of an organization that have ended: so many that to read them all would be dearer than an index. */
const MANY_ENDED = 3_000

/** Takes a table away from the program, or brings it back. */
async function renameTable({ app }: Postern, from: string, to: string): Promise<void> {
  await app.database.tx((tx) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx))
}

onBothEngines('a run', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { ...tools.env, PLANS_FILE: PLANS, DEFAULT_PLAN: 'rich' } })
  beforeEach(() => tools.reset())

  async function stand(fields: object = {}) {
    const running = await server()
    const name = newEmail('Org')
    const admin = await administrator(running, name)
    const calls = agentCalls(running, admin)
    const agentId = await tools.agent(calls, {}, fields)
    /** Gives the organization another plan, as every process sees it by then. */
    async function give(to: string): Promise<void> {
      const { code, err } = await postern(running, 'plan', '--organization', name, '--plan', to)
      assert.equal(code, 0, err)
      running.clock.advance(5 * SECOND)
    }
    return { running, name, admin, calls, agentId, give }
  }

  /** Keeps the tool from answering until it is let go. */
  function hold(): { isCalled: Promise<unknown>; letGo: () => void } {
    const [called, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    tools.mcp.tools = tools.mcp.tools.map((tool) => ({
      ...tool,
      async call() {
        called.resolve()
        await free.promise
        return { content: [{ type: 'text', text: 'late' }] }
      },
    }))
    return { isCalled: called.promise, letGo: free.resolve }
  }

  it('fails with INSUFFICIENT_CREDITS at the step that is not paid for; those before it are paid, and no more', async () => {
    const { calls, agentId, give } = await stand({ maxOutputTokens: 100, maxSteps: 50 })
    await give('poor')
    tools.chat.answer = (_asked, response) => ask(response, [['crm__act', '{}']])
    const run = await calls.ended((await calls.run(agentId, 'Go on.')).id)
    assert.deepEqual([run.status, run.error.code, run.output], ['failed', 'INSUFFICIENT_CREDITS', null])
    const steps = await calls.steps(run.id)
    assert.ok(steps.length > 4 && steps.every(({ status }) => status === 'succeeded'))
    const { body } = await calls.get('/v1/billing/balance')
    assert.ok(run.credits <= 30 && run.credits > 20, String(run.credits))
    assert.deepEqual([body.balance, body.reserved], [30 - run.credits, 0], JSON.stringify(body))
  })

  test('ends by the version that it began with, whatever is taken from its agent or its asker; the next is refused', async () => {
    const { running, admin, calls, agentId } = await stand()
    const person = await member(running, admin)
    const theirs = agentCalls(running, person)
    const held = hold()
    const { id } = await theirs.run(agentId, 'Act.')
    await held.isCalled
    assert.equal((await calls.delete(`/v1/agents/${agentId}`)).status, 204)
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    assert.equal((await calls.delete(path)).status, 204)
    running.clock.advance(5 * SECOND)
    assertError(await theirs.get(`/v1/runs/${id}`), 'UNAUTHORIZED')
    held.letGo()
    const run = await calls.ended(id)
    assert.deepEqual([run.status, run.output, run.agentVersion], ['succeeded', 'Done.', 1])
    assertError(await calls.post(`/v1/agents/${agentId}/runs`, { input: 'x' }), 'ENTITY_NOT_FOUND')
  })

  test("goes on when its asker is demoted: they decide about their own, and what was others' is no longer theirs to read", async () => {
    const { running, admin, calls } = await stand()
    const { body: listed } = await calls.get('/v1/mcp-servers')
    const choice = { serverId: listed.data[0].id, name: 'act', approval: 'always' }
    const agentId = await calls.agent({ model: 'stub', tools: [choice] })
    const person = await member(running, admin)
    const membership = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    assert.equal((await calls.patch(membership, { role: 'administrator' })).status, 200)
    running.clock.advance(5 * SECOND)
    const theirs = agentCalls(running, person)
    const [own, other] = [await theirs.run(agentId, 'Act.'), await calls.run(agentId, 'Act.')]
    const waiting = await theirs.becomes(own.id, 'waiting')
    const foreign = await theirs.becomes(other.id, 'waiting')
    const url = new URL(`/v1/runs/${other.id}/events`, running.url).href
    const { seen: watched } = await openEvents(url, { headers: { authorization: `Bearer ${person.token}` } })
    const ownUrl = new URL(`/v1/runs/${own.id}/events`, running.url).href
    const { seen: ownEvents } = await openEvents(ownUrl, {
      headers: { authorization: `Bearer ${person.token}` },
    })
    assert.equal((await calls.patch(membership, { role: 'member' })).status, 200)
    running.clock.advance(5 * SECOND)
    const last = (await watched).at(-1)
    assert.deepEqual([last?.event, last?.data], ['end', { reason: 'revoked' }])
    const decide = (run: Shown) =>
      theirs.post(`/v1/runs/${run.id}/approvals/${run.approval.stepId}`, { decision: 'approve' })
    assertError(await decide(foreign), 'ENTITY_NOT_FOUND')
    assertError(await theirs.get(`/v1/runs/${other.id}`), 'ENTITY_NOT_FOUND')
    assertError(await theirs.post(`/v1/runs/${other.id}/cancel`), 'ENTITY_NOT_FOUND')
    assert.equal((await decide(waiting)).status, 200)
    assert.equal((await theirs.ended(own.id)).status, 'succeeded')
    assert.equal((await ownEvents).at(-1)?.event, 'run.succeeded')
    assert.equal((await calls.post(`/v1/runs/${other.id}/cancel`)).status, 200)
  })

  test('ends though its module is off meanwhile, and nobody starts another', async () => {
    const { calls, agentId, give } = await stand()
    const held = hold()
    const { id } = await calls.run(agentId, 'Act.')
    await held.isCalled
    await give('bare')
    assertError(await calls.post(`/v1/agents/${agentId}/runs`, { input: 'x' }), 'MODULE_NOT_ENABLED')
    assertError(await calls.post(`/v1/runs/${id}/cancel`), 'MODULE_NOT_ENABLED')
    held.letGo()
    const database = (await server()).app.database
    await until(
      () =>
        database.db
          .selectFrom('run')
          .select('status')
          .where('id', '=', id as never)
          .executeTakeFirst(),
      (row) => row?.status === 'succeeded',
      { what: 'the end of the run' },
    )
    await give('rich')
    assert.equal((await calls.get(`/v1/runs/${id}`)).body.output, 'Done.')
  })

  test('is a job among those of its kind that the metrics count, until it has ended', async () => {
    const { running, calls, agentId } = await stand()
    const held = hold()
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => (await calls.run(agentId, 'Act.')).id),
    )
    await held.isCalled
    async function read(): Promise<{ open: number; oldest: string | undefined }> {
      // Tables are read once in ten seconds.
      running.clock.advance(10 * SECOND)
      const { text } = await running.client().get('/metrics')
      const states = [...text.matchAll(/^postern_jobs\{kind="run",state="\w+"\} (\d+)$/gm)]
      assert.equal(states.length, 3, text)
      const open = states.reduce((sum, [, count]) => sum + Number(count), 0)
      return { open, oldest: /^postern_jobs_oldest_due_seconds\{kind="run"\} (\S+)$/m.exec(text)?.[1] }
    }
    assert.equal((await read()).open, 6)
    held.letGo()
    for (const id of ids) await calls.ended(id)
    await until(read, ({ open }) => open === 0, { what: 'no job to be open' })
    assert.deepEqual(await read(), { open: 0, oldest: '0' })
  })

  test('is counted by its status, and with its steps when it has ended', async () => {
    const { running, calls, agentId } = await stand()
    async function read(name: string): Promise<number> {
      running.clock.advance(10 * SECOND)
      const { text } = await running.client().get('/metrics')
      const line = text.split('\n').find((one) => one.startsWith(`${name} `))
      return Number(line?.slice(name.length) ?? 0)
    }
    const names = [
      'postern_runs_ended_total{status="succeeded"}',
      'postern_runs_ended_total{status="cancelled"}',
      'postern_run_steps_total{kind="model",status="succeeded"}',
      'postern_run_steps_total{kind="tool",status="succeeded"}',
      'postern_run_steps_total{kind="tool",status="unknown"}',
    ]
    const before: number[] = []
    for (const name of names) before.push(await read(name))
    const held = hold()
    const { id } = await calls.run(agentId, 'Act.')
    await held.isCalled
    assert.equal(await read('postern_runs_open{status="running"}'), 1)
    assert.equal(await read('postern_runs_open{status="waiting"}'), 0)
    assert.equal((await calls.post(`/v1/runs/${id}/cancel`)).status, 200)
    held.letGo()
    await calls.ended((await calls.run(agentId, 'Act.')).id)
    assert.equal(await read('postern_runs_open{status="running"}'), 0)
    const grown: number[] = []
    for (const [index, name] of names.entries()) grown.push((await read(name)) - (before[index] ?? 0))
    assert.deepEqual(grown, [1, 1, 3, 1, 1])
  })

  test('drops what its tool says after it was cancelled, and ends once', async () => {
    const { calls, agentId } = await stand()
    const held = hold()
    const { id } = await calls.run(agentId, 'Act.')
    await held.isCalled
    assert.equal((await calls.post(`/v1/runs/${id}/cancel`)).body.status, 'cancelled')
    held.letGo()
    const next = await calls.ended((await calls.run(agentId, 'Again.')).id)
    assert.equal(next.status, 'succeeded')
    const [, step, ...more] = await calls.steps(id)
    assert.deepEqual([step?.status, step?.reason, step?.text, more], ['unknown', 'cancelled', null, []])
    assert.deepEqual((await calls.get(`/v1/runs/${id}`)).body.status, 'cancelled')
  })

  test('answers the request that waits for it as it was accepted, where its organization is deleted', async () => {
    const { running, name, calls, agentId } = await stand()
    const held = hold()
    const waiting = calls.post(`/v1/agents/${agentId}/runs`, { input: 'Act.' }, { prefer: 'wait=30' })
    await held.isCalled
    const { code, err } = await postern(running, 'organizations', '--delete', name, '--yes')
    assert.equal(code, 0, err)
    held.letGo()
    running.clock.advance(5 * SECOND)
    const answer = await waiting
    assert.deepEqual([answer.status, answer.body.status], [202, 'queued'], answer.text)
  })

  it('answers the request that waits for it as it ends, where the store could not be read in between', async () => {
    const { running, calls, agentId } = await stand()
    const held = hold()
    const waiting = calls.post(`/v1/agents/${agentId}/runs`, { input: 'Act.' }, { prefer: 'wait=30' })
    await held.isCalled
    await renameTable(running, 'run', 'run_away')
    try {
      running.clock.advance(3 * SECOND)
      // The poll of the wait reads before this answer, which fails as well.
      assert.equal((await calls.get(`/v1/agents/${agentId}/runs`)).status, 500)
    } finally {
      await renameTable(running, 'run_away', 'run')
    }
    held.letGo()
    await untilAtRest(running)
    running.clock.advance(SECOND)
    const answer = await within('the answer', waiting)
    assert.deepEqual([answer.status, answer.body.status], [200, 'succeeded'], answer.text)
  })

  test('answers the request that waits for it as it was accepted, where the store is away for longer than the wait', async () => {
    const { running, calls, agentId } = await stand()
    const held = hold()
    const waiting = calls.post(`/v1/agents/${agentId}/runs`, { input: 'Act.' }, { prefer: 'wait=2' })
    await held.isCalled
    await renameTable(running, 'run', 'run_away')
    let answer: Awaited<typeof waiting>
    try {
      running.clock.advance(2 * SECOND)
      answer = await within('the answer at the end of the wait', waiting)
    } finally {
      await renameTable(running, 'run_away', 'run')
    }
    assert.deepEqual([answer.status, answer.body.status], [202, 'queued'], answer.text)
    assert.match(running.log(), /accepted, but its end could not be read/)
    held.letGo()
    assert.equal((await calls.ended(answer.body.id)).status, 'succeeded')
  })

  it('is ended when its time is over though the ends of more than a page of others before it fail', async () => {
    const { running, calls, agentId } = await stand()
    const held = hold()
    const { database } = running.app
    const queued: string[] = []
    for (const metadata of ['', '{}']) {
      const conversationId = await calls.conversation()
      await calls.run(agentId, 'Act.', { conversationId })
      const { id } = await calls.run(agentId, 'Then act again.', { conversationId })
      queued.push(id)
      // The end of a run whose metadata cannot be read fails.
      const change = { metadata, deadline_at: running.clock.now() + queued.length }
      await database.tx((tx) =>
        tx
          .updateTable('run')
          .set(change)
          .where('id', '=', id as Id<'run'>)
          .execute(),
      )
    }
    const [broken] = queued as [Id<'run'>]
    await database.tx(async (tx) => {
      const row = await tx.selectFrom('run').selectAll().where('id', '=', broken).executeTakeFirstOrThrow()
      const copies = Array.from({ length: 100 }, () => ({ ...row, id: newId('run', row.created_at) }))
      await tx.insertInto('run').values(copies).execute()
    })
    const { body } = await until(
      async () => {
        running.clock.advance(SECOND)
        return calls.get(`/v1/runs/${queued[1]}`)
      },
      (answer) => answer.body.status === 'failed',
      { what: 'the second run to fail' },
    )
    assert.equal(body.error.details.reason, 'timeout')
    assert.match(running.log(), /a run whose time is over/)
    await database.tx((tx) =>
      tx.updateTable('run').set({ metadata: '{}' }).where('metadata', '=', '').execute(),
    )
    held.letGo()
  })

  it('waits in a conversation behind ten others at most, and each that ends makes room', async () => {
    const { calls, agentId } = await stand()
    const silent: (() => void)[] = []
    tools.chat.answer = (_asked, response) => {
      begin(response)
      silent.push(() => void response.destroy())
    }
    const conversationId = await calls.conversation()
    const path = `/v1/agents/${agentId}/runs`
    const ids: string[] = []
    for (let index = 0; index < 11; index += 1)
      ids.push((await calls.run(agentId, `${index}`, { conversationId })).id)
    const refused = await calls.post(path, { input: 'one more', conversationId })
    assertError(refused, 'RATE_LIMITED', { retryAfterSeconds: 5 })
    assert.equal(refused.headers.get('retry-after'), '5')
    // One in line is cancelled where it stands, before it has begun, and makes room too.
    const inLine = await calls.post(`/v1/runs/${ids[5]}/cancel`)
    assert.deepEqual([inLine.body.status, inLine.body.startedAt], ['cancelled', null])
    ids[5] = (await calls.run(agentId, 'in its place', { conversationId })).id
    assertError(await calls.post(path, { input: 'one more', conversationId }), 'RATE_LIMITED')
    // Outside of it there is room.
    assert.equal((await calls.post(path, { input: 'elsewhere' })).status, 202)
    await calls.post(`/v1/runs/${ids[0]}/cancel`)
    const next = await calls.run(agentId, 'one more', { conversationId })
    assert.equal((await calls.delete(`/v1/conversations/${conversationId}`)).status, 204)
    for (const id of [...ids, next.id])
      assert.equal((await calls.get(`/v1/runs/${id}`)).body.status, 'cancelled')
  })

  test('is asked with an input of 64 KiB and metadata of 16 KiB at most, that are nested 32 levels and hold no NUL', async () => {
    const { calls, agentId } = await stand()
    tools.chat.answer = (_asked, response) => void response.writeHead(500).end()
    const post = (body: object) => calls.post(`/v1/agents/${agentId}/runs`, body)
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
    const wrong: [object, string, string][] = [
      [{ input: 'ä'.repeat(32 * 1024 + 1) }, 'input', 'too_long'],
      [{ input: 'x', metadata: nested(33) }, 'metadata', 'too_deep'],
      [{ input: 'x', metadata: { a: 'x'.repeat(16 * 1024) } }, 'metadata', 'too_large'],
      [{ input: 'x', metadata: { a: 'x\0' } }, 'metadata', 'nul'],
      [{ input: 'x', metadata: { 'a\0': 1 } }, 'metadata', 'nul'],
    ]
    for (const [body, field, reason] of wrong)
      assertError(await post(body), 'VALIDATION_FAILED', { field, reason })
    assertError(await post({ input: 'x'.repeat(64 * 1024 + 1) }), 'VALIDATION_FAILED', { field: 'input' })
    for (const input of ['', 'a\0b'])
      assertError(await post({ input }), 'VALIDATION_FAILED', { field: 'input' })
    // The last is no NUL, but how one is written.
    const most = { a: nested(30), b: 'x'.repeat(15 * 1024), c: '\\u0000' }
    const accepted = await post({ input: 'ä'.repeat(32 * 1024), metadata: most })
    assert.deepEqual([accepted.status, accepted.body.metadata], [202, most])
  })

  test('is begun and waited for though two hundred callers of another organization wait for theirs', async () => {
    const [noisy, ours] = [await stand(), await stand()]
    tools.chat.answer = ({ messages }, response) =>
      messages.at(-1)?.content === 'Never.' ? begin(response) : say(response, 'Done.')
    const wait = { prefer: 'wait=30' }
    const waiting = Array.from({ length: 200 }, () =>
      noisy.calls.post(`/v1/agents/${noisy.agentId}/runs`, { input: 'Never.' }, wait),
    )
    const { app } = await server()
    await until(
      () => app.database.db.selectFrom('run').select('id').where('input', '=', 'Never.').execute(),
      (rows) => rows.length === waiting.length,
      { what: 'all of them to wait' },
    )
    {
      using _ = noisy.running.clock.stop()
      const answer = await ours.calls.post(`/v1/agents/${ours.agentId}/runs`, { input: 'Now.' }, wait)
      assert.deepEqual([answer.status, answer.body.output], [200, 'Done.'])
    }
    noisy.running.clock.advance(30 * SECOND)
    for (const { status, body } of await Promise.all(waiting)) {
      assert.equal(status, 202)
      assert.ok(['queued', 'running'].includes(body.status), body.status)
    }
  })

  it('is accepted without a look at those that have ended, however many they are', async () => {
    const started = await server()
    const admin = await administrator(started)
    const agentId = await agentCalls(started, admin).agent()
    const organizationId = admin.organizationId as Id<'organization'>
    const { database } = started.app
    const ended = sql`${organizationId}, ${agentId}, 1, 'acc', 'succeeded', '', '[]', '{}', 0, 0, 0`
    const columns = sql`run (id, organization_id, agent_id, agent_version, owner_id, status, input, file_ids, metadata, left_ms,
      created_at, updated_at)`
    await database.tx((tx) =>
      (engine === 'sqlite'
        ? sql`insert into ${columns} with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MANY_ENDED})
            select ${organizationId} || '-' || i, ${ended} from n`
        : sql`insert into ${columns} select ${organizationId} || '-' || i, ${ended}
            from generate_series(1, ${MANY_ENDED}) as n (i)`
      ).execute(tx),
    )
    if (engine === 'postgres') await database.tx((tx) => sql`analyze run`.execute(tx))
    const { sql: text, parameters } = openRuns(database.db, organizationId).compile()
    const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
    const { rows } = await database.db.executeQuery<object>(
      CompiledQuery.raw(`${how} ${text}`, [...parameters]),
    )
    // Both indexes hold runs that have not ended, and no others. Which one PostgreSQL takes depends on its statistics.
    assert.match(rows.map((one) => Object.values(one).join(' ')).join('\n'), /run_open|run_deadline/)
  })
})
