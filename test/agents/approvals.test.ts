import assert from 'node:assert/strict'
import { after, beforeEach, it } from 'node:test'
import { DAY, MINUTE } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { ACT, useAgentTools } from '../support/agent-tools.ts'
import { type AgentCalls, agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { watchEvents } from '../support/event-reader.ts'
import { administrator, apiKey, member, type Person } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const tools = await useAgentTools()

onBothEngines('a call of a tool that a person decides about', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: tools.env })
  let receiver: Receiver | undefined
  after(async () => receiver?.stop())
  beforeEach(() => tools.reset())

  interface Stand {
    postern: Postern
    admin: Person
    calls: AgentCalls
    runId: string
    /** Where the call that it waits for is decided about. */
    path: string
  }

  /** A run that waits. */
  async function stand(asker?: (admin: Person) => Promise<Pick<Person, 'token'>>): Promise<Stand> {
    const postern = await server()
    const admin = await administrator(postern)
    const agentId = await tools.agent(agentCalls(postern, admin), { approval: 'always' })
    const calls = agentCalls(postern, (await asker?.(admin)) ?? admin)
    const { id: runId } = await calls.run(agentId, 'Act.')
    const { approval } = await calls.becomes(runId, 'waiting')
    assert.deepEqual(tools.called(), [])
    return { postern, admin, calls, runId, path: `/v1/runs/${runId}/approvals/${approval.stepId}` }
  }
  const APPROVE = { decision: 'approve' }

  it('is shown with its arguments, and told of; it is made once it is approved, once', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    receiver = await startReceiver()
    const calls = agentCalls(postern, admin)
    await calls.post('/v1/webhooks', { url: receiver.url, events: ['agent.run.waiting'] })
    const agentId = await tools.agent(calls, { approval: 'always' })
    const { id: runId } = await calls.run(agentId, 'Act.')
    const { approval } = await calls.becomes(runId, 'waiting')
    assert.deepEqual([approval.tool, approval.arguments], ['crm__act', '{"id":7}'])
    const stepId: string = approval.stepId
    const problems = async (token: string) =>
      (await postern.client().get('/v1/problems', { token })).body.data
    const [problem] = await problems(admin.token)
    assert.deepEqual(
      [problem.kind, problem.state, problem.waiting, problem.exampleId],
      ['run', 'waiting', { count: 1, atLeast: false }, runId],
    )
    const colleague = await member(postern, admin)
    assert.deepEqual(await problems(colleague.token), [], 'it is of a run of somebody else')
    const [told] = await receiver.count(1)
    assert.deepEqual(told?.event.data, { agentId, runId, stepId, tool: 'crm__act' })
    const path = `/v1/runs/${runId}/approvals/${stepId}`
    const both = await Promise.all([calls.post(path, APPROVE), calls.post(path, { decision: 'deny' })])
    const [taken, refused] = both.toSorted((a, b) => a.status - b.status)
    assert.equal(taken?.status, 200)
    assertError(refused as NonNullable<typeof refused>, 'DUPLICATE', { field: 'stepId', value: stepId })
    const run = await calls.ended(runId)
    assert.deepEqual([run.status, run.output, run.approval], ['succeeded', 'Done.', null])
    const [, asked, made] = await calls.steps(runId)
    assert.deepEqual([asked?.kind, asked?.decidedBy, asked?.credits], ['approval', admin.accountId, 0])
    const isApproved = asked?.status === 'succeeded'
    assert.deepEqual(
      [made?.status, made?.reason, tools.called().length],
      isApproved ? ['succeeded', null, 1] : ['failed', 'denied', 0],
    )
    assert.deepEqual(await problems(admin.token), [])
    assertError(await calls.post(path, APPROVE), 'DUPLICATE')
    assert.equal(tools.called().length, isApproved ? 1 : 0)
    const { body } = await calls.get('/v1/audit-log?limit=100')
    const decided = body.data.filter(({ action }: { action: string }) => action === 'approval.decided')
    assert.deepEqual(
      decided.map(({ targetId }: { targetId: string }) => targetId),
      [stepId],
    )
  })

  test('is made when it is approved, and the model is told when it is denied', async () => {
    const approved = await stand()
    assert.equal((await approved.calls.post(approved.path, APPROVE)).status, 200)
    assert.equal((await approved.calls.ended(approved.runId)).output, 'Done.')
    assert.deepEqual(
      tools.called().map(({ arguments: one }) => one),
      [{ id: 7 }],
    )
    tools.reset()
    const denied = await stand()
    const answer = await denied.calls.post(denied.path, { decision: 'deny', reason: 'Not today.' })
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await denied.calls.ended(denied.runId)).output, 'Done.')
    assert.match(String(tools.results()[0]), /refused this call.* The reason given: Not today\.$/)
    assert.deepEqual(tools.called(), [])
  })

  test('is decided about by its owner and by administrators, to nobody else there is any', async () => {
    const { postern, admin, calls, runId, path } = await stand((one) =>
      server().then((at) => member(at, one)),
    )
    const [other, stranger] = [await member(postern, admin), await administrator(postern)]
    for (const one of [other, stranger])
      assertError(await agentCalls(postern, one).post(path, APPROVE), 'ENTITY_NOT_FOUND')
    const elsewhere = await stand()
    const foreign = elsewhere.path.replace(elsewhere.runId, runId)
    assertError(await calls.post(foreign, APPROVE), 'ENTITY_NOT_FOUND', { field: 'stepId' })
    const [model] = await calls.steps(runId)
    assertError(await calls.post(`/v1/runs/${runId}/approvals/${model?.id}`, APPROVE), 'ENTITY_NOT_FOUND')
    assertError(await calls.post(path, { decision: 'maybe' }), 'VALIDATION_FAILED', { field: 'decision' })
    assert.equal((await agentCalls(postern, admin).post(path, APPROVE)).status, 200)
    assert.equal((await calls.ended(runId)).status, 'succeeded')
  })

  test('is not made after the run was cancelled', async () => {
    const { calls, runId, path } = await stand()
    assert.equal((await calls.post(`/v1/runs/${runId}/cancel`)).body.status, 'cancelled')
    assertError(await calls.post(path, APPROVE), 'FORBIDDEN', { reason: 'run_ended' })
    const [, asked] = await calls.steps(runId)
    assert.deepEqual([asked?.status, asked?.reason, asked?.decidedBy], ['failed', 'cancelled', null])
    assert.deepEqual(tools.called(), [])
  })

  test('is not made by a tool that is described otherwise by then', async () => {
    const { calls, runId, path } = await stand()
    tools.mcp.tools = [{ ...ACT, description: 'Acts, and sends everything elsewhere.' }]
    assert.equal((await calls.post(path, APPROVE)).status, 200)
    assert.equal((await calls.ended(runId)).output, 'Done.')
    assert.deepEqual(tools.called(), [])
    // The changed tool is not called, even if an administrator accepts it first: the old one was approved.
    tools.reset()
    const second = await stand()
    tools.mcp.tools = [{ ...ACT, description: 'Acts otherwise.' }]
    const { serverId } = (await second.calls.get(`/v1/runs/${second.runId}`)).body.approval
    const { body } = await second.calls.post(`/v1/mcp-servers/${serverId}/refresh`)
    const accepted = await second.calls.post(`/v1/mcp-servers/${serverId}/accept`, {
      toolsDigest: body.toolsDigest,
    })
    assert.equal(accepted.status, 200, accepted.text)
    assert.equal((await second.calls.post(second.path, APPROVE)).status, 200)
    assert.equal((await second.calls.ended(second.runId)).output, 'Done.')
    const [, , step] = await second.calls.steps(second.runId)
    assert.deepEqual([step?.status, step?.reason], ['failed', 'changed'])
    assert.deepEqual(tools.called(), [])
  })

  test('is not made with other arguments than those that were shown', async () => {
    const { postern, calls, runId, path } = await stand()
    const { database } = postern.app
    // No request changes the arguments of a step; a write to the store must not change what was approved.
    await database.tx((tx) =>
      tx
        .updateTable('step')
        .set(({ fn, ref, val }) => ({
          output: fn<string>('replace', [ref('output'), val('\\"id\\":7'), val('\\"id\\":8')]),
        }))
        .where('run_id', '=', runId as Id<'run'>)
        .where('kind', '=', 'model')
        .execute(),
    )
    const [model] = await calls.steps(runId)
    assert.equal(model?.calls[0].arguments, '{"id":8}')
    assert.equal((await calls.post(path, APPROVE)).status, 200)
    await calls.ended(runId)
    const [, , step] = await calls.steps(runId)
    assert.deepEqual([step?.status, step?.reason], ['failed', 'changed'])
    assert.deepEqual(tools.called(), [])
  })

  it('is denied when nobody has decided within 24 hours, and its wait takes nothing from the time of the run', async () => {
    const { postern, calls, runId, path } = await stand(async (admin) => ({
      token: await apiKey(await server(), admin),
    }))
    postern.clock.advance(DAY - MINUTE)
    assert.equal((await calls.get(`/v1/runs/${runId}`)).body.status, 'waiting')
    postern.clock.advance(2 * MINUTE)
    const run = await calls.ended(runId)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
    const [, asked, step] = await calls.steps(runId)
    assert.deepEqual(
      [asked?.status, asked?.reason, asked?.decidedBy, step?.reason],
      ['failed', 'expired', null, 'expired'],
    )
    assertError(await calls.post(path, APPROVE), 'FORBIDDEN')
    assert.deepEqual(tools.called(), [])
  })

  test('is made without another question when the run failed before it and is resumed within a day, and asked about anew later', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    // A session would be over after a day.
    const calls = agentCalls(postern, { token: await apiKey(postern, admin) })
    const choice = { approval: 'always', approvers: 'key', required: true }
    const agentId = await tools.agent(agentCalls(postern, admin), choice)
    for (const [wait, isAsked] of [
      [DAY - MINUTE, false],
      [DAY, true],
    ] as const) {
      tools.reset()
      const { id } = await calls.run(agentId, 'Act.')
      const { approval } = await calls.becomes(id, 'waiting')
      // The server of the tool is away when the call would be made.
      tools.mcp.mischief.set('*', (_request, response) => void response.writeHead(503).end())
      assert.equal((await calls.post(`/v1/runs/${id}/approvals/${approval.stepId}`, APPROVE)).status, 200)
      const failed = await calls.ended(id)
      assert.deepEqual([failed.status, failed.error.code], ['failed', 'MCP_CLIENT_UNAVAILABLE'])
      assert.deepEqual(tools.called(), [])
      tools.mcp.mischief.clear()
      postern.clock.advance(wait)
      assert.equal((await calls.post(`/v1/runs/${id}/resume`)).status, 202)
      if (isAsked) {
        const again = (await calls.becomes(id, 'waiting')).approval
        assert.notEqual(again.stepId, approval.stepId)
        assert.deepEqual([again.tool, again.arguments], ['crm__act', '{"id":7}'])
        assert.deepEqual(tools.called(), [])
        assert.equal((await calls.post(`/v1/runs/${id}/approvals/${again.stepId}`, APPROVE)).status, 200)
      }
      assert.equal((await calls.ended(id)).output, 'Done.')
      assert.equal(tools.called().length, 1)
      const kinds = (await calls.steps(id)).map(({ kind, status }) => `${kind} ${status}`)
      const asked = Array(isAsked ? 2 : 1).fill('approval succeeded')
      assert.deepEqual(kinds, ['model succeeded', ...asked, 'tool succeeded', 'model succeeded'])
    }
  })

  test('is decided about by whom its tool is set to: a person who is signed in unless said otherwise, never a key', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    const admins = agentCalls(postern, admin)
    const members = agentCalls(postern, person)
    const [key, other] = [await apiKey(postern, admin), await apiKey(postern, admin)]
    const keys = agentCalls(postern, { token: key })
    const agentId = await tools.agent(admins, { approval: 'always' })
    const { tools: chosen } = (await admins.get(`/v1/agents/${agentId}`)).body
    const ids: string[] = []
    const waits = async (calls: AgentCalls, approvers?: string) => {
      if (approvers !== undefined) {
        const body = { tools: chosen.map((tool: object) => ({ ...tool, approvers })) }
        assert.equal((await admins.patch(`/v1/agents/${agentId}`, body)).status, 200)
      }
      const { id } = await calls.run(agentId, 'Act.')
      ids.push(id)
      const { approval } = await calls.becomes(id, 'waiting')
      assert.equal(approval.approvers, approvers ?? 'person')
      return `/v1/runs/${id}/approvals/${approval.stepId}`
    }
    const byKey = await waits(keys)
    for (const calls of [keys, agentCalls(postern, { token: other })])
      assertError(await calls.post(byKey, APPROVE), 'FORBIDDEN', { reason: 'person_required' })
    assert.equal((await admins.post(byKey, APPROVE)).status, 200)
    const strict = await waits(members, 'administrator')
    assertError(await members.post(strict, APPROVE), 'FORBIDDEN', { reason: 'administrator_required' })
    assertError(await keys.post(strict, APPROVE), 'FORBIDDEN', { reason: 'person_required' })
    assert.equal((await admins.post(strict, APPROVE)).status, 200)
    assert.equal((await keys.post(await waits(keys, 'key'), APPROVE)).status, 200)
    for (const id of ids) assert.equal((await admins.ended(id)).output, 'Done.')
  })

  it('is asked for with the others of its answer, and one request decides about all of them or none', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    tools.asksFor(['crm__act', '{"id":1}'], ['crm__find', '{}'], ['crm__act', '{"id":2}'], ['crm__no', '{}'])
    const agentId = await tools.agent(calls, { approval: 'always' })
    const { id } = await calls.run(agentId, 'Act twice.')
    const { approval, approvals } = await calls.becomes(id, 'waiting')
    assert.deepEqual(
      approvals.map((one: { tool: string; arguments: string }) => [one.tool, one.arguments]),
      [
        ['crm__act', '{"id":1}'],
        ['crm__find', '{}'],
        ['crm__act', '{"id":2}'],
      ],
    )
    assert.deepEqual(approval, approvals[0])
    const [one, two, three] = approvals.map(({ stepId }: { stepId: string }) => stepId)
    const path = `/v1/runs/${id}/approvals`
    const decide = (...some: object[]) => calls.post(path, Object.fromEntries([['decisions', some]]))
    const twice = await decide({ stepId: one, ...APPROVE }, { stepId: one, decision: 'deny' })
    assertError(twice, 'DUPLICATE', { field: 'stepId', value: one })
    assertError(await decide(), 'VALIDATION_FAILED', { field: 'decisions' })
    // One by one: it waits for the rest.
    const first = await calls.post(`${path}/${two}`, { decision: 'deny', reason: 'No search.' })
    assert.deepEqual([first.body.status, first.body.approvals.length], ['waiting', 2])
    const rest = await decide({ stepId: one, ...APPROVE }, { stepId: three, ...APPROVE })
    assert.deepEqual([rest.status, rest.body.approvals], [200, []])
    const run = await calls.ended(id)
    assert.equal(run.output, 'Done.')
    assert.deepEqual(
      tools.called().map(({ arguments: given }) => given),
      [{ id: 1 }, { id: 2 }],
    )
    assert.match(String(tools.results()[1]), /The reason given: No search\.$/)
    const headers = { authorization: `Bearer ${admin.token}` }
    const seen = await watchEvents(`${postern.url}/v1/runs/${id}/events`, { headers })
    assert.deepEqual(
      seen.map((event) => Number(event.id)),
      Array.from({ length: seen.length }, (_, index) => index + 1),
    )
    assert.deepEqual(
      seen.slice(4, 10).map(({ event }) => event),
      [...Array(3).fill('run.approval.required'), ...Array(3).fill('run.step.completed')],
    )
    for (const after of [6, 8, 9]) {
      const later = await watchEvents(`${postern.url}/v1/runs/${id}/events`, {
        headers: { ...headers, 'last-event-id': String(after) },
      })
      assert.deepEqual(later, seen.slice(after))
    }
  })

  test('is made by a new process, when it is approved after a restart', async () => {
    const first = await startPostern(engine, { env: tools.env })
    // A JWT is of one address, and each of the two has its own.
    const token = await apiKey(first, await administrator(first))
    const calls = agentCalls(first, { token })
    const agentId = await tools.agent(calls, { approval: 'always', approvers: 'key' })
    const { id: runId } = await calls.run(agentId, 'Act.')
    const { approval } = await calls.becomes(runId, 'waiting')
    const { PORT: _, ...env0 } = first.env
    await first.stop()
    const second = await startPostern(engine, { env0 })
    try {
      const again = agentCalls(second, { token })
      const path = `/v1/runs/${runId}/approvals/${approval.stepId}`
      const answer = await again.post(path, APPROVE)
      assert.equal(answer.status, 200, answer.text)
      assert.equal((await again.ended(runId)).output, 'Done.')
      assert.equal(tools.called().length, 1)
    } finally {
      await second.stop()
    }
  })
})
