import { toWireParameters } from '../../../config/model-parameters.ts'
import type { ModelConfig } from '../../../config/models-file.ts'
import { type Clock, type Millis, SECOND } from '../../../core/clock.ts'
import { VERSION } from '../../../core/version.ts'
import type { Agent } from '../../../net/agent.ts'
import { callFailureIn, neverSent, type StreamAnswer, streamCall } from '../../../net/call.ts'
import { readRetryAfter } from '../../../net/retry-after.ts'
import {
  estimateRequest,
  type Model,
  type ModelCall,
  type ModelMessage,
  type ModelOutcome,
  type ModelRequest,
} from '../model.ts'
import type { ChatOutcome, ReadFailure } from './chat-outcomes.ts'

/** A stream without data for this long has stalled. */
const LONGEST_SILENCE: Millis = 60 * SECOND
/** Longest time and largest size of the body of a refusal. */
const LONGEST_REFUSAL: Millis = 5 * SECOND
const LARGEST_REFUSAL = 16 * 1024

const UNPAID = { inputTokens: 0, outputTokens: 0 }

/** Loads the parsers of answers with the first call, because many installations configure no model. */
async function loadParts() {
  const [outcomes, stream, message] = await Promise.all([
    import('./chat-outcomes.ts'),
    import('./chat-stream.ts'),
    import('./provider-message.ts'),
  ])
  return { ...outcomes, ...stream, ...message }
}

type Parts = Awaited<ReturnType<typeof loadParts>>

/** A model behind an OpenAI-compatible endpoint. One request is one try; the run decides about further tries. */
export function createChatModel(
  config: ModelConfig,
  { clock, agent }: { clock: Clock; agent: Agent },
): Model {
  const url = new URL(`${config.url}/chat/completions`)
  const { name, inputPer1000, outputPer1000, contextTokens, maxOutputTokens } = config
  /** Kept because `import()` of a loaded module still takes turns of the event loop. */
  let loaded: Parts | undefined

  async function respond(request: ModelRequest, call: ModelCall): Promise<ModelOutcome> {
    const bytes = Buffer.from(JSON.stringify(toBody(config, request)))
    loaded ??= await loadParts()
    const { chatOutcomeOf, cleanMessage, readErrorBody } = loaded
    const nothing = { chunks: 0, isBegun: false, isDone: false, isRefusal: false, textLength: 0, calls: 0 }
    const left = call.deadline - clock.now()
    if (left <= 0 || call.signal.aborted)
      return failedOutcome(chatOutcomeOf({ ...nothing, broken: 'timeout' }), { usage: UNPAID })
    const silence = new AbortController()
    const signal = AbortSignal.any([call.signal, silence.signal])
    let answer: StreamAnswer
    try {
      answer = await streamCall(url, toRequest(config, bytes), {
        ...{ clock, agent, owner: request.organizationId, deadline: left, signal },
        // Many providers send the end of the stream apart from the last event.
        readsRest: true,
      })
    } catch (error) {
      const facts = {
        ...nothing,
        broken: callFailureIn(error) ?? ('cut' as const),
        isUnsent: neverSent(error),
      }
      return failedOutcome(chatOutcomeOf(facts), { usage: UNPAID })
    }
    if (answer.status === 200) return readAnswer(loaded, answer, request, call, silence)
    const { message, ...error } = readErrorBody(await readRefusal(answer, silence))
    return failedOutcome(chatOutcomeOf({ ...nothing, status: answer.status, error }), {
      ...{ usage: UNPAID, notBefore: notBefore(answer, clock.now()) },
      providerMessage: cleanMessage(message ?? '', [config.key]),
    })
  }

  /** The beginning of an error body, as far as it arrives. */
  async function readRefusal(answer: StreamAnswer, silence: AbortController): Promise<string> {
    const cancel = clock.after(LONGEST_REFUSAL, () => silence.abort())
    const pieces: Uint8Array[] = []
    let size = 0
    try {
      for await (const bytes of answer.body) {
        pieces.push(bytes)
        size += bytes.length
        if (size >= LARGEST_REFUSAL) {
          answer.discard()
          break
        }
      }
    } catch {
      // The status is enough where the body does not arrive.
    } finally {
      cancel()
    }
    return Buffer.concat(pieces).subarray(0, LARGEST_REFUSAL).toString()
  }

  async function readAnswer(
    { createChatReader, chatOutcomeOf, cleanMessage }: Parts,
    answer: StreamAnswer,
    request: ModelRequest,
    { onText }: ModelCall,
    silence: AbortController,
  ): Promise<ModelOutcome> {
    const reader = createChatReader(estimateRequest(request), onText)
    const begin = () => clock.after(LONGEST_SILENCE, () => silence.abort())
    let cancel = begin()
    let broken: ReadFailure | undefined
    try {
      for await (const bytes of answer.body) {
        cancel()
        cancel = begin()
        if (!reader.feed(bytes)) break
      }
    } catch (error) {
      broken = callFailureIn(error) ?? 'cut'
    } finally {
      cancel()
    }
    const { text, calls, usage, message, facts } = reader.end(broken)
    if (!facts.isDone) answer.discard()
    const meaning = chatOutcomeOf({ ...facts, status: answer.status })
    if ('finish' in meaning) return { status: 'succeeded', text, calls, finish: meaning.finish, usage }
    return failedOutcome(meaning, {
      // A call without cost has no usage.
      ...{ text, usage: meaning.retry === 'free' ? UNPAID : usage },
      providerMessage: cleanMessage(message ?? '', [config.key]),
    })
  }

  return { name, prices: { inputPer1000, outputPer1000 }, contextTokens, maxOutputTokens, respond }
}

type Failed = Extract<ModelOutcome, { status: 'failed' }>

/** @throws Error for the outcome of a complete answer, which an incomplete one cannot have */
function failedOutcome(meaning: ChatOutcome, more: Omit<Failed, 'status' | 'reason' | 'retry'>): Failed {
  if ('finish' in meaning) throw new Error(`nothing came, and it means ${meaning.finish}`)
  return { status: 'failed', ...meaning, ...more }
}

/** When the provider accepts further requests, by the header in milliseconds or in seconds. */
function notBefore({ headers }: StreamAnswer, now: Millis): Millis | undefined {
  const [exact] = [headers['retry-after-ms']].flat()
  if (exact !== undefined && /^\d{1,9}$/.test(exact)) return now + Number(exact)
  return readRetryAfter([headers['retry-after']].flat()[0], now)
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

function toBody(
  { model, parameters, maxTokensField, extra }: ModelConfig,
  request: ModelRequest,
): Record<string, unknown> {
  const functions = request.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))
  const body: Record<string, unknown> = {
    ...{ model, stream: true, stream_options: { include_usage: true } },
    [maxTokensField]: request.maxOutputTokens,
    messages: request.messages.map(toMessage),
    ...(functions.length === 0 ? {} : { tools: functions }),
    ...extra,
    ...toWireParameters(parameters, request.parameters),
  }
  // The operator configured null: the endpoint does not know this member, so it is not sent.
  for (const [name, value] of Object.entries(extra))
    if (value === null && body[name] === null) delete body[name]
  return body
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
