import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { ACT, FIND, useAgentTools } from '../support/agent-tools.ts'
import { type AgentCalls, agentCalls, type Shown } from '../support/agents.ts'
import { ask, say } from '../support/chat-server.ts'
import { watchEvents } from '../support/event-reader.ts'
import { administrator } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const tools = await useAgentTools()
const LOOK = { name: 'look', description: 'Looks.' }
const PLANS = plansFile({
  plans: { rich: { requestsPerMinute: null, modules: ['agents'], creditsPerCycle: 1_000_000 } },
})

const text = (content: string) => ({ content: [{ type: 'text', text: content }] })

/** Calls of tools that have come, each answered when the test says so. Only the argument `n` tells them apart. */
function hold() {
  const held = new Map<number, (answer: object) => void>()
  tools.mcp.tools = [FIND, LOOK, ACT].map((tool) => ({
    ...tool,
    call: ({ n }) => new Promise<object>((answer) => held.set(Number(n), answer)),
  }))
  const arrived = (count: number) =>
    until(
      () => held.size,
      (size) => size === count,
      { what: `${count} calls to be held` },
    )
  return {
    arrived,
    /** Which calls have come and were not answered. */
    open: () => [...held.keys()].sort((a, b) => a - b),
    answer(n: number, what: object = text(`answer ${n}`)) {
      held.get(n)?.(what)
      held.delete(n)
    },
  }
}

/** Has the model ask for calls, numbered by their place, and then say `Done.` */
function asksFor(...names: string[]): void {
  tools.asksFor(...names.map((name, n): [string, string] => [`crm__${name}`, JSON.stringify({ n })]))
}

const shown = (steps: Shown[]) =>
  steps
    .filter(({ kind }) => kind === 'tool')
    .map(({ name, status, reason, credits }) => [String(name).slice(5), status, reason, credits])

onBothEngines('calls of one answer', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { ...tools.env, PLANS_FILE: PLANS, DEFAULT_PLAN: 'rich' } })
  beforeEach(() => tools.reset())

  interface Stand {
    postern: Postern
    calls: AgentCalls
    token: string
    agentId: string
    /** Starts a run. @returns its id */
    start(): Promise<string>
    /** Waits until calls of the run have come to be so. */
    steps(id: string, isSo: (steps: string) => boolean): Promise<unknown>
  }

  /** An agent whose tools `find` and `look` are declared harmless, and `act` is not. */
  async function stand(fields: object = {}, choices: Record<string, object> = {}): Promise<Stand> {
    tools.mcp.tools = [FIND, LOOK, ACT]
    const postern = await server()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    const serverId = await tools.register(calls)
    const chosen = [FIND, LOOK, ACT].map(({ name }) => ({
      ...{ serverId, name, approval: 'never', parallel: name !== 'act', ...choices[name] },
    }))
    const agentId = await calls.agent({ model: 'stub', tools: chosen, maxSteps: 50, ...fields })
    return {
      ...{ postern, calls, token: admin.token, agentId },
      start: async () => (await calls.run(agentId, 'Find out.')).id,
      steps: (id, isSo) =>
        until(
          async () =>
            (await calls.steps(id))
              .filter(({ kind }) => kind === 'tool')
              .map(({ status }) => status)
              .join(' '),
          isSo,
          { what: 'the steps of calls to come to it' },
        ),
    }
  }

  /** Asserts that the credits of the run, and those taken from the balance, are the cost of its steps. */
  async function assertPaid(calls: AgentCalls, id: string): Promise<void> {
    const steps = await calls.steps(id)
    const cost = steps.reduce((sum, { credits }) => sum + credits, 0)
    assert.equal((await calls.get(`/v1/runs/${id}`)).body.credits, cost)
    const { balance, reserved } = (await calls.get('/v1/billing/balance')).body
    assert.deepEqual([balance, reserved], [1_000_000 - cost, 0])
  }

  test('of tools that are declared harmless are made side by side, whichever is answered first', async () => {
    const { calls, start } = await stand()
    const held = hold()
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      asksFor('find', 'look')
      const id = await start()
      // Neither is answered before both have come.
      await held.arrived(2)
      for (const n of order) held.answer(n)
      const run = await calls.ended(id)
      assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
      assert.deepEqual(tools.results(), ['answer 0', 'answer 1'])
    }
  })

  test('are not made beside one of a tool that is not declared harmless', async () => {
    const { calls, start, steps } = await stand()
    const held = hold()
    asksFor('find', 'act', 'find', 'look', 'act')
    const id = await start()
    // A step is written before its call is made: where there is none, nothing was called.
    for (const [begun, answered] of [
      ['started', [0]],
      ['succeeded started', [1]],
      ['succeeded succeeded started started', [2, 3]],
      ['succeeded succeeded succeeded succeeded started', [4]],
    ] as const) {
      await held.arrived(answered.length)
      assert.deepEqual(held.open(), answered)
      await steps(id, (statuses) => statuses === begun)
      for (const n of answered) held.answer(n)
    }
    assert.equal((await calls.ended(id)).output, 'Done.')
    assert.deepEqual(
      tools.called().map(({ arguments: given }) => given),
      [0, 1, 2, 3, 4].map((n) => ({ n })),
    )
    await assertPaid(calls, id)
  })

  /** A run whose three calls have arrived side by side, and are not answered. */
  async function threeUnderWay(fields: object = {}) {
    const stood = await stand(fields)
    const held = hold()
    asksFor('find', 'look', 'find')
    const id = await stood.start()
    await held.arrived(3)
    return { ...stood, held, id }
  }

  it('are answered, paid and told of in the order in which the model asked, each as soon as it is known', async () => {
    const { postern, calls, token, steps, held, id } = await threeUnderWay()
    held.answer(2)
    // It is written while the others are under way.
    await steps(id, (statuses) => statuses === 'started started succeeded')
    held.answer(0)
    await steps(id, (statuses) => statuses === 'succeeded started succeeded')
    const path = `${postern.url}/v1/runs/${id}/events`
    const headers = { authorization: `Bearer ${token}` }
    const early = await watchEvents(path, { headers }, (seen) => seen.length >= 8)
    assert.deepEqual(early.map(({ id: place, event }) => [Number(place), event]).slice(4), [
      ...[5, 6, 7].map((place) => [place, 'run.step.started']),
      // That of the third waits for that of the second.
      [8, 'run.step.completed'],
    ])
    held.answer(1)
    const run = await calls.ended(id)
    assert.equal(run.output, 'Done.')
    assert.deepEqual(tools.results(), ['answer 0', 'answer 1', 'answer 2'])
    const made = await calls.steps(id)
    assert.deepEqual(
      made.map(({ seq, kind }) => `${seq} ${kind}`),
      ['1 model', '2 tool', '3 tool', '4 tool', '5 model'],
    )
    const seen = await watchEvents(path, { headers })
    const placed = seen.filter(({ id: place }) => place !== undefined)
    assert.deepEqual(
      placed.map(({ id: place }) => Number(place)),
      placed.map((_, index) => index + 1),
    )
    const ends = placed.slice(7, 10).map(({ event, data }) => [event, (data.step as Shown).seq])
    assert.deepEqual(
      ends,
      [2, 3, 4].map((seq) => ['run.step.completed', seq]),
    )
    for (const after of [5, 7, 8, 10]) {
      const later = await watchEvents(path, { headers: { ...headers, 'last-event-id': String(after) } })
      assert.deepEqual(
        later.filter(({ id: place }) => place !== undefined),
        placed.slice(after),
      )
    }
    await assertPaid(calls, id)
  })

  test('end each by itself: one that fails, asks a person for more or is not answered takes nothing from the others', async () => {
    const { calls, start } = await stand()
    asksFor('find', 'look', 'find', 'look')
    const requests = {
      name: { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: {} } },
    }
    const results = [
      { resultType: 'complete', ...text('found') },
      { resultType: 'complete', ...text('No such customer.'), isError: true },
      { resultType: 'input_required', inputRequests: requests },
    ]
    const waiting: (() => void)[] = []
    tools.mcp.mischief.set('tools/call', (_request, response, body) => {
      const { id, params } = JSON.parse(body)
      const result = results[params.arguments.n]
      waiting.push(() => {
        if (result === undefined) return response.destroy()
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })
      if (waiting.length === 4) for (const answer of waiting) answer()
    })
    const id = await start()
    assert.equal((await calls.ended(id)).output, 'Done.')
    assert.deepEqual(shown(await calls.steps(id)), [
      ['find', 'succeeded', null, 1],
      ['look', 'failed', 'tool_error', 1],
      ['find', 'failed', 'input_required', 1],
      ['look', 'unknown', 'unreachable', 1],
    ])
    const [found, failed, asks, unknown] = tools.results()
    assert.deepEqual([found, failed], ['found', 'No such customer.'])
    assert.match(String(asks), /^The tool asks a person for something more/)
    assert.match(String(unknown), /outcome of this call is unknown/)
    assert.equal(tools.called().length, 4)
    await assertPaid(calls, id)
  })

  test('are broken off together when the run is cancelled; what one has come to by then is kept', async () => {
    const { calls, steps, held, id } = await threeUnderWay()
    held.answer(1)
    await steps(id, (statuses) => statuses === 'started succeeded started')
    assert.equal((await calls.post(`/v1/runs/${id}/cancel`)).body.status, 'cancelled')
    for (const n of held.open()) held.answer(n)
    assert.deepEqual(shown(await calls.steps(id)), [
      ['find', 'unknown', 'cancelled', 1],
      ['look', 'succeeded', null, 1],
      ['find', 'unknown', 'cancelled', 1],
    ])
    await assertPaid(calls, id)
  })

  test('are broken off together when the time of the run is over; what one has come to by then is kept', async () => {
    const { postern, calls, steps, held, id } = await threeUnderWay({ timeoutMs: MINUTE })
    held.answer(2)
    await steps(id, (statuses) => statuses === 'started started succeeded')
    postern.clock.advance(MINUTE)
    const run = await calls.ended(id)
    assert.deepEqual([run.status, run.error.details.reason], ['failed', 'timeout'])
    const ends = shown(await calls.steps(id))
    assert.deepEqual(
      ends.map(([, status]) => status),
      ['unknown', 'unknown', 'succeeded'],
    )
    await assertPaid(calls, id)
    for (const n of held.open()) held.answer(n)
  })

  test('that a person decides about are made alone, after those before them and before those after', async () => {
    const { calls, start, steps } = await stand({}, { look: { approval: 'always' } })
    const held = hold()
    asksFor('find', 'find', 'look', 'find', 'look', 'find')
    const id = await start()
    await held.arrived(2)
    held.answer(1)
    held.answer(0)
    const { approvals } = await calls.becomes(id, 'waiting')
    assert.deepEqual(
      approvals.map((one: Shown) => one.arguments),
      ['{"n":2}', '{"n":4}'],
    )
    assert.deepEqual(shown(await calls.steps(id)).length, 2)
    const [first, second] = approvals.map(({ stepId }: Shown) => stepId)
    const decisions = [
      { stepId: first, decision: 'approve' },
      { stepId: second, decision: 'deny' },
    ]
    assert.equal((await calls.post(`/v1/runs/${id}/approvals`, { decisions })).status, 200)
    await held.arrived(1)
    assert.deepEqual(held.open(), [2])
    await steps(id, (statuses) => statuses === 'succeeded succeeded started')
    held.answer(2)
    await held.arrived(1)
    held.answer(3)
    await held.arrived(1)
    assert.deepEqual(held.open(), [5])
    held.answer(5)
    assert.equal((await calls.ended(id)).output, 'Done.')
    const answers = tools.results()
    assert.match(String(answers[4]), /refused this call/)
    assert.deepEqual(
      answers.filter((_, index) => index !== 4),
      [0, 1, 2, 3, 5].map((n) => `answer ${n}`),
    )
    await assertPaid(calls, id)
  })

  test('are made side by side as far as the run has steps left', async () => {
    const { calls, start } = await stand({ maxSteps: 3 })
    const held = hold()
    asksFor('find', 'look', 'find', 'look')
    const id = await start()
    await held.arrived(2)
    for (const n of [1, 0]) held.answer(n)
    const run = await calls.ended(id)
    assert.deepEqual([run.status, run.error.details.reason], ['failed', 'max_steps'])
    assert.equal(tools.called().length, 2)
    await assertPaid(calls, id)
  })

  test('that cannot be made are refused in their order, and divide those that can', async () => {
    const { calls, start } = await stand()
    const held = hold()
    tools.asksFor(
      ['crm__find', '{"n":0}'],
      ['crm__find', '[]'],
      ['crm__look', '{"n":2}'],
      ['crm__look', '{"n":3}'],
      ['crm__none', '{}'],
    )
    const id = await start()
    await held.arrived(1)
    held.answer(0)
    await held.arrived(2)
    for (const n of [3, 2]) held.answer(n)
    assert.equal((await calls.ended(id)).output, 'Done.')
    assert.deepEqual(
      shown(await calls.steps(id)).map(([, , reason]) => reason),
      [null, 'bad_arguments', null, null, 'unknown_tool'],
    )
  })

  test('are made eight at a time in a run, and no more in an organization than leave places for others', async () => {
    const { postern, calls, start, agentId } = await stand()
    const held = hold()
    const numbers = Array.from({ length: 12 }, (_, n) => n)
    asksFor(...numbers.map(() => 'find'))
    const id = await start()
    await held.arrived(8)
    assert.equal((await calls.steps(id)).length, 1 + 8)
    for (const n of numbers.slice(0, 8)) held.answer(n)
    await held.arrived(4)
    for (const n of numbers.slice(8)) held.answer(n)
    assert.equal((await calls.ended(id)).output, 'Done.')
    // The first call of each run needs no place. Of the 64 places for the calls beside it, one organization alone gets half.
    let next = 0
    tools.chat.answer = ({ messages }, response) => {
      if (messages.some(({ role }) => role === 'tool')) return say(response, 'Done.')
      ask(
        response,
        numbers.slice(0, 8).map(() => {
          next += 1
          return ['crm__find', JSON.stringify({ n: next })]
        }),
      )
    }
    const ids = await Promise.all(numbers.slice(0, 5).map(async () => (await calls.run(agentId, 'Find.')).id))
    await held.arrived(4 * 8 + 5)
    const begun = await Promise.all(ids.map(async (one) => (await calls.steps(one)).length - 1))
    assert.deepEqual(begun.sort(), [5, 8, 8, 8, 8])
    const other = agentCalls(postern, await administrator(postern))
    const serverId = await tools.register(other)
    const choice = { serverId, name: 'find', approval: 'never', parallel: true }
    const foreign = await other.run(await other.agent({ model: 'stub', tools: [choice] }), 'Find.')
    await held.arrived(4 * 8 + 5 + 8)
    const all = [...ids.map((one) => calls.ended(one)), other.ended(foreign.id)]
    let answered = 0
    await until(
      () => {
        for (const n of held.open()) {
          held.answer(n)
          answered += 1
        }
        return answered
      },
      (count) => count === 6 * 8,
      { what: 'all calls to come' },
    )
    for (const run of await Promise.all(all)) assert.equal(run.output, 'Done.')
  })

  test('is a setting of the tool that its agent keeps, and that is off unless it is said', async () => {
    const { calls, agentId } = await stand()
    const { tools: chosen } = (await calls.get(`/v1/agents/${agentId}`)).body
    assert.deepEqual(
      chosen.map(({ name, parallel }: Shown) => [name, parallel]),
      [
        ['find', true],
        ['look', true],
        ['act', false],
      ],
    )
    const [{ parallel: _, ...silent }] = chosen
    const { body } = await calls.patch(`/v1/agents/${agentId}`, { tools: [silent] })
    assert.equal(body.tools[0].parallel, false)
    const refused = await calls.patch(`/v1/agents/${agentId}`, { tools: [{ ...silent, parallel: 'yes' }] })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'TYPE_MISMATCH'])
  })
})
