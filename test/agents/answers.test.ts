import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { useAgentTools } from '../support/agent-tools.ts'
import { type AgentCalls, agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { ask, begin, event, say } from '../support/chat-server.ts'
import { watchEvents } from '../support/event-reader.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'

const PICKY = {
  ...{ model: 'picky-1', maxTokensField: 'max_completion_tokens', maxOutputTokens: 300 },
  parameters: { temperature: 1, reasoningEffort: 'low' },
  extra: { chat_template_kwargs: { enable_thinking: false }, stream_options: null },
}
const tools = await useAgentTools({ others: { picky: PICKY } })
const { chat } = tools

onOneEngineByDay('the result of a run', (engine) => {
  const server = usePostern(engine, { env: tools.env })
  beforeEach(() => tools.reset())
  const stand = async () => {
    const postern = await server()
    const admin = await administrator(postern)
    return { postern, admin, calls: agentCalls(postern, admin) }
  }
  const done = async (calls: AgentCalls, agentId: string, more = {}) =>
    calls.ended((await calls.run(agentId, 'What does it cost?', more)).id)

  it('comes of no call of a tool whose answer was cut: the model reads that it was not made', async () => {
    const { calls } = await stand()
    const agentId = await tools.agent(calls)
    chat.answer = ({ messages }, response) =>
      messages.some(({ role }) => role === 'tool')
        ? say(response, 'Done.')
        : ask(
            response,
            [
              ['crm__act', '{"id":7}'],
              ['crm__act', '{"id":'],
            ],
            'length',
          )
    const run = await done(calls, agentId)
    assert.deepEqual([run.status, run.output, run.finishReason], ['succeeded', 'Done.', 'stop'])
    assert.deepEqual(tools.called(), [])
    const [model, ...others] = await calls.steps(run.id)
    assert.equal(model?.finishReason, 'length')
    assert.deepEqual(
      others.map(({ kind, status, reason }) => `${kind} ${status} ${reason}`),
      ['tool failed cut_arguments', 'tool failed cut_arguments', 'model succeeded null'],
    )
    assert.match(tools.results()[0] ?? '', /Not called: the answer was cut/)
    // Arguments that are no JSON are sent as `{}`: some providers refuse the whole conversation for them.
    const said = chat.asked.at(-1)?.messages.find(({ role }) => role === 'assistant') as never as {
      tool_calls: { function: { arguments: string } }[]
    }
    assert.deepEqual(
      said.tool_calls.map((one) => one.function.arguments),
      ['{"id":7}', '{}'],
    )
  })

  it('comes of no call without arguments, nor of one whose stream ends early', async () => {
    const { calls } = await stand()
    const agentId = await tools.agent(calls)
    tools.asksFor(['crm__act', ''])
    const run = await done(calls, agentId)
    assert.equal(run.output, 'Done.')
    assert.match(tools.results()[0] ?? '', /Write \{\}/)
    for (const arguments_ of ['{"id":7}', '{"id":', '']) {
      chat.answer = (_asked, response) => {
        begin(response)
        const call = { index: 0, id: 'call-0', function: { name: 'crm__act', arguments: arguments_ } }
        const choices = [{ delta: { tool_calls: [call] } }]
        response.end(event({ choices, usage: { prompt_tokens: 9, completion_tokens: 9 } }))
      }
      const broken = await done(calls, agentId)
      assert.deepEqual([broken.status, broken.error.details.reason], ['failed', 'cut'])
    }
    assert.deepEqual(tools.called(), [])
  })

  it('says in run, step, events and conversation that it was cut; the agent says whether that fails it', async () => {
    const { postern, admin, calls } = await stand()
    chat.answer = (_asked, response) => say(response, 'It costs', 'length')
    const agentId = await calls.agent({ model: 'stub' })
    const conversationId = await calls.conversation()
    const run = await done(calls, agentId, { conversationId })
    assert.deepEqual([run.status, run.output, run.finishReason], ['succeeded', 'It costs', 'length'])
    assert.equal((await calls.steps(run.id))[0]?.finishReason, 'length')
    const { body: messages } = await calls.get(`/v1/conversations/${conversationId}/messages`)
    assert.deepEqual(
      messages.data.map(({ role, finishReason }: Record<string, unknown>) => [role, finishReason]),
      [
        ['assistant', 'length'],
        ['user', null],
      ],
    )
    const { body: events } = await calls.get('/v1/events?type=agent.run.completed')
    assert.equal(events.data[0].data.finishReason, 'length')
    const headers = { authorization: `Bearer ${admin.token}` }
    const seen = await watchEvents(`${postern.url}/v1/runs/${run.id}/events`, { headers })
    assert.equal(seen.at(-1)?.data.finishReason, 'length')
    // Outside of a conversation it is written another way.
    assert.equal((await done(calls, agentId)).finishReason, 'length')

    await calls.patch(`/v1/agents/${agentId}`, { onLength: 'fail' })
    const failed = await done(calls, agentId)
    assert.deepEqual([failed.status, failed.output, failed.finishReason], ['failed', null, 'length'])
    assert.deepEqual([failed.error.code, failed.error.details.reason], ['PROCESSING_FAILED', 'length'])
    assert.equal((await calls.steps(failed.id))[0]?.text, 'It costs')

    // Cut before its first word there is nothing to keep.
    await calls.patch(`/v1/agents/${agentId}`, { onLength: 'keep' })
    chat.answer = (_asked, response) => say(response, '', 'length')
    const empty = await done(calls, agentId)
    assert.deepEqual([empty.status, empty.error.details.reason], ['failed', 'length'])
  })

  it('is not a refusal: that fails it, and no answer of it is kept in the conversation', async () => {
    const { calls } = await stand()
    chat.answer = (_asked, response) => {
      begin(response)
      response.write(event({ choices: [{ delta: { refusal: 'I will not do this.' } }] }))
      response.end(`${event({ choices: [{ delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`)
    }
    const conversationId = await calls.conversation()
    const run = await done(calls, await calls.agent({ model: 'stub' }), { conversationId })
    assert.deepEqual([run.status, run.output, run.finishReason], ['failed', null, 'refused'])
    assert.equal(run.error.code, 'PROCESSING_FAILED')
    assert.deepEqual(run.error.details, { reason: 'refused', providerMessage: 'I will not do this.' })
    const { body: messages } = await calls.get(`/v1/conversations/${conversationId}/messages`)
    assert.equal(messages.data.length, 1)
    const { body: events } = await calls.get('/v1/events?type=agent.run.completed')
    const { status, finishReason } = events.data[0].data
    assert.deepEqual([status, finishReason], ['failed', 'refused'])
  })

  it('is asked for as model and agent say: the field of its length, parameters, and what the operator adds', async () => {
    const { calls } = await stand()
    chat.answer = (_asked, response) => say(response, 'Forty.')
    const agentId = await calls.agent({ model: 'picky', parameters: { temperature: 0.2, topP: 0.5 } })
    await done(calls, agentId)
    const { messages: _, authorization: __, ...asked } = chat.asked.at(-1) ?? { messages: [] }
    assert.deepEqual(asked, {
      ...{ model: 'picky-1', stream: true, max_completion_tokens: 300 },
      ...{ temperature: 0.2, top_p: 0.5, reasoning_effort: 'low' },
      chat_template_kwargs: { enable_thinking: false },
    })
    const changed = await calls.patch(`/v1/agents/${agentId}`, { parameters: { seed: 7, verbosity: 'low' } })
    assert.deepEqual(changed.body.parameters, { seed: 7, verbosity: 'low' })
    await done(calls, agentId)
    const { temperature, seed, verbosity, top_p } = chat.asked.at(-1) as Record<string, unknown>
    assert.deepEqual([temperature, seed, verbosity, top_p], [1, 7, 'low', undefined])
  })

  it('is asked for with no parameter but those that are known, within their bounds', async () => {
    const { calls } = await stand()
    const wrong: [object, string][] = [
      [{ parameters: { temperature: 2.1 } }, 'parameters.temperature'],
      [{ parameters: { seed: -1 } }, 'parameters.seed'],
      [{ parameters: { reasoningEffort: 'endless' } }, 'parameters.reasoningEffort'],
      [{ parameters: { messages: [] } }, 'parameters.messages'],
      [{ onLength: 'ignore' }, 'onLength'],
      [{ onModelFailure: 'ignore' }, 'onModelFailure'],
      [{ onModelFailure: 'fallback' }, 'fallbackModel'],
      [{ onModelFailure: 'fallback', fallbackModel: 'stub' }, 'fallbackModel'],
      [{ fallbackModel: 'nobody' }, 'fallbackModel'],
    ]
    for (const [fields, field] of wrong) {
      const answer = await calls.post('/v1/agents', { name: 'Helper', model: 'stub', ...fields })
      assertError(answer, 'VALIDATION_FAILED', { field })
    }
    const { body } = await calls.post('/v1/agents', { name: 'Helper' })
    const { onLength, onModelFailure, fallbackModel, parameters } = body
    assert.deepEqual([onLength, onModelFailure, fallbackModel, parameters], ['keep', 'fail', null, {}])
    // A change of something else leaves them as they are.
    await calls.patch(`/v1/agents/${body.id}`, { onLength: 'fail' })
    assert.equal((await calls.patch(`/v1/agents/${body.id}`, { name: 'Other' })).body.onLength, 'fail')
  })

  it('that there is none of teaches by the own words of its provider, without its key and what else may be one', async () => {
    const { calls } = await stand()
    const agentId = await calls.agent({ model: 'stub' })
    chat.answer = (_asked, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      const words = `No \u001b[31m'max_tokens'\u0000 here.\nBearer a-key; sk-proj-abcdef0123456789 ${'long '.repeat(2_000)}`
      response.end(JSON.stringify({ error: { message: words, code: 'unsupported_parameter' } }))
    }
    const run = await done(calls, agentId)
    const { reason, providerMessage } = run.error.details
    assert.equal(reason, 'status_400')
    assert.match(providerMessage, /^No 'max_tokens' here\. /)
    assert.doesNotMatch(providerMessage, /a-key|sk-proj|\p{Cc}/u)
    assert.ok(providerMessage.length <= 1_000)
    assert.equal((await calls.steps(run.id))[0]?.providerMessage, providerMessage)
  })
})
