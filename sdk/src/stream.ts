import { PosternError } from './errors.ts'
import type { Call, Send } from './request.ts'
import { isPassing, pause, waitMs } from './retry.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** Its place, to go on from. */
  id: string | undefined
  /** What it is about; `gap` where some were lost, so that what they would have said must be read another way. */
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own.
  data: any
}

export interface StreamOptions {
  /** Begins after this place. */
  lastEventId?: string
  /** Called when the stream is open, and when it waits to be opened again, with what ended it. */
  onState?: (state: 'open' | 'waiting', error?: unknown) => void
}

/** A server says something every 15 s: one that says nothing for so long is gone. */
const SILENCE_MS = 45_000
/** A connection that lasted so long was a good one; waits begin anew after it. */
const GOOD_MS = 10_000
/** What a stream of one thing says last. */
const LAST = /^run\.(succeeded|failed|cancelled)$/
/** Whoever is asked to stay away for longer looks again after this. */
const LONGEST_MS = 60 * 60_000
/** Characters of an event; whoever sends more without an end is not Postern. */
const MOST_OF_EVENT = 4 * 1_048_576
/** So many connections in a row that end without a word: there is nothing more to say. */
const MOST_EMPTY = 3

/**
 * A stream of events, which outlives its connections: it is opened again where it was, until the server says that it is over. Who
 * leaves the loop closes it; an aborted signal is thrown, as `fetch` does.
 */
export class EventStream implements AsyncIterable<StreamEvent> {
  readonly #send: Send
  readonly #call: Call
  readonly #options: StreamOptions

  constructor(send: Send, call: Call, options: StreamOptions) {
    this.#send = send
    this.#call = call
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    const signal = this.#call.options?.signal
    const { onState } = this.#options
    let { lastEventId } = this.#options
    let [failures, empty, wasOpen] = [0, 0, false]
    while (true) {
      const cut = new AbortController()
      let error: unknown
      let opened = Number.POSITIVE_INFINITY
      try {
        const body = await this.#open(lastEventId, cut.signal)
        opened = Date.now()
        onState?.('open')
        // What was said meanwhile cannot be asked for without a place.
        if (wasOpen && lastEventId === undefined)
          yield { id: undefined, event: 'gap', data: { reason: 'no_place' } }
        wasOpen = true
        empty++
        const onPlace = (id: string) => {
          lastEventId = id
        }
        for await (const event of readEvents(body, cut, onPlace)) {
          empty = 0
          const isEnd = event.event === 'end'
          // Any other end is one of the connection: a token's, a process's.
          if (isEnd && event.data?.reason !== 'revoked') break
          yield event
          if (isEnd || LAST.test(event.event)) return
        }
        if (empty >= MOST_EMPTY && this.#call.path !== '/v1/stream') return
      } catch (cause) {
        signal?.throwIfAborted()
        if (cause instanceof PosternError && !isPassing(cause)) throw cause
        error = cause
      } finally {
        cut.abort()
      }
      if (Date.now() - opened > GOOD_MS) failures = 0
      onState?.('waiting', error)
      // Who is asked to come back at once still does not call without a pause.
      await pause(Math.min(LONGEST_MS, Math.max(waitMs(failures++), waitMs(0, error))), signal)
    }
  }

  #open(lastEventId: string | undefined, cut: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    const { options } = this.#call
    const signal = options?.signal === undefined ? cut : AbortSignal.any([options.signal, cut])
    const place = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const headers = { ...options?.headers, ...place }
    const call = {
      ...this.#call,
      accept: 'text/event-stream',
      options: { ...options, headers, signal, maxRetries: 0 },
    }
    return this.#send(call, ({ body }) => body)
  }
}

/** The events of a body, as the HTML standard reads them: a place counts without an event, too, as a heartbeat has one. */
async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  cut: AbortController,
  onPlace: (id: string) => void,
): AsyncGenerator<StreamEvent> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let [rest, id, event]: [string, string | undefined, string] = ['', undefined, '']
  let data: string[] = []
  let size = 0
  while (reader !== undefined) {
    const timer = setTimeout(() => cut.abort(), SILENCE_MS)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (size + rest.length > MOST_OF_EVENT)
      throw new PosternError({ code: 'UNEXPECTED_ANSWER', message: 'An event does not end.', status: 200 })
    for (const line of lines) {
      size += line.length
      const [, field, said = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'data') data.push(said)
      else if (field === 'event') event = said
      else if (field === 'id') id = said
      else if (line === '') {
        if (id !== undefined) onPlace(id)
        if (data.length > 0) yield { id, event: event || 'message', data: parse(data.join('\n')) }
        ;[id, event, data, size] = [undefined, '', [], 0]
      }
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
