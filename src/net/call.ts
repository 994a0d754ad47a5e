import { Readable } from 'node:stream'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import type { Agent } from './agent.ts'
import { loadUndici } from './load-undici.ts'

/** Why no complete answer arrived. */
export type CallFailure =
  | 'not_https'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'redirected'
  | 'blocked_address'

export class CallError extends Error {
  override readonly name = 'CallError'
  readonly reason: CallFailure
  constructor(reason: CallFailure, options?: ErrorOptions) {
    super(`no whole answer arrived: ${reason}`, options)
    this.reason = reason
  }
}

export interface CallRequest {
  method: string
  headers: Record<string, string>
  /** An iterable body needs `content-length`; any other is sent with the headers. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

/** Status and headers of an answer; a repeated header is a list. */
interface AnswerHead {
  status: number
  headers: Record<string, string | string[] | undefined>
}

/** An answer whose body is read in pieces. */
export interface StreamAnswer extends AnswerHead {
  /** @throws CallError where it does not arrive completely and in time */
  body: AsyncIterable<Uint8Array>
  /** Ends the answer without reading the rest. */
  discard(): void
}

/** A complete answer. */
export interface CallAnswer extends AnswerHead {
  body: Buffer<ArrayBuffer>
}

/** The owner whose share of connections and look-ups a call uses, and when the call ends. */
export interface StreamLimits {
  agent: Agent
  owner: string
  /** Aborts the call, and an incomplete answer. */
  signal?: AbortSignal
  clock: Clock
  /** From name resolution to the last byte; where it is undefined, only `signal` ends the call. */
  deadline: Millis | undefined
  /** How long the call may wait for a free connection before the deadline starts; by default the wait counts. */
  patience?: Millis
  /**
   * Whether the rest is read where the caller leaves the answer early, so that the connection can be used again; by default the
   * connection is closed. Only for answers that end soon after what the caller has read.
   */
  readsRest?: boolean
}

/** How long the rest of an answer may take. */
const LONGEST_REST: Millis = SECOND

interface CallLimits extends Pick<StreamLimits, 'agent' | 'owner' | 'clock' | 'signal'> {
  /** From name resolution to the last byte; the wait for a free connection may take as long again. */
  deadline: Millis
  /** Largest answer that is read, in bytes. */
  largest: number
}

/**
 * Sends one HTTP request and returns the answer as it arrives. All outgoing HTTP uses it, except attempts of webhooks
 * (`exchange.ts`). It follows no redirect and decompresses nothing. The caller reads the body to its end or discards
 * it.
 * @throws CallError
 */
export async function streamCall(
  url: URL,
  { method, headers, body = null }: CallRequest,
  { clock, deadline, patience, agent, owner, signal, readsRest = false }: StreamLimits,
): Promise<StreamAnswer> {
  const late = new AbortController()
  const over = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal])
  const endAfter = (delay: Millis | undefined) =>
    delay === undefined ? () => {} : clock.after(delay, () => late.abort(new CallError('timeout')))
  let cancel = endAfter(patience ?? deadline)
  let release = () => {}
  function end(): void {
    cancel()
    over.removeEventListener('abort', end)
    release()
  }
  try {
    const place = await agent.reserve(owner, url.origin, over)
    release = place.release
    if (patience !== undefined) {
      cancel()
      cancel = endAfter(deadline)
    }
    const undici = await loadUndici()
    const answer = await undici.request(url, {
      method: method as 'GET',
      headers,
      body: isPieces(body) ? Readable.from(body, { objectMode: false }) : body,
      signal: over,
      dispatcher: place.dispatcher,
    })
    const stream = answer.body
    // An error after the answer was discarded does not matter.
    stream.on('error', () => {})
    over.addEventListener('abort', end, { once: true })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: pieces(stream, over, end, readsRest ? () => readRest(stream, clock, end) : undefined),
      discard() {
        stream.destroy()
        end()
      },
    }
  } catch (error) {
    end()
    throw toCallError(error, over)
  }
}

function isPieces(body: CallRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

async function* pieces(
  stream: Readable,
  over: AbortSignal,
  end: () => void,
  leave: (() => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let isRead = false
  try {
    // Leaving the loop early destroys the stream, and with it the connection, unless `leave` reads the rest.
    for await (const piece of stream.iterator({ destroyOnReturn: leave === undefined })) yield piece
    isRead = true
  } catch (error) {
    isRead = true
    throw toCallError(error, over)
  } finally {
    if (isRead || leave === undefined) end()
    else leave()
  }
}

/** Reads the rest of an answer, and closes its connection where that takes too long. Calls `end` afterwards. */
function readRest(stream: Readable, clock: Clock, end: () => void): void {
  const cancel = clock.after(LONGEST_REST, () => stream.destroy())
  stream.once('close', () => {
    cancel()
    end()
  })
  stream.on('data', () => {}).resume()
}

function toCallError(error: unknown, over: AbortSignal): CallError {
  if (error instanceof CallError) return error
  if (over.aborted) return new CallError('timeout', { cause: over.reason })
  const isBlocked = (error as { code?: string }).code === 'ADDRESS_BLOCKED'
  return new CallError(isBlocked ? 'blocked_address' : 'unreachable', { cause: error })
}

/** As `streamCall`, but reads the whole answer, up to a size. @throws CallError */
export async function call(url: URL, request: CallRequest, limits: CallLimits): Promise<CallAnswer> {
  const { deadline, largest } = limits
  const { status, headers, body } = await streamCall(url, request, { ...limits, patience: deadline })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > largest) throw new CallError('too_large')
    chunks.push(chunk)
  }
  return { status, headers, body: Buffer.concat(chunks) }
}

/** Error codes of Node and undici for connections that were never established. */
const NOT_CONNECTED = new Set([
  ...['NAME_NOT_RESOLVED', 'ENOTFOUND', 'EAI_AGAIN', 'ADDRESS_BLOCKED'],
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'UND_ERR_CONNECT_TIMEOUT'],
])

/** Refused certificates: the handshake comes before the request. */
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** Whether a call failed before a byte of its request was sent, so that the destination cannot have acted on it. */
export function neverSent(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  const { code = '', syscall } = (error.cause ?? {}) as { code?: string; syscall?: string }
  return NOT_CONNECTED.has(code) || TLS.test(code) || syscall === 'connect' || syscall === 'getaddrinfo'
}

/** The reason of a failed call in an error's chain of causes; undefined where no call failed. */
export function callFailureIn(error: unknown): CallFailure | undefined {
  if (error instanceof CallError) return error.reason
  return error instanceof Error && error.cause !== undefined ? callFailureIn(error.cause) : undefined
}

/** The first value of a header; undefined where it is absent. */
export function headerOf({ headers }: Pick<CallAnswer, 'headers'>, name: string): string | undefined {
  return [headers[name]].flat()[0]
}

/** The headers of an answer as pairs, for `Headers`. */
export function headerPairs({ headers }: Pick<CallAnswer, 'headers'>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
}

/** An answer as the `Response` of a client library. */
export function toResponse({ status, body }: CallAnswer, headers: [string, string][]): Response {
  // `Response` refuses even an empty body for a status without one (204).
  return new Response(body.length === 0 ? null : body, { status, headers })
}
