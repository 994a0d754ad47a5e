import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { beforeEach, it } from 'node:test'
import { fromIso } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { type AgentCalls, agentCalls, type Shown } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { ask, begin, event, say } from '../support/chat-server.ts'
import { watchEvents } from '../support/event-reader.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey, member } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { until } from '../support/waits.ts'

/** Nothing listens there. */
const GONE = { url: 'http://127.0.0.1:1/v1' }
const tools = await useAgentTools({ others: { other: {}, gone: GONE } })
const { chat } = tools
const MINUTE = 60_000

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}) =>
  void response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'Not now.' } }))
const hangUp = (response: ServerResponse) => void response.destroy()
/** Breaks off after some text, which the provider may charge for. */
function breakDown(response: ServerResponse): void {
  begin(response)
  response.end(event({ choices: [{ delta: { content: 'It ' } }] }))
}

/** The run when it has ended; after each failure of its model time goes by. */
async function endedInTime(
  { clock }: Postern,
  calls: AgentCalls,
  id: string,
  waits: (failure: number) => number = () => 31_000,
): Promise<Shown> {
  let seen = 0
  const { body } = await until(
    async () => {
      const steps = await calls.steps(id)
      if (steps.length > seen && steps.at(-1)?.status === 'failed') {
        seen = steps.length
        clock.advance(waits(seen))
      }
      return calls.get(`/v1/runs/${id}`)
    },
    ({ body }) => ['succeeded', 'failed', 'cancelled'].includes(body.status),
    { what: 'a run to end in its time' },
  )
  return body
}

const shown = (steps: Shown[]) => steps.map(({ name, status, reason }) => `${name} ${status} ${reason}`)

/** Credits that were taken for runs, which is what their steps say that they cost. */
async function assertPaid(calls: AgentCalls, runs: Shown[]): Promise<void> {
  let cost = 0
  for (const { id, credits } of runs) {
    const steps = await calls.steps(id)
    const sum = steps.reduce((all, step) => all + step.credits, 0)
    assert.equal(credits, sum)
    cost += sum
  }
  let paid = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await calls.get(`/v1/billing/ledger?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const { kind, price } of body.data) if (kind === 'debit') paid += price
    cursor = body.nextCursor
  }
  assert.equal(paid, cost)
  assert.equal((await calls.get('/v1/billing/balance')).body.reserved, 0)
}

onBothEngines('a run whose model fails', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: tools.env })
  beforeEach(() => tools.reset())
  const stand = async () => {
    const postern = await server()
    const admin = await administrator(postern)
    return { postern, admin, calls: agentCalls(postern, admin) }
  }

  for (const [what, status, headers] of [
    ['503', 503, {}],
    ['429 that asks to wait', 429, { 'retry-after': '30' }],
    ['529', 529, {}],
  ] as const)
    test(`is not lost by one ${what}, and pays nothing for it`, async () => {
      const { postern, calls } = await stand()
      chat.answer = (_asked, response) =>
        chat.asked.length === 1 ? refuse(response, status, headers) : say(response, 'Forty.')
      const { id } = await calls.run(await calls.agent({ model: 'stub' }), 'What?')
      const run = await endedInTime(postern, calls, id)
      assert.deepEqual([run.status, run.output, chat.asked.length], ['succeeded', 'Forty.', 2])
      const steps = await calls.steps(id)
      assert.deepEqual(shown(steps), [`stub failed status_${status}`, 'stub succeeded null'])
      assert.deepEqual([steps[0]?.credits, steps[0]?.usage.inputTokens], [0, 0])
      assert.equal(steps[0]?.providerMessage, 'Not now.')
      await assertPaid(calls, [run])
    })

  test('waits until its provider wants to be asked, in whichever process', async () => {
    const first = await startPostern(engine, { env: tools.env })
    const token = await apiKey(first, await administrator(first))
    const calls = agentCalls(first, { token })
    let askedAt = 0
    let clock = first.clock
    chat.answer = (_asked, response) => {
      if (chat.asked.length === 1) return refuse(response, 503, { 'retry-after': '300' })
      askedAt = clock.now()
      say(response, 'Forty.')
    }
    const { id } = await calls.run(await calls.agent({ model: 'stub' }), 'What?')
    await until(
      () => calls.steps(id),
      ([step]) => step?.status === 'failed',
      { what: 'the first answer to be written' },
    )
    const { PORT: _, ...env0 } = first.env
    await first.stop()
    const second = await startPostern(engine, { env0 })
    try {
      const again = agentCalls(second, { token })
      clock = second.clock
      for (let minute = 0; minute < 4; minute += 1) {
        clock.advance(MINUTE)
        assert.equal((await again.get(`/v1/runs/${id}`)).body.status, 'running')
      }
      const run = await endedInTime(second, again, id, () => 2 * MINUTE)
      assert.deepEqual([run.status, run.output, chat.asked.length], ['succeeded', 'Forty.', 2])
      const [refused] = await again.steps(id)
      assert.ok(askedAt - (fromIso(refused?.endedAt) ?? askedAt) >= 299_000, String(askedAt))
    } finally {
      await second.stop()
    }
  })

  test('whose endpoint cannot be reached asks the other model, where there is one, and else fails in its time', async () => {
    const { postern, calls } = await stand()
    chat.answer = (_asked, response) => say(response, 'Forty.')
    const fallback = { onModelFailure: 'fallback', fallbackModel: 'other' }
    const { id } = await calls.run(await calls.agent({ model: 'gone', ...fallback }), 'What?')
    const run = await endedInTime(postern, calls, id)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Forty.'])
    const tries = Array(3).fill('gone failed unreachable')
    assert.deepEqual(shown(await calls.steps(id)), [...tries, 'other succeeded null'])
    await assertPaid(calls, [run])
    using _still = postern.clock.stop()
    const alone = await calls.run(await calls.agent({ model: 'gone', timeoutMs: 20_000 }), 'What?')
    // The waits are 1, 2, 4 and 8 seconds; a fifth of 16 would exceed the 20 seconds of the run.
    const failed = await endedInTime(postern, calls, alone.id, (failure) => 1_000 * 2 ** (failure - 1))
    assert.deepEqual([failed.status, failed.error.details.reason], ['failed', 'unreachable'])
    assert.equal(failed.credits, 0)
  })

  test('ends after ten more answers that its provider did not begin', async () => {
    const { postern, calls } = await stand()
    chat.answer = (_asked, response) => refuse(response, 503)
    const { id } = await calls.run(await calls.agent({ model: 'stub' }), 'What?')
    const run = await endedInTime(postern, calls, id)
    assert.deepEqual([run.status, run.error.details.reason], ['failed', 'status_503'])
    assert.equal(run.error.details.providerMessage, 'Not now.')
    assert.deepEqual([chat.asked.length, run.credits], [11, 0])
  })

  for (const [what, fault, reason] of [
    ['that hangs up before it answers', hangUp, 'cut'],
    ['that breaks down in its answer', breakDown, 'cut'],
    ['whose gateway gives up', (response: ServerResponse) => refuse(response, 502), 'status_502'],
  ] as const)
    test(`${what} goes by what its agent says of calls that may have been paid`, async () => {
      const { postern, calls } = await stand()
      const agentId = await calls.agent({ model: 'stub' })
      const asks = async (fields: object, good: number) => {
        await calls.patch(`/v1/agents/${agentId}`, fields)
        chat.asked.length = 0
        chat.answer = (_asked, response) =>
          chat.asked.length >= good ? say(response, 'Forty.') : fault(response)
        const { id } = await calls.run(agentId, 'What?')
        const run = await endedInTime(postern, calls, id)
        return { run, steps: shown(await calls.steps(id)), asked: chat.asked.length }
      }
      const bad = `stub failed ${reason}`
      const failed = await asks({ onModelFailure: 'fail' }, 2)
      assert.deepEqual([failed.run.status, failed.steps, failed.asked], ['failed', [bad], 1])
      const third = await asks({ onModelFailure: 'retry' }, 3)
      assert.deepEqual([third.run.output, third.steps], ['Forty.', [bad, bad, 'stub succeeded null']])
      const never = await asks({ onModelFailure: 'retry' }, 9)
      assert.deepEqual([never.run.status, never.asked], ['failed', 3])
      const other = await asks({ onModelFailure: 'fallback', fallbackModel: 'other' }, 2)
      assert.deepEqual([other.run.output, other.steps], ['Forty.', [bad, 'other succeeded null']])
      await assertPaid(calls, [failed.run, third.run, never.run, other.run])
    })

  test('goes on from its last finished step when it is resumed: nothing is done twice, and nothing is paid twice', async () => {
    const { postern, admin, calls } = await stand()
    const agentId = await tools.agent(calls)
    let isDown = true
    tools.asksFor(['crm__act', '{"id":7}'])
    const { answer } = chat
    chat.answer = (asked, response) =>
      isDown && asked.messages.some(({ role }) => role === 'tool')
        ? refuse(response, 500)
        : answer(asked, response)
    const { id } = await calls.run(agentId, 'Act.')
    const failed = await calls.ended(id)
    assert.deepEqual([failed.status, failed.error.details.reason], ['failed', 'status_500'])
    const again = await calls.post(`/v1/runs/${id}/resume`)
    assert.equal(again.status, 202, again.text)
    assert.equal((await calls.ended(id)).status, 'failed')
    isDown = false
    const headers = { 'idempotency-key': 'resume-1' }
    const [one, two] = [
      await calls.post(`/v1/runs/${id}/resume`, {}, headers),
      await calls.post(`/v1/runs/${id}/resume`, {}, headers),
    ]
    assert.deepEqual([one?.status, two?.status], [202, 202])
    assert.equal(two?.text, one?.text)
    const run = await calls.ended(id)
    assert.deepEqual([run.status, run.output, run.error], ['succeeded', 'Done.', null])
    assert.equal(tools.called().length, 1)
    const steps = await calls.steps(id)
    assert.deepEqual(
      steps.map(({ kind, status }) => `${kind} ${status}`),
      ['model succeeded', 'tool succeeded', 'model failed', 'model failed', 'model succeeded'],
    )
    await assertPaid(calls, [run])
    const path = `${postern.url}/v1/runs/${id}/events`
    const seen = await watchEvents(path, { headers: { authorization: `Bearer ${admin.token}` } })
    const ids = seen.map((one) => Number(one.id))
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    )
    assert.deepEqual(
      seen.slice(-4).map((one) => one.event),
      ['run.resumed', 'run.step.started', 'run.step.completed', 'run.succeeded'],
    )
    assertError(await calls.post(`/v1/runs/${id}/resume`), 'FORBIDDEN', { reason: 'run_not_failed' })
  })

  it('is resumed once of many times at once, and by nobody who may not see it', async () => {
    const { postern, admin, calls } = await stand()
    const agentId = await calls.agent({ model: 'stub' })
    chat.answer = (_asked, response) => refuse(response, 500)
    const { id } = await calls.run(agentId, 'What?')
    await calls.ended(id)
    const other = agentCalls(postern, await member(postern, admin))
    assertError(await other.post(`/v1/runs/${id}/resume`), 'ENTITY_NOT_FOUND')
    const asked = chat.asked.length
    const held = Promise.withResolvers<void>()
    chat.answer = (_asked, response) => void held.promise.then(() => say(response, 'Forty.'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.post(`/v1/runs/${id}/resume`)))
    held.resolve()
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [202, ...Array(7).fill(403)])
    assert.equal((await calls.ended(id)).output, 'Forty.')
    assert.equal(chat.asked.length, asked + 1)
  })

  test('and is resumed in a conversation answers its own turn, and asks anew what was refused', async () => {
    const { calls } = await stand()
    const agentId = await calls.agent({ model: 'stub' })
    const conversationId = await calls.conversation()
    chat.answer = (_asked, response) => {
      begin(response)
      response.write(event({ choices: [{ delta: { content: 'I cannot' } }] }))
      response.end(event({ choices: [{ delta: {}, finish_reason: 'content_filter' }] }))
    }
    const { id } = await calls.run(agentId, 'First?', { conversationId })
    assert.equal((await calls.ended(id)).error.details.reason, 'refused')
    chat.answer = (_asked, response) => say(response, 'An answer.')
    const second = await calls.run(agentId, 'Second?', { conversationId })
    await calls.ended(second.id)
    assert.equal((await calls.post(`/v1/runs/${id}/resume`)).status, 202)
    assert.equal((await calls.ended(id)).output, 'An answer.')
    // It knows what was said before it, and nothing of what it was refused with.
    assert.deepEqual(
      chat.asked.at(-1)?.messages.map(({ content }) => content),
      ['First?'],
    )
    const { body } = await calls.get(`/v1/conversations/${conversationId}/messages`)
    assert.equal(body.data.filter(({ runId }: Shown) => runId === id).length, 2)
  })

  test('is paid for once, whatever comes of its calls and however often it is resumed', async () => {
    const { postern, admin } = await stand()
    // An API key, because a session's token expires: the test advances the clock by hours.
    const calls = agentCalls(postern, { token: await apiKey(postern, admin) })
    const agentId = await tools.agent(calls, {}, { maxSteps: 5, fallbackModel: 'other' })
    /** What may come of a call, each as often as another. */
    const ENDS: ((response: ServerResponse) => void)[] = [
      (one) => say(one, 'Forty.'),
      (one) => say(one, 'For', 'length'),
      (one) => ask(one, [['crm__find', '{}']]),
      (one) => ask(one, [['crm__find', '{"a":']], 'length'),
      (one) => refuse(one, 503),
      (one) => refuse(one, 500),
      hangUp,
      breakDown,
    ]
    const runs: Shown[] = []
    for (let seed = 0; seed < nightly(60, 6); seed += 1) {
      const dice = createDice(seed)
      await calls.patch(`/v1/agents/${agentId}`, {
        onModelFailure: dice.pick(['fail', 'retry', 'fallback']),
        onLength: dice.pick(['keep', 'fail']),
      })
      chat.answer = (_asked, response) => dice.pick(ENDS)(response)
      const { id } = await calls.run(agentId, `Seed ${seed}.`)
      let run = await endedInTime(postern, calls, id)
      for (let times = 0; run.status === 'failed' && times < 3; times += 1) {
        const before = run.credits
        assert.equal((await calls.post(`/v1/runs/${id}/resume`)).status, 202)
        run = await endedInTime(postern, calls, id)
        assert.ok(run.credits >= before, `seed ${seed}`)
      }
      runs.push(run)
      // What cannot have been paid was not.
      for (const { reason, credits } of await calls.steps(id))
        if (reason === 'status_503') assert.equal(credits, 0, `seed ${seed}`)
    }
    await assertPaid(calls, runs)
  })

  test('is resumed from a limit that it had reached, with its steps counted anew', async () => {
    const { calls } = await stand()
    const agentId = await tools.agent(calls, {}, { maxSteps: 2 })
    tools.asksFor(['crm__act', '{"id":1}'], ['crm__act', '{"id":2}'])
    const { id } = await calls.run(agentId, 'Act.')
    assert.equal((await calls.ended(id)).error.details.reason, 'max_steps')
    await calls.post(`/v1/runs/${id}/resume`)
    const run = await calls.ended(id)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
    assert.deepEqual(
      tools.called().map((one) => one.arguments),
      [{ id: 1 }, { id: 2 }],
    )
    await assertPaid(calls, [run])
  })
})
