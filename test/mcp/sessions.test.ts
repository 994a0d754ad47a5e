import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { createSession } from '#src/agents/mcp/client/session.ts'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { createAgent } from '#src/net/agent.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { type AgentCalls, agentCalls, type Shown } from '../support/agents.ts'
import { ask, say } from '../support/chat-server.ts'
import { testClock } from '../support/clock.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const tools = await useAgentTools()
const { mcp, chat } = tools
const { sessions } = mcp

/** The methods of the messages that came, and the sessions that those of one method named. */
const methods = () => mcp.received.map(({ method }) => method)
const sessionsOf = (method: string) =>
  mcp.received.filter((one) => one.method === method).map(({ headers }) => headers['mcp-session-id'])

it('a call that is made anew in another session has no more time than it had', async () => {
  tools.reset()
  mcp.protocol = 'sessions'
  const clock = testClock()
  const agent = createAgent({
    isAllowed: () => true,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const session = createSession({ clock, agent })
  const target = {
    url: new URL(mcp.url),
    headers: {},
    organizationId: newId('organization', 0),
    revision: '',
  }
  await session.use(target, { deadline: MINUTE }, (client, options) => client.listTools(undefined, options))
  let calls = 0
  mcp.mischief.set('tools/call', (_, response) => {
    calls += 1
    clock.advance(calls === 1 ? MINUTE - 5 * SECOND : 5 * SECOND)
    if (calls === 1) response.writeHead(404).end()
  })
  const begun = clock.now()
  const call = session.use(target, { deadline: MINUTE }, (client, options) =>
    client.callTool({ name: 'act', arguments: {} }, options),
  )
  await assert.rejects(call, { reason: 'timeout' })
  assert.ok(clock.now() - begun < 1.5 * MINUTE, `${clock.now() - begun} ms`)
  assert.equal(calls, 2)
  await session.close()
  await agent.close()
})

onOneEngineByDay('the session of a run with an MCP server', (engine) => {
  const server = usePostern(engine, { env: tools.env })
  beforeEach(() => {
    tools.reset()
    mcp.protocol = 'sessions'
    mcp.isAllowed = () => true
    sessions.forget()
    sessions.begun = 0
    sessions.refusal = 404
  })

  async function stand(choice?: object): Promise<{ calls: AgentCalls; serverId: string; agentId: string }> {
    const postern = await server()
    const calls = agentCalls(postern, await administrator(postern))
    const agentId = await tools.agent(calls, choice)
    const { body } = await calls.get('/v1/mcp-servers')
    mcp.received = []
    sessions.begun = 0
    return { calls, agentId, serverId: body.data[0].id }
  }

  /** Has the model ask for so many calls, one after the other. @param before is done before each of them is asked for */
  function asksFor(count: number, before: (index: number) => Promise<unknown> | undefined = () => undefined) {
    chat.answer = async ({ messages }, response) => {
      const done = messages.filter(({ role }) => role === 'tool').length
      if (done === count) return say(response, 'Done.')
      await before(done)
      ask(response, [['crm__act', JSON.stringify({ index: done })]])
    }
  }

  async function run(calls: AgentCalls, agentId: string): Promise<Shown[]> {
    const ended = await calls.ended((await calls.run(agentId, 'Act.')).id)
    assert.deepEqual([ended.status, ended.output], ['succeeded', 'Done.'])
    return (await calls.steps(ended.id)).filter(({ kind }) => kind === 'tool')
  }

  const outcomes = (steps: Shown[]) => steps.map(({ status, reason }) => reason ?? status)

  /** A run's session ends after the run. */
  const allEnded = () =>
    until(
      () => sessions.open.size,
      (open) => open === 0,
      { what: 'the sessions to end' },
    )

  it('is begun once, a call in it is one request, and it is ended with the run', async () => {
    const { calls, agentId } = await stand()
    asksFor(3)
    assert.deepEqual(outcomes(await run(calls, agentId)), ['succeeded', 'succeeded', 'succeeded'])
    await allEnded()
    assert.deepEqual(methods(), [
      ...['server/discover', 'initialize', 'notifications/initialized', 'tools/list'],
      ...['tools/call', 'tools/call', 'tools/call', 'DELETE'],
    ])
    assert.equal(new Set([...sessionsOf('tools/list'), ...sessionsOf('tools/call')]).size, 1)
    assert.equal(sessions.begun, 1)
  })

  for (const protocol of ['both', 'old'] as const)
    it(`is one handshake where there are no sessions, ${protocol === 'old' ? 'in an older protocol' : 'in the newest'}`, async () => {
      const { calls, agentId } = await stand()
      mcp.protocol = protocol
      asksFor(3)
      assert.deepEqual(outcomes(await run(calls, agentId)), ['succeeded', 'succeeded', 'succeeded'])
      const handshake = protocol === 'both' ? [] : ['initialize', 'notifications/initialized']
      assert.deepEqual(methods(), [
        ...['server/discover', ...handshake, 'tools/list'],
        ...['tools/call', 'tools/call', 'tools/call'],
      ])
    })

  for (const refusal of [404, 400] as const)
    it(`is begun anew, once, where the server has forgotten it (${refusal}): each call is made once`, async () => {
      const { calls, agentId } = await stand()
      const made: unknown[] = []
      mcp.tools = mcp.tools.map((tool) => ({
        ...tool,
        call(args) {
          made.push(args.index)
          return { content: [{ type: 'text', text: 'acted' }] }
        },
      }))
      sessions.refusal = refusal
      asksFor(3, async (index) => {
        if (index === 1) sessions.forget()
      })
      assert.deepEqual(outcomes(await run(calls, agentId)), ['succeeded', 'succeeded', 'succeeded'])
      assert.deepEqual(made, [0, 1, 2])
      assert.equal(sessions.begun, 2)
      const steps = tools.called().map(({ stepId }) => stepId)
      // The one that was refused, and nothing but that, came once more, by the same key.
      assert.deepEqual([steps.length, new Set(steps).size, steps[1] === steps[2]], [4, 3, true])
    })

  it('is not begun a second time for one call: a server that forgets each is refused to', async () => {
    const { calls, agentId } = await stand()
    asksFor(2, async () => {
      mcp.mischief.set('tools/call', (_, response) => void response.writeHead(404).end())
    })
    assert.deepEqual(outcomes(await run(calls, agentId)), ['not_found', 'not_found'])
    assert.ok(tools.called().length <= 4, `${tools.called().length} calls came`)
  })

  it('is not used again after a call whose end nobody knows', async () => {
    const { calls, agentId } = await stand()
    asksFor(2, async (index) => {
      mcp.mischief.clear()
      if (index === 0) mcp.mischief.set('tools/call', (_, response) => void response.destroy())
    })
    assert.deepEqual(outcomes(await run(calls, agentId)), ['unreachable', 'succeeded'])
    const [first, second] = sessionsOf('tools/call')
    assert.notEqual(first, second)
    assert.deepEqual([tools.called().length, sessions.begun], [2, 2])
  })

  it('ends when the server is changed between two calls: the next is made as it is now', async () => {
    const { calls, agentId, serverId } = await stand()
    asksFor(2, async (index) => {
      if (index === 0) return
      const changed = await calls.patch(`/v1/mcp-servers/${serverId}`, { headers: { 'x-tenant': 'second' } })
      assert.equal(changed.status, 200, changed.text)
    })
    assert.deepEqual(outcomes(await run(calls, agentId)), ['succeeded', 'succeeded'])
    const sent = mcp.received.filter(({ method }) => method === 'tools/call')
    assert.deepEqual(
      sent.map(({ headers }) => headers['x-tenant']),
      [undefined, 'second'],
    )
    assert.equal(sessions.begun, 2)
  })

  it('ends when the server is deleted, or has another URL, between two calls: nothing is called any more', async () => {
    for (const change of ['delete', 'url'] as const) {
      const { calls, agentId, serverId } = await stand()
      asksFor(2, async (index) => {
        if (index === 0) return
        if (change === 'delete') await calls.delete(`/v1/mcp-servers/${serverId}`)
        else await calls.patch(`/v1/mcp-servers/${serverId}`, { url: `${mcp.url}?other` })
      })
      const reasons = { delete: 'deleted', url: 'changed' }
      assert.deepEqual(outcomes(await run(calls, agentId)), ['succeeded', reasons[change]])
      assert.equal(tools.called().length, 1)
      tools.reset()
    }
  })

  it('ends without a word to a server that was deleted, or is called otherwise since the last call', async () => {
    for (const change of ['delete', 'headers', 'url'] as const) {
      const { calls, agentId, serverId } = await stand()
      const path = `/v1/mcp-servers/${serverId}`
      const body = change === 'url' ? { url: `${mcp.url}?other` } : { headers: { 'x-tenant': 'b' } }
      chat.answer = async ({ messages }, response) => {
        if (!messages.some(({ role }) => role === 'tool')) return ask(response, [['crm__act', '{}']])
        const changed = await (change === 'delete' ? calls.delete(path) : calls.patch(path, body))
        assert.ok(changed.status < 300, changed.text)
        say(response, 'Done.')
      }
      assert.deepEqual(outcomes(await run(calls, agentId)), ['succeeded'])
      // The session of a run after it ends as ever.
      const after = await stand()
      asksFor(1)
      await run(after.calls, after.agentId)
      await until(methods, (found) => found.includes('DELETE'), { what: 'the second session to end' })
      assert.equal(sessions.open.size, 1, change)
      sessions.forget()
      tools.reset()
    }
  })

  it('is each run’s own, though they go on side by side', async () => {
    const { calls, agentId } = await stand()
    const runs = 3
    const together = Promise.withResolvers<void>()
    let waiting = 0
    asksFor(2, async (index) => {
      if (index > 0) return
      waiting += 1
      if (waiting === runs) together.resolve()
      await together.promise
    })
    const all = await Promise.all(Array.from({ length: runs }, () => run(calls, agentId)))
    for (const steps of all) assert.deepEqual(outcomes(steps), ['succeeded', 'succeeded'])
    const bySession = [...Map.groupBy(sessionsOf('tools/call'), (id) => id).values()]
    assert.deepEqual(
      bySession.map((made) => made.length),
      [2, 2, 2],
    )
    // Each run has begun one session.
    assert.equal(sessions.begun, runs)
    await allEnded()
  })

  it('is not kept while a person is asked', async () => {
    const { calls, agentId } = await stand({ approval: 'always' })
    asksFor(1)
    const { id } = await calls.run(agentId, 'Act.')
    await calls.becomes(id, 'waiting')
    await allEnded()
    const [step] = (await calls.steps(id)).filter(({ kind }) => kind === 'approval')
    const decided = await calls.post(`/v1/runs/${id}/approvals/${step?.id}`, { decision: 'approve' })
    assert.equal(decided.status, 200, decided.text)
    const run = await calls.ended(id)
    assert.deepEqual([run.status, sessions.begun, tools.called().length], ['succeeded', 2, 1])
  })
})
