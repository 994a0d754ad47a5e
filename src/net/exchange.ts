import type { Dispatcher } from 'undici'
import { stopwatch } from '../core/clock.ts'
import { type Contact, type Contacted, NOT_REACHED, type Reached } from './timed-client.ts'

/** One request. */
interface Question {
  origin: string
  path: string
  headers: Record<string, string>
  body: Uint8Array
}

/** What came back, as far as it was read. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Uint8Array
}

/** A request under way; `abort` ends it with the given error, at whatever point it is. */
export interface Exchange {
  answer: Promise<Answer>
  abort: (reason: Error) => void
  /** How it came to its destination, as far as it has. */
  reached: () => Reached
}

/**
 * POSTs and reads the beginning of the answer; a longer one ends the connection. It speaks to the dispatcher without
 * the streams that undici's `request` makes, which cost more than all the rest of an attempt.
 * @param kept bytes of the answer's body to read
 * @returns an answer that rejects with undici's or the connection's error
 */
export function postTo(dispatcher: Dispatcher, question: Question, kept: number): Exchange {
  const handler = new AnswerReader(kept)
  try {
    dispatcher.dispatch({ method: 'POST', ...question }, handler)
  } catch (error) {
    handler.abort(error as Error)
  }
  return handler
}

class AnswerReader implements Dispatcher.DispatchHandler, Exchange, Contacted {
  readonly answer: Promise<Answer>
  readonly #kept: number
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #status = 0
  #headers: Answer['headers'] = {}
  #controller: Dispatcher.DispatchController | undefined
  #aborted: Error | undefined
  #contact: Contact | undefined
  /** Once it is written: how its connection came to be. */
  #opening: Omit<Reached, 'firstByteMs'> | undefined
  #sinceWritten: (() => number) | undefined
  #firstByteMs: number | null = null
  #resolve: (answer: Answer) => void = () => {}
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

  onContact(contact: Contact): void {
    this.#contact = contact
  }

  reached(): Reached {
    const opening = this.#opening ?? this.#contact?.show() ?? NOT_REACHED
    return { ...opening, firstByteMs: this.#firstByteMs }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#opening = this.#contact?.show()
    this.#contact?.use()
    this.#sinceWritten = stopwatch()
    // It was given up while it waited for a connection.
    if (this.#aborted !== undefined) controller.abort(this.#aborted)
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
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
    const [first] = this.#chunks
    const body = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      // A copy: what is kept must not hold the whole buffer that the socket read into.
      body: Uint8Array.prototype.slice.call(body ?? new Uint8Array(), 0, this.#kept),
    })
  }
}
