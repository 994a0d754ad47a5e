import { PosternError } from './errors.ts'
import type { Call, Send } from './request.ts'
import { isPassing, pause, waitMs } from './retry.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** Its place, to go on from. */
  id: string | undefined
  /** What it is about; `gap` where some were lost, so that what they told must be read again. */
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own.
  data: any
}

export interface StreamOptions {
  /** Begins after this place. */
  lastEventId?: string
  /** Hears whether the stream is open, or is being opened again and why. */
  onState?: (state: 'open' | 'waiting', error?: unknown) => void
}

/** A server says something at least every 15 s: who says nothing for so long is gone. */
const SILENCE_MS = 45_000
/** Events that say that nothing more will come, however often one asks. */
const ENDS = ['revoked', 'session_ended', 'membership_ended']

/** A stream of events. It outlives its connections: it comes back where it was, until its signal or the server ends it. */
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
    const { options } = this.#call
    const signal = options?.signal
    let { lastEventId } = this.#options
    let failures = 0
    while (true) {
      const cut = new AbortController()
      const stop = () => cut.abort(signal?.reason)
      signal?.addEventListener('abort', stop, { once: true })
      let [error, isOver, bound]: [unknown, boolean, number] = [undefined, false, 0]
      try {
        const headers = {
          ...options?.headers,
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        }
        const call = {
          ...this.#call,
          accept: 'text/event-stream',
          options: { ...options, headers, maxRetries: 0, signal: cut.signal },
        }
        const body = await this.#send(call, (response) => response.body)
        this.#options.onState?.('open')
        for await (const event of readEvents(body, cut)) {
          failures = 0
          lastEventId = event.id ?? lastEventId
          if (event.event === 'end') {
            isOver = ENDS.includes((event.data as { reason?: string } | null)?.reason ?? '')
            bound = 1
            break
          }
          yield event
        }
        // A stream of one thing ends when that has ended; one that says so is opened again.
        isOver ||= bound === 0 && this.#call.path !== '/v1/stream'
      } catch (cause) {
        signal?.throwIfAborted()
        if (cause instanceof PosternError && !isPassing(cause)) throw cause
        error = cause
      } finally {
        signal?.removeEventListener('abort', stop)
        cut.abort()
      }
      if (isOver) return
      this.#options.onState?.('waiting', error)
      await pause(waitMs(failures++, error), signal)
    }
  }
}

/** The events of a body, as the HTML standard reads them. */
async function* readEvents(body: ReadableStream<Uint8Array> | null, cut: AbortController) {
  const reader = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream() as never).getReader()
  let [text, id, event, data]: [string, string | undefined, string, string[]] = ['', undefined, '', []]
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    while (true) {
      clearTimeout(timer)
      timer = setTimeout(() => cut.abort(), SILENCE_MS)
      const { done, value } = (await reader.read()) as { done: boolean; value?: string }
      if (done) return
      text += value
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      text = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { id, event: event || 'message', data: parse(data.join('\n')) }
          ;[id, event, data] = [undefined, '', []]
          continue
        }
        const [, field, said = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
        if (field === 'data') data.push(said)
        if (field === 'event') event = said
        if (field === 'id') id = said
      }
    }
  } finally {
    clearTimeout(timer)
    await reader.cancel().catch(() => {})
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
