import type { ModelConfig } from '../../../config/models-file.ts'
import { type Clock, type Millis, SECOND, sleep } from '../../../core/clock.ts'
import { VERSION } from '../../../core/version.ts'
import type { Agent } from '../../../net/agent.ts'
import { CallError } from '../../../net/call.ts'
import { readRetryAfter } from '../../../net/retry-after.ts'
import { type StreamAnswer, streamCall } from '../../../net/stream-call.ts'
import {
  estimateRequest,
  type Model,
  type ModelCall,
  type ModelMessage,
  type ModelOutcome,
  type ModelRequest,
} from '../model.ts'

/** A provider that asks to wait and does not say how long. */
const RETRY: Millis = 5 * SECOND
/** A stream in which nothing comes for so long has stalled. */
const LONGEST_SILENCE: Millis = 60 * SECOND

const UNPAID = { inputTokens: 0, outputTokens: 0 }

/**
 * A model behind an OpenAI-compatible endpoint. A call that may have been begun is made once: it is paid, and whoever repeats
 * it pays twice. Only where the provider says that it did not begin (429) is it made after the wait that it asks for.
 */
export function createChatModel(
  config: ModelConfig,
  { clock, agent }: { clock: Clock; agent: Agent },
): Model {
  const url = new URL(`${config.url}/chat/completions`)
  const { name, inputPer1000, outputPer1000, contextTokens, maxOutputTokens } = config

  async function respond(request: ModelRequest, call: ModelCall): Promise<ModelOutcome> {
    const bytes = Buffer.from(JSON.stringify(toBody(config.model, request)))
    for (;;) {
      const left = call.deadline - clock.now()
      if (left <= 0 || call.signal.aborted) return { status: 'failed', reason: 'timeout', usage: UNPAID }
      const silence = new AbortController()
      const signal = AbortSignal.any([call.signal, silence.signal])
      let answer: StreamAnswer
      try {
        answer = await streamCall(url, toRequest(config, bytes), {
          ...{ clock, agent, owner: request.organizationId, deadline: left, signal },
        })
      } catch (error) {
        return { status: 'failed', reason: reasonOf(error), usage: UNPAID }
      }
      if (answer.status === 200) return readAnswer(answer, request, call, silence)
      answer.discard()
      const refused: ModelOutcome = { status: 'failed', reason: `status_${answer.status}`, usage: UNPAID }
      if (answer.status !== 429) return refused
      const asked = readRetryAfter([answer.headers['retry-after']].flat()[0], clock.now())
      const wait = Math.max(SECOND, (asked ?? clock.now() + RETRY) - clock.now())
      if (clock.now() + wait >= call.deadline) return refused
      await sleep(clock, wait, call.signal)
    }
  }

  async function readAnswer(
    answer: StreamAnswer,
    request: ModelRequest,
    { onText }: ModelCall,
    silence: AbortController,
  ): Promise<ModelOutcome> {
    // Loaded with the first answer: many never configure a model.
    const { createChatReader } = await import('./chat-stream.ts')
    const reader = createChatReader(estimateRequest(request), onText)
    const begin = () => clock.after(LONGEST_SILENCE, () => silence.abort())
    let cancel = begin()
    try {
      for await (const bytes of answer.body) {
        cancel()
        cancel = begin()
        const problem = reader.feed(bytes)
        if (problem !== undefined) return reader.end(problem)
      }
      return reader.end()
    } catch (error) {
      return reader.end(reasonOf(error))
    } finally {
      cancel()
    }
  }

  return { name, prices: { inputPer1000, outputPer1000 }, contextTokens, maxOutputTokens, respond }
}

function reasonOf(error: unknown): string {
  return error instanceof CallError ? error.reason : 'cut'
}

function toRequest({ key }: ModelConfig, bytes: Buffer) {
  return {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream', 'accept-encoding': 'identity' },
      ...{ 'content-length': String(bytes.length), 'user-agent': `Postern/${VERSION}` },
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: bytes,
  }
}

function toBody(model: string, { messages, tools, maxOutputTokens }: ModelRequest): object {
  const functions = tools.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  return {
    ...{ model, stream: true, stream_options: { include_usage: true }, max_tokens: maxOutputTokens },
    messages: messages.map(toMessage),
    ...(functions.length === 0 ? {} : { tools: functions }),
  }
}

function toMessage(message: ModelMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content }
  if (message.role !== 'assistant' || message.calls === undefined)
    return { role: message.role, content: message.content }
  const calls = message.calls.map(({ id, name, arguments: text }) => ({
    ...{ id, type: 'function', function: { name, arguments: text } },
  }))
  return { role: 'assistant', content: message.content, tool_calls: calls }
}
