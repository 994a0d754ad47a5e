import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, it } from 'node:test'
import { CHAT_OUTCOMES } from '#src/agents/models/chat/chat-outcomes.ts'
import { type AgentCalls, agentCalls } from '../support/agents.ts'
import { DIALECTS, type Dialect } from '../support/chat-dialects.ts'
import { say, startChatServer } from '../support/chat-server.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'

const stub = await startChatServer()
after(() => stub.stop())

/** Rows that no recorded answer can show, each with the test that holds it. */
const ELSEWHERE = [
  // model-failures.test.ts, "whose endpoint cannot be reached"
  'no connection',
  // models.test.ts, "is cut off when the run is cancelled, and when its time is over"
  'no end within the time',
  // models.test.ts, "that sends a line without an end"
  'more than is read',
  // model-failures.test.ts, "that hangs up before it answers"
  'a connection that ended before its answer',
]

function play(
  response: ServerResponse,
  { status = 200, type = 'text/event-stream', headers, body, isCut }: Dialect,
) {
  response.writeHead(status, { 'content-type': type, ...headers })
  if (isCut) response.write(body, () => response.destroy())
  else response.end(body)
}

it('Each row of the table of meanings is held by an answer', () => {
  const held = [...DIALECTS.map(({ row }) => row), ...ELSEWHERE]
  assert.deepEqual([...new Set(held)].sort(), CHAT_OUTCOMES.map(([came]) => came).sort())
})

onOneEngineByDay('an answer of a model is read as its server means it', (engine) => {
  const server = usePostern(engine, { env: stub.env })
  let known: Promise<{ calls: AgentCalls; agentId: string }> | undefined
  async function stand() {
    const postern = await server()
    const calls = agentCalls(postern, await administrator(postern))
    return { calls, agentId: await calls.agent({ model: 'stub' }) }
  }
  for (const dialect of DIALECTS)
    it(dialect.name, async () => {
      known ??= stand()
      const { calls, agentId } = await known
      const before = stub.asked.length
      stub.answer = (_asked, response) =>
        stub.asked.length === before + 1 ? play(response, dialect) : say(response, 'Done.')
      const { id } = await calls.run(agentId, 'What does it cost?')
      const run = await calls.ended(id)
      const [step, next] = await calls.steps(id)
      const { status, reason = null, finishReason = null, text, providerMessage = null } = dialect.step
      assert.deepEqual(
        { ...{ status: step?.status, reason: step?.reason }, finishReason: step?.finishReason },
        { status, reason, finishReason },
      )
      assert.equal(step?.providerMessage, providerMessage)
      if (text !== undefined) assert.equal(step?.text, text)
      const asked = (step?.calls ?? []).map((one: { name: string; arguments: string }) => [
        one.name,
        one.arguments,
      ])
      assert.deepEqual(asked, dialect.step.calls ?? [])
      const isAgain = dialect.isAskedAgain === true || asked.length > 0
      assert.equal(stub.asked.length - before, isAgain ? 2 : 1)
      if (isAgain)
        return assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'], String(next?.reason))
      assert.deepEqual([run.status, run.finishReason], [status, finishReason])
      assert.equal(run.output, status === 'succeeded' ? (text ?? null) : null)
      if (status === 'failed') {
        assert.deepEqual(run.error.details, { reason, providerMessage })
        const code = reason === 'refused' ? 'PROCESSING_FAILED' : 'INTEGRATION_PROVIDER_ERROR'
        assert.equal(run.error.code, code)
      }
    })
})
