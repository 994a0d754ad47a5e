import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, member } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'

onBothEngines('an agent', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(async () => receiver?.stop())

  it('answers by the built-in model on a fresh store, step by step, and the event reports it exactly', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    receiver = await startReceiver()
    await calls.post('/v1/webhooks', { url: receiver.url, events: ['agent.run.completed'] })
    const agentId = await calls.agent()
    const conversationId = await calls.conversation()
    const accepted = await calls.run(agentId, 'What does it cost?', { conversationId, metadata: { a: 1 } })
    assert.equal(accepted.status, 'queued')
    const run = await calls.ended(accepted.id)
    assert.equal(run.status, 'succeeded')
    assert.match(run.output, /found nothing.*builtin\/extractive-1/)
    assert.deepEqual(run.usage, { inputTokens: 0, outputTokens: 0 })
    assert.deepEqual([run.credits, run.steps, run.metadata], [1, 1, { a: 1 }])
    const [step] = await calls.steps(run.id)
    assert.deepEqual(
      [step?.kind, step?.status, step?.name, step?.seq, step?.text],
      ['model', 'succeeded', 'builtin/extractive-1', 1, run.output],
    )
    const [call] = await receiver.count(1)
    assert.equal(call?.event.type, 'agent.run.completed')
    assert.deepEqual(call?.event.data, {
      ...{ agentId, runId: run.id, status: 'succeeded', durationMs: run.durationMs, output: run.output },
      finishReason: 'stop',
      ...{ conversationId, metadata: { a: 1 }, error: null },
    })
    const { body } = await calls.get(`/v1/conversations/${conversationId}/messages`)
    assert.deepEqual(
      body.data.map(({ role, content, runId }: Record<string, string>) => [role, content, runId]),
      [
        ['assistant', run.output, run.id],
        ['user', 'What does it cost?', run.id],
      ],
    )
  })

  it('has its runs listed with those of all agents: by agent, state and time, to a member the member’s own', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    const other = agentCalls(postern, await member(postern, admin))
    const [one, two] = [await calls.agent(), await calls.agent()]
    const first = await calls.ended((await calls.run(one, 'one')).id)
    const second = await calls.ended((await calls.run(two, 'two')).id)
    const third = await other.ended((await other.run(two, 'three')).id)
    const list = async (query = '', of = calls) => {
      const { status, body, text } = await of.get(`/v1/runs${query}`)
      assert.equal(status, 200, text)
      return body.data.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await list(), [third.id, second.id, first.id])
    assert.deepEqual(await list(`?agentId=${two}&status=succeeded`), [third.id, second.id])
    assert.deepEqual(await list('?status=failed'), [])
    assert.deepEqual(await list(`?until=${second.createdAt}`), [first.id])
    assert.deepEqual(await list('', other), [third.id])
    assert.deepEqual(await list('', agentCalls(postern, await administrator(postern))), [])
    const { body } = await calls.get('/v1/runs?limit=2')
    assert.deepEqual(await list(`?limit=2&cursor=${body.nextCursor}`), [first.id])
  })

  it('quotes from its own knowledge bases, with the document, and from no other', async () => {
    const postern = await server()
    const calls = agentCalls(postern, await administrator(postern))
    const stranger = agentCalls(postern, await administrator(postern))
    const base = (await calls.post('/v1/knowledge-bases', { name: 'Prices' })).body.id
    const text = 'A lighthouse of glass costs forty crowns and a candle.'
    const path = `/v1/knowledge-bases/${base}/documents`
    const { body: document } = await calls.post(path, { name: 'prices.txt', text })
    await until(
      () => calls.get(`/v1/documents/${document.id}`),
      ({ body }) => body.status === 'indexed',
      { what: 'a document to be indexed' },
    )
    const agentId = await calls.agent({ knowledgeBaseIds: [base] })
    const { output } = await calls.ended((await calls.run(agentId, 'What does a lighthouse cost?')).id)
    assert.ok(output.includes(`> ${text}`) && output.includes('prices.txt'), output)
    assertError(
      await stranger.post('/v1/agents', { name: 'Thief', knowledgeBaseIds: [base] }),
      'ENTITY_NOT_FOUND',
      { field: 'knowledgeBaseIds.0' },
    )
    const without = await calls.agent()
    const { output: nothing } = await calls.ended(
      (await calls.run(without, 'What does a lighthouse cost?')).id,
    )
    assert.match(nothing, /found nothing/)
    // Also when it was set before: what is gone is not found.
    await calls.delete(`/v1/knowledge-bases/${base}`)
    const after = await calls.ended((await calls.run(agentId, 'What does a lighthouse cost?')).id)
    assert.match(after.output, /found nothing/)
  })

  test('is a version after each change, and a run keeps the one that it began with', async () => {
    const calls = agentCalls(await server(), await administrator(await server()))
    const agentId = await calls.agent({ instructions: 'Be short.', maxSteps: 3 })
    const first = await calls.run(agentId, 'one')
    const changed = await calls.patch(`/v1/agents/${agentId}`, { instructions: 'Be long.' })
    assert.deepEqual(
      [changed.body.version, changed.body.instructions, changed.body.maxSteps],
      [2, 'Be long.', 3],
    )
    const second = await calls.run(agentId, 'two')
    assert.deepEqual([first.agentVersion, second.agentVersion], [1, 2])
    assert.equal((await calls.delete(`/v1/agents/${agentId}`)).status, 204)
    // What has begun ends; the next is refused.
    assert.equal((await calls.ended(second.id)).status, 'succeeded')
    assertError(await calls.post(`/v1/agents/${agentId}/runs`, { input: 'three' }), 'ENTITY_NOT_FOUND')
    assertError(await calls.get(`/v1/agents/${agentId}`), 'ENTITY_NOT_FOUND')
  })

  it('can be read as it was in each version, page by page, and brought back', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    const id = await calls.agent({ instructions: 'First.' })
    for (const change of [{ instructions: 'Second.', maxSteps: 3 }, { name: 'Renamed' }])
      assert.equal((await calls.patch(`/v1/agents/${id}`, change)).status, 200)
    const plain = agentCalls(postern, await member(postern, admin))
    const path = `/v1/agents/${id}/versions`
    const newest = (await plain.get(`${path}?limit=2`)).body
    const oldest = (await plain.get(`${path}?limit=2&cursor=${newest.nextCursor}`)).body
    assert.deepEqual(
      [...newest.data, ...oldest.data].map(({ version, instructions, maxSteps }) => [
        version,
        instructions,
        maxSteps,
      ]),
      [
        [3, 'Second.', 3],
        [2, 'Second.', 3],
        [1, 'First.', 12],
      ],
    )
    assert.equal(oldest.nextCursor, null)
    const first = await plain.get(`${path}/1`)
    assert.deepEqual(first.body, oldest.data[0])
    const { agentId, version, createdBy, createdAt, ...definition } = first.body
    assert.deepEqual([agentId, version, createdBy], [id, 1, admin.accountId])
    assert.ok(createdAt)
    const back = await calls.patch(`/v1/agents/${id}`, definition)
    assert.deepEqual([back.body.version, back.body.instructions, back.body.name], [4, 'First.', 'Renamed'])
    assertError(await plain.get(`${path}/5`), 'ENTITY_NOT_FOUND', { field: 'version' })
    assertError(await plain.get(`${path}/0`), 'VALIDATION_FAILED')
    assertError(await plain.get(`${path}?cursor=${'x'.repeat(24)}`), 'VALIDATION_FAILED')
    const other = agentCalls(postern, await administrator(postern))
    for (const shown of [path, `${path}/1`]) assertError(await other.get(shown), 'ENTITY_NOT_FOUND')
  })

  it('takes turns with the runs of a conversation, in the order in which they were accepted', async () => {
    const calls = agentCalls(await server(), await administrator(await server()))
    const agentId = await calls.agent()
    const conversationId = await calls.conversation()
    const runs = []
    for (const input of ['one', 'two', 'three', 'four'])
      runs.push(await calls.run(agentId, input, { conversationId }))
    const ended = []
    for (const { id } of runs) ended.push(await calls.ended(id))
    for (const [index, run] of ended.entries())
      if (index > 0)
        assert.ok(run.startedAt >= ended[index - 1]?.endedAt, 'it began before the one before it ended')
    const { body } = await calls.get(`/v1/conversations/${conversationId}/messages`)
    const said = body.data.filter(({ role }: { role: string }) => role === 'user')
    assert.deepEqual(
      said.map(({ content }: { content: string }) => content),
      ['four', 'three', 'two', 'one'],
    )
  })

  it('answers 200 to who waits for its end, and one run to a key that comes twice at once', async () => {
    const calls = agentCalls(await server(), await administrator(await server()))
    const agentId = await calls.agent()
    const path = `/v1/agents/${agentId}/runs`
    const waited = await calls.post(path, { input: 'now' }, { prefer: 'wait=30' })
    assert.deepEqual([waited.status, waited.body.status], [200, 'succeeded'])
    const headers = { 'idempotency-key': 'the-same' }
    const answers = await Promise.all([1, 2].map(() => calls.post(path, { input: 'once' }, headers)))
    const accepted = answers.filter(({ status }) => status === 202)
    assert.ok(accepted.length > 0)
    for (const answer of answers.filter(({ status }) => status !== 202)) assertError(answer, 'DUPLICATE')
    assert.equal(new Set(accepted.map(({ body }) => body.id)).size, 1)
    const { body } = await calls.get(path)
    assert.equal(body.data.filter(({ input }: { input: string }) => input === 'once').length, 1)
  })

  it('has conversations that to another member, and to another organization, are none', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const [ada, grace] = [await member(postern, admin), await member(postern, admin)]
    const [owner, other] = [agentCalls(postern, ada), agentCalls(postern, grace)]
    const [all, stranger] = [agentCalls(postern, admin), agentCalls(postern, await administrator(postern))]
    const agentId = await all.agent()
    const conversationId = await owner.conversation()
    const run = await owner.run(agentId, 'mine', { conversationId })
    const path = `/v1/conversations/${conversationId}`
    for (const calls of [other, stranger]) {
      assertError(await calls.get(path), 'CONVERSATION_NOT_FOUND')
      assertError(await calls.get(`${path}/messages`), 'CONVERSATION_NOT_FOUND')
      assertError(await calls.delete(path), 'CONVERSATION_NOT_FOUND')
      assertError(await calls.get(`/v1/runs/${run.id}`), 'ENTITY_NOT_FOUND')
      assertError(await calls.post(`/v1/runs/${run.id}/cancel`), 'ENTITY_NOT_FOUND')
    }
    const body = { input: 'theirs', conversationId }
    assertError(await other.post(`/v1/agents/${agentId}/runs`, body), 'CONVERSATION_NOT_FOUND', {
      field: 'conversationId',
    })
    const garbage = { input: 'x', conversationId: 'garbage' }
    assertError(await other.post(`/v1/agents/${agentId}/runs`, garbage), 'INVALID_UUID')
    assert.equal((await all.get(path)).status, 200)
    await until(
      () => all.get(`/v1/runs/${run.id}`),
      ({ body }) => body.status === 'succeeded',
      { what: 'the run' },
    )
    assert.deepEqual((await other.get(`/v1/agents/${agentId}/runs`)).body.data, [])
    assert.equal((await owner.delete(path)).status, 204)
    assertError(await owner.get(path), 'CONVERSATION_NOT_FOUND')
  })
})
