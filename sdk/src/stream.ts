import { PosternError } from './errors.ts'
import type { Call, Send } from './request.ts'
import { isPassing, pause, waitMs } from './retry.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** Its place in the stream, for `lastEventId`. */
  id: string | undefined
  /** The type of the event; `gap` where some were lost, whose data must then be read by other calls. */
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own.
  data: any
}

export interface StreamOptions {
  /** Begins after this place. */
  lastEventId?: string
  /** Called when the stream is open, and, with the cause, when it waits to be opened again. */
  onState?: (state: 'open' | 'waiting', error?: unknown) => void
}

/** A server writes at least every 15 s: after this long without a byte the connection is dead. */
const SILENCE_MS = 45_000
/** After a connection that lasted this long, waits start again from the shortest. */
const GOOD_MS = 10_000
/** The last event of a run's stream. */
const LAST = /^run\.(succeeded|failed|cancelled)$/
/** The longest wait before the next connection, also where the server asks for a longer one. */
const LONGEST_MS = 60 * 60_000
/** The longest event, in characters; Postern sends none that is longer. */
const MOST_OF_EVENT = 4 * 1_048_576
/** After this many connections in a row without an event the stream is over. */
const MOST_EMPTY = 3

/**
 * A stream of events over any number of connections: it is opened again at its place until the server says that it is over.
 * Leaving the loop closes it. The reason of an aborted signal is thrown, as by `fetch`.
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
        // Without a place, events between two connections are lost.
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
          // Any other end is that of the connection: its token or its process ended.
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
      // A pause also where the server asks to come back at once.
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

/** The events of a body, by the HTML standard. An id without data, as of a heartbeat, is a place, too. */
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
