import { createParser } from 'eventsource-parser'
import { type AskedCall, estimateTokens, type ModelOutcome, type Usage } from '../model.ts'

/** An answer that is longer, or has a longer line, is cut off. */
const LARGEST_ANSWER = 8 * 1024 * 1024
const LONGEST_LINE = 1024 * 1024
/** Calls of one answer that are kept at all. */
const MOST_CALLS = 128

/** Reads a streamed answer of `/chat/completions`, and whatever different servers make of that. */
export interface ChatReader {
  /** @returns why nothing more is read; undefined while it goes on */
  feed(bytes: Uint8Array): string | undefined
  /** What came of it when no more comes. */
  end(failure?: string): ModelOutcome
}

interface Delta {
  content?: unknown
  refusal?: unknown
  tool_calls?: unknown
}

export function createChatReader(inputEstimate: number, onText: (text: string) => void): ChatReader {
  const decoder = new TextDecoder()
  const calls: AskedCall[] = []
  let [text, problem, finish] = ['', undefined as string | undefined, undefined as string | undefined]
  let usage: Usage | undefined
  let [size, line] = [0, 0]
  const parser = createParser({ onEvent: ({ data }) => take(data) })

  function take(data: string): void {
    if (data === '[DONE]') return
    let chunk: Record<string, unknown>
    try {
      chunk = JSON.parse(data) as Record<string, unknown>
    } catch {
      problem ??= 'bad_answer'
      return
    }
    // Some report what went wrong in a stream that began well.
    if (chunk?.error !== undefined && chunk.error !== null) problem ??= 'provider_error'
    readUsage(chunk?.usage)
    const choice = (Array.isArray(chunk?.choices) ? chunk.choices[0] : undefined) as
      | { delta?: Delta; message?: Delta; finish_reason?: unknown }
      | undefined
    if (typeof choice?.finish_reason === 'string') finish = choice.finish_reason
    const delta = choice?.delta ?? choice?.message
    if (typeof delta?.content === 'string' && delta.content !== '') {
      text += delta.content
      onText(delta.content)
    }
    if (typeof delta?.refusal === 'string' && delta.refusal !== '') finish = 'content_filter'
    if (Array.isArray(delta?.tool_calls)) for (const one of delta.tool_calls) readCall(one)
  }

  function readUsage(value: unknown): void {
    const { prompt_tokens: input, completion_tokens: output } = (value ?? {}) as Record<string, unknown>
    const isCount = (one: unknown): one is number => Number.isSafeInteger(one) && (one as number) >= 0
    if (isCount(input) && isCount(output)) usage = { inputTokens: input, outputTokens: output }
  }

  /** A piece of a call: by its index, or by its id, or else of the last one. */
  function readCall(value: unknown): void {
    const {
      index,
      id,
      function: said,
    } = (value ?? {}) as {
      index?: unknown
      id?: unknown
      function?: { name?: unknown; arguments?: unknown }
    }
    const byIndex = Number.isInteger(index) && (index as number) >= 0 ? (index as number) : undefined
    const byId = typeof id === 'string' && id !== '' ? calls.findIndex((call) => call.id === id) : -1
    const isNew = typeof said?.name === 'string' && said.name !== ''
    const place = byIndex ?? (byId >= 0 ? byId : isNew ? calls.length : Math.max(0, calls.length - 1))
    if (place >= MOST_CALLS) return
    while (calls.length <= place) calls.push({ id: '', name: '', arguments: '' })
    const call = calls[place]
    if (call === undefined) return
    if (typeof id === 'string' && id !== '') call.id = id
    if (isNew && call.name === '') call.name = said.name as string
    const more = said?.arguments
    if (typeof more === 'string') call.arguments += more
    else if (typeof more === 'object' && more !== null) call.arguments = JSON.stringify(more)
  }

  return {
    feed(bytes) {
      size += bytes.length
      const last = bytes.lastIndexOf(10)
      line = last < 0 ? line + bytes.length : bytes.length - last - 1
      if (size > LARGEST_ANSWER || line > LONGEST_LINE) return 'too_large'
      parser.feed(decoder.decode(bytes, { stream: true }))
      return problem
    },
    end(failure) {
      parser.reset({ consume: true })
      const reason = failure ?? problem ?? (finish === undefined && usage === undefined ? 'cut' : undefined)
      const outputTokens = estimateTokens(text + calls.map((call) => call.name + call.arguments).join(''))
      const used = usage ?? { inputTokens: inputEstimate, outputTokens }
      if (reason !== undefined) return { status: 'failed', reason, usage: used }
      const named = calls.filter(({ name }) => name !== '')
      const ended = finish === 'content_filter' ? 'refused' : finish === 'length' ? 'length' : 'stop'
      return { status: 'succeeded', text, calls: named, finish: ended, usage: used }
    },
  }
}
