import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { useAgentTools } from '../support/agent-tools.ts'
import { type AgentCalls, agentCalls } from '../support/agents.ts'
import { Client } from '../support/browser.ts'
import { begin, event } from '../support/chat-server.ts'
import { watchEvents } from '../support/event-reader.ts'
import { administrator, apiKey } from '../support/people.ts'
import { type EngineName, onOneEngineByDay, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'

const tools = await useAgentTools()
const NO_ANSWER = new Promise<object>(() => {})
const FOUND = { content: [{ type: 'text', text: 'found' }] }

beforeEach(() => tools.reset())

/** Has each tool do as it is told here. */
function tell(doing: Record<string, () => object | Promise<object>>): void {
  tools.mcp.tools = tools.mcp.tools.map((tool) => ({ ...tool, call: doing[tool.name] ?? (() => FOUND) }))
}

const called = (count: number) =>
  until(
    () => tools.called().length,
    (seen) => seen === count,
    { what: `call ${count} of a tool` },
  )

/** An organization with an agent that may use tools, and the settings of processes that serve it. */
async function stand(engine: EngineName) {
  const first = await startPostern(engine, { env: tools.env })
  const token = await apiKey(first, await administrator(first))
  const agentId = await tools.agent(agentCalls(first, { token }), { repeatable: true })
  const { PORT: _, SMTP_URL: __, ...env } = first.env
  await first.stop()
  const callsOf = ({ url }: { url: string }): AgentCalls =>
    agentCalls({ client: () => new Client(url) }, { token })
  return { env, token, agentId, callsOf }
}

describe('a run whose process is killed while it calls a tool', () => {
  it('goes on in the next: a call that may be repeated is, with the same key, and one that may not was made once', async () => {
    const { env, agentId, callsOf } = await stand('sqlite')
    tools.asksFor(['crm__find', '{}'], ['crm__act', '{}'])
    tell({ find: () => NO_ANSWER })
    let server = await startProcess(env)
    const { id } = await callsOf(server).run(agentId, 'Find, and act.')
    await called(1)
    await server.kill()
    tell({ act: () => NO_ANSWER })
    server = await startProcess(env)
    await called(3)
    await server.kill()
    const last = await startPostern('sqlite', { env0: env })
    const run = await callsOf(last).ended(id)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
    const steps = await callsOf(last).steps(id)
    assert.deepEqual(
      steps.map(({ name, status, reason, tries, credits }) => [name, status, reason, tries, credits]),
      [
        ['stub', 'succeeded', null, 1, steps[0]?.credits],
        ['crm__find', 'succeeded', null, 2, 1],
        ['crm__act', 'unknown', 'process_died', 1, 1],
        ['stub', 'succeeded', null, 1, steps[3]?.credits],
      ],
    )
    const [find, act] = [steps[1]?.id, steps[2]?.id]
    assert.deepEqual(
      tools.called().map(({ name, stepId }) => [name, stepId]),
      [
        ['find', find],
        ['find', find],
        ['act', act],
      ],
    )
    assert.match(String(tools.results()[1]), /outcome of this call is unknown/)
    await last.stop()
  })

  it('goes on in another that runs beside it, where whoever watched the run goes on watching', async () => {
    const { env, agentId, callsOf, token } = await stand('postgres')
    tell({ act: () => NO_ANSWER })
    const one = await startProcess(env)
    const { id } = await callsOf(one).run(agentId, 'Act.')
    await called(1)
    const { id: unwanted } = await callsOf(one).run(agentId, 'Act.')
    await called(2)
    const two = await startPostern('postgres', { env0: env })
    const path = `/v1/runs/${id}/events`
    const headers = { authorization: `Bearer ${token}` }
    const first = await watchEvents(`${one.url}${path}`, { headers }, (seen) => seen.at(-1)?.id === '5')
    assert.deepEqual(
      first.map(({ id: place }) => place),
      ['1', '2', '3', '4', '5'],
    )
    const rest = watchEvents(`${two.url}${path}`, { headers: { ...headers, 'last-event-id': '5' } })
    await one.kill()
    // Whoever had it is gone: it is cancelled at once all the same.
    const cancelled = await callsOf(two).post(`/v1/runs/${unwanted}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    const placed = (await rest).filter(({ id: place }) => place !== undefined)
    assert.deepEqual(
      placed.map(({ id: place, event: name }) => [place, name]),
      [
        ['6', 'run.step.completed'],
        ['7', 'run.step.started'],
        ['8', 'run.step.completed'],
        ['9', 'run.succeeded'],
      ],
    )
    const [, step] = await callsOf(two).steps(id)
    assert.deepEqual([step?.status, step?.reason], ['unknown', 'process_died'])
    const [, left, ...more] = await callsOf(two).steps(unwanted)
    assert.deepEqual([left?.status, left?.reason, more], ['unknown', 'cancelled', []])
    assert.equal(tools.called().length, 2)
    await two.stop()
  })
})

onOneEngineByDay('a run whose process is told to end', (engine) => {
  it('is given back: the model is asked once more by the next, a tool may still answer, and nothing is repeated', async () => {
    const { env, agentId, callsOf } = await stand(engine)
    const start = () => startPostern(engine, { env0: env })
    const { answer } = tools.chat
    const cutBefore = tools.chat.cut()
    let server = await start()
    tools.chat.answer = (_asked, response) => {
      begin(response)
      response.write(event({ choices: [{ delta: { content: 'Well, ' } }] }))
    }
    const { id } = await callsOf(server).run(agentId, 'Act.')
    await until(
      () => tools.chat.asked.length,
      (count) => count === 1,
      { what: 'the model to be asked' },
    )
    await server.stop()
    assert.equal(tools.chat.cut(), cutBefore + 1)
    tools.chat.answer = answer
    const acted = Promise.withResolvers<object>()
    tell({ act: () => acted.promise })
    server = await start()
    await called(1)
    const stopped = server.stop()
    acted.resolve(FOUND)
    await stopped
    server = await start()
    const run = await callsOf(server).ended(id)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
    const steps = await callsOf(server).steps(id)
    assert.deepEqual(
      steps.map(({ name, status, text, tries }) => [name, status, text, tries]),
      [
        ['stub', 'succeeded', '', 1],
        ['crm__act', 'succeeded', 'found', 1],
        ['stub', 'succeeded', 'Done.', 1],
      ],
    )
    assert.deepEqual([tools.called().length, tools.chat.asked.length], [1, 3])
    await server.stop()
  })
})
