import { createParser } from 'eventsource-parser'
import { isObject } from '../../../config/json-file.ts'
import { type AskedCall, estimateTokens, type Usage } from '../model.ts'
import type { CallFacts, ReadFailure } from './chat-outcomes.ts'
import { readError } from './provider-message.ts'

/** Largest answer; a larger one, or one with a longer line, is cut off. */
const LARGEST_ANSWER = 8 * 1024 * 1024
const LONGEST_LINE = 1024 * 1024
/** Most calls of one answer that are kept. */
const MOST_CALLS = 128
/** Longest text of a refusal that is kept, in characters. */
const LONGEST_REFUSAL = 16 * 1024

/** The contents of an answer, and the facts about its end. */
export interface ChatResult {
  text: string
  calls: AskedCall[]
  usage: Usage
  /** The provider's message about a refusal or failure. */
  message: string | undefined
  facts: Omit<CallFacts, 'status'>
}

/** Reads an answer of `/chat/completions`: streamed, or as one JSON document where the endpoint does not stream. */
export interface ChatReader {
  /** @returns whether to continue: false after the end, and after unreadable data */
  feed(bytes: Uint8Array): boolean
  /** The result of the answer. @param failure why the answer has no end */
  end(failure?: ReadFailure): ChatResult
}

interface OpenCall extends AskedCall {
  index: number | undefined
}

export function createChatReader(inputEstimate: number, onText: (text: string) => void): ChatReader {
  const decoder = new TextDecoder()
  const calls: OpenCall[] = []
  const facts: ChatResult['facts'] = {
    ...{ chunks: 0, isBegun: false, isDone: false, isRefusal: false, textLength: 0, calls: 0 },
  }
  let [text, refusal, thoughts] = ['', '', 0]
  let [message, broken] = [undefined as string | undefined, undefined as ReadFailure | undefined]
  let usage: Usage | undefined
  /** Text arrived after the usage, so the usage is incomplete. */
  let isUsageOld = false
  let [size, line, document] = [0, 0, '']
  let isDocument: boolean | undefined
  const parser = createParser({ onEvent: ({ data }) => take(data) })

  function take(data: string): void {
    if (data.trim() === '[DONE]') {
      facts.isDone = true
      return
    }
    let chunk: unknown
    try {
      chunk = JSON.parse(data)
    } catch {
      broken ??= 'bad_answer'
      return
    }
    if (isObject(chunk)) read(chunk)
  }

  function read(chunk: Record<string, unknown>): void {
    const error = readError(chunk.error)
    if (error !== undefined) {
      facts.error ??= error
      message ??= error.message
    }
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (isObject(choice)) readChoice(choice)
    readUsage(chunk.usage)
    if (Array.isArray(chunk.choices) || error !== undefined) facts.chunks += 1
  }

  function readChoice({ finish_reason: finish, delta, message: whole }: Record<string, unknown>): void {
    facts.isBegun = true
    if (typeof finish === 'string' && finish !== '') facts.finish = finish.toLowerCase()
    const said = isObject(delta) ? delta : whole
    if (!isObject(said)) return
    say(textOf(said.content))
    const thought = textOf(said.reasoning_content) || textOf(said.reasoning)
    thoughts += Buffer.byteLength(thought)
    const words = textOf(said.refusal)
    if (words !== '') facts.isRefusal = true
    refusal = `${refusal}${words}`.slice(0, LONGEST_REFUSAL)
    if (thought + words !== '') isUsageOld = true
    if (Array.isArray(said.tool_calls)) for (const one of said.tool_calls) readCall(one)
    // The older form of tool calls: one function.
    if (isObject(said.function_call)) readCall({ index: 0, function: said.function_call })
  }

  function say(more: string): void {
    if (more === '') return
    text += more
    isUsageOld = true
    onText(more)
  }

  function readUsage(value: unknown): void {
    const { prompt_tokens: input, completion_tokens: output } = isObject(value) ? value : {}
    if (!isCount(input) || !isCount(output)) return
    usage = { inputTokens: input, outputTokens: output }
    isUsageOld = false
  }

  /** Adds a fragment of a call, identified by its id or index, or else belonging to the last call. */
  function readCall(value: unknown): void {
    if (!isObject(value)) return
    isUsageOld = true
    const said = isObject(value.function) ? value.function : {}
    const [id, name] = [nameOf(value.id), nameOf(said.name)]
    const index = isCount(value.index) ? value.index : undefined
    let call = placeOf(id, index, name !== '')
    if (call === undefined) {
      if (calls.length >= MOST_CALLS) return
      call = { index, id: '', name: '', arguments: '' }
      calls.push(call)
    }
    if (call.id === '') call.id = id
    if (call.name === '') call.name = name
    const more = said.arguments
    if (typeof more === 'string') call.arguments += more
    else if (typeof more === 'object' && more !== null) call.arguments = JSON.stringify(more)
  }

  function placeOf(id: string, index: number | undefined, isNamed: boolean): OpenCall | undefined {
    const same = id === '' ? undefined : calls.find((call) => call.id === id)
    if (same !== undefined) return same
    // Some providers number all calls 0: another id and another name start another call.
    const numbered = index === undefined ? undefined : calls.findLast((call) => call.index === index)
    if (numbered !== undefined) return isNamed && id !== '' && numbered.id !== '' ? undefined : numbered
    return index === undefined && !isNamed ? calls.at(-1) : undefined
  }

  function stop(why: ReadFailure): false {
    broken ??= why
    return false
  }

  return {
    feed(bytes) {
      size += bytes.length
      if (size > LARGEST_ANSWER) return stop('too_large')
      const more = decoder.decode(bytes, { stream: true })
      if (isDocument === undefined && more.trim() !== '') isDocument = /^[{[]/.test(more.trimStart())
      if (isDocument === true) {
        document += more
        return true
      }
      const last = bytes.lastIndexOf(10)
      line = last < 0 ? line + bytes.length : bytes.length - last - 1
      if (line > LONGEST_LINE) return stop('too_large')
      parser.feed(more)
      return broken === undefined && facts.error === undefined && !facts.isDone
    },
    end(failure) {
      if (isDocument === true) {
        take(document)
        // The document is complete, or unreadable.
        facts.isDone = broken === undefined
      } else parser.reset({ consume: true })
      const named = calls.filter(({ name }) => name !== '')
      const spoken = text + named.map((call) => call.name + call.arguments).join('')
      const estimate = estimateTokens(spoken + refusal) + Math.ceil(thoughts / 3)
      const known = usage ?? { inputTokens: inputEstimate, outputTokens: 0 }
      const outputTokens =
        isUsageOld || usage === undefined ? Math.max(known.outputTokens, estimate) : known.outputTokens
      const asked = named.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments }))
      return {
        ...{ text, calls: asked, usage: { ...known, outputTokens } },
        message: message ?? (refusal === '' ? undefined : refusal),
        facts: { ...facts, broken: broken ?? failure, textLength: text.length, calls: named.length },
      }
    },
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const nameOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A text, or the texts of a list of parts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((part) => (isObject(part) ? nameOf(part.text) : '')).join('')
}
