import type { Dispatcher } from 'undici'
import { stopwatch } from '../core/clock.ts'
import {
  type ConnectionObserver,
  type ConnectionTimer,
  type ConnectionTimings,
  NO_TIMINGS,
} from './timed-client.ts'

/** One request. */
export interface PostRequest {
  origin: string
  path: string
  headers: Record<string, string>
  body: Uint8Array
}

/** The part of the answer that was read. */
export interface PostAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Uint8Array
}

/** A request in flight; `abort` ends it with the given error in any state. */
export interface Exchange {
  answer: Promise<PostAnswer>
  abort: (reason: Error) => void
  /** The timings of its connection so far. */
  timings: () => ConnectionTimings
}

/**
 * Sends a POST and reads the beginning of the answer; a longer answer ends the connection. It uses the dispatcher
 * without the streams of undici's `request`, which cost more than the rest of an attempt.
 * @param kept bytes of the answer's body to read
 * @returns an answer that rejects with the error of undici or of the connection
 */
export function postTo(dispatcher: Dispatcher, question: PostRequest, kept: number): Exchange {
  const handler = new AnswerReader(kept)
  try {
    dispatcher.dispatch({ method: 'POST', ...question }, handler)
  } catch (error) {
    handler.abort(error as Error)
  }
  return handler
}

const NOTHING = new Uint8Array()

class AnswerReader implements Dispatcher.DispatchHandler, Exchange, ConnectionObserver {
  readonly answer: Promise<PostAnswer>
  readonly #kept: number
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #status = 0
  #headers: PostAnswer['headers'] = {}
  #controller: Dispatcher.DispatchController | undefined
  #aborted: Error | undefined
  #contact: ConnectionTimer | undefined
  /** The timings of the connection when the request was written. */
  #opening: Omit<ConnectionTimings, 'firstByteMs'> | undefined
  #sinceWritten: (() => number) | undefined
  #firstByteMs: number | null = null
  #resolve: (answer: PostAnswer) => void = () => {}
  #reject: (reason: Error) => void = () => {}

  constructor(kept: number) {
    this.#kept = kept
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  abort(reason: Error): void {
    this.#aborted = reason
    this.#controller?.abort(reason)
    this.#reject(reason)
  }

  onContact(contact: ConnectionTimer): void {
    this.#contact = contact
  }

  timings(): ConnectionTimings {
    const opening = this.#opening ?? this.#contact?.show() ?? NO_TIMINGS
    return { ...opening, firstByteMs: this.#firstByteMs }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#opening = this.#contact?.show()
    this.#contact?.use()
    this.#sinceWritten = stopwatch()
    // The request was aborted while it waited for a connection.
    if (this.#aborted !== undefined) controller.abort(this.#aborted)
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: PostAnswer['headers'],
  ): void {
    this.#firstByteMs = this.#sinceWritten?.() ?? null
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#kept) return
    this.#end()
    controller.abort(new Error('the rest of the answer is not read'))
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error)
  }

  #end(): void {
    const [first = NOTHING] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      // A copy, so that the kept part does not retain the socket's whole buffer.
      body: Uint8Array.prototype.slice.call(body, 0, this.#kept),
    })
  }
}
