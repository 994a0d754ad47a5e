import { PosternError, readError } from './errors.ts'
import { isPassing, pause, waitMs } from './retry.ts'

/** How a client reaches Postern. */
export interface PosternOptions {
  /** Where Postern is, for example `https://id.example.com`. */
  baseUrl: string
  /** A key of `POST /v1/api-keys`. */
  apiKey?: string
  /** Gives the token for a call, in the place of a key. Asked again with the one that was refused, before a call fails. */
  token?: (refused?: string) => string | undefined | Promise<string | undefined>
  /** How often a call that failed in passing is made again; 2 unless set, 0 for never. */
  maxRetries?: number
  /** How long one try may take; 60 s unless set. */
  timeoutMs?: number
  /** How long a call may take with all its tries and waits; 120 s unless set. */
  deadlineMs?: number
  /** Sent with every call. */
  headers?: Record<string, string>
  /** What makes the requests; the platform's own unless set. */
  fetch?: typeof fetch
}

/** What a single call may want otherwise. */
export interface CallOptions
  extends Pick<PosternOptions, 'maxRetries' | 'timeoutMs' | 'deadlineMs' | 'headers'> {
  signal?: AbortSignal
  /** Names a POST, so that it is done once however often it is sent. Made for each call unless set. */
  idempotencyKey?: string
}

/** The members of a query; lists are repeated, and what is undefined is left out. */
export type Query = Record<string, string | number | boolean | readonly (string | number)[] | undefined>

/** A body that goes as it is. */
export type Bytes = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | FormData | ReadableStream<Uint8Array>

/** One call, as it goes over the wire. */
export interface Call {
  method: string
  path: string
  query?: Query | undefined
  /** JSON, unless it is bytes, a form or a stream. */
  body?: unknown
  accept?: string
  options?: CallOptions | undefined
}

/** Makes a call with its retries. `read` has what remains of the same time. @throws PosternError, or the reason of the caller's signal */
export type Send = <T>(call: Call, read: (response: Response) => Promise<T> | T) => Promise<T>

const SECOND = 1_000
const DEFAULTS = { maxRetries: 2, timeoutMs: 60 * SECOND, deadlineMs: 120 * SECOND }

/** What sends the calls of one client. */
export function createSend(client: PosternOptions): Send {
  const call = client.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args))
  const root = client.baseUrl.replace(/\/+$/, '')

  async function tryOnce<T>(
    one: Call,
    init: RequestInit,
    ms: number,
    read: (response: Response) => Promise<T> | T,
  ): Promise<T> {
    const outer = one.options?.signal
    outer?.throwIfAborted()
    const inner = new AbortController()
    const end = () => inner.abort(outer?.reason)
    outer?.addEventListener('abort', end, { once: true })
    const timer = setTimeout(() => inner.abort(), ms)
    try {
      const response = await call(root + one.path + toSearch(one.query), { ...init, signal: inner.signal })
      if (!response.ok && response.status !== 304 && response.status !== 302) throw await readError(response)
      // Whoever reads the body as it comes has no time set for it; the signal stays.
      if (one.accept !== undefined) clearTimeout(timer)
      return await read(response)
    } catch (cause) {
      if (cause instanceof PosternError) throw cause
      outer?.throwIfAborted()
      if (inner.signal.aborted)
        throw new PosternError({ code: 'TIMEOUT', message: `No answer within ${ms} ms.`, cause })
      throw new PosternError({
        code: 'NETWORK',
        message: `${one.method} ${root}${one.path} got no answer.`,
        cause,
      })
    } finally {
      clearTimeout(timer)
      if (one.accept === undefined) outer?.removeEventListener('abort', end)
    }
  }

  return async (one, read) => {
    const { maxRetries, timeoutMs, deadlineMs } = { ...DEFAULTS, ...defined(client), ...defined(one.options) }
    const ends = Date.now() + deadlineMs
    const headers = headersOf(client, one)
    const isRepeatable = one.method !== 'POST' || headers.has('idempotency-key')
    let token = await (client.apiKey ?? client.token?.())
    let isRefused = false
    for (let tries = 0; ; ) {
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      try {
        const ms = Math.max(1, Math.min(timeoutMs, ends - Date.now()))
        return await tryOnce(one, { method: one.method, headers, ...bodyOf(one.body) }, ms, read)
      } catch (error) {
        if (
          error instanceof PosternError &&
          error.status === 401 &&
          !isRefused &&
          client.token !== undefined
        ) {
          isRefused = true
          const fresh = await client.token(token)
          if (fresh === undefined || fresh === token) throw error
          token = fresh
          continue
        }
        if (tries >= maxRetries || !isRepeatable || !isPassing(error) || one.body instanceof ReadableStream)
          throw error
        const wait = waitMs(tries, error)
        if (Date.now() + wait >= ends) throw error
        await pause(wait, one.options?.signal)
        tries++
      }
    }
  }
}

function headersOf(client: PosternOptions, { method, body, accept, options }: Call): Headers {
  const headers = new Headers({
    accept: accept ?? 'application/json',
    ...client.headers,
    ...options?.headers,
  })
  if (method === 'POST' && !headers.has('idempotency-key'))
    headers.set('idempotency-key', options?.idempotencyKey ?? newKey())
  if (!headers.has('content-type') && !(body instanceof FormData) && body !== undefined)
    headers.set('content-type', isBytes(body) ? 'application/octet-stream' : 'application/json')
  return headers
}

/** Random, also where a page is not of a secure origin and `randomUUID` is missing. */
function newKey(): string {
  return `auto_${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function isBytes(body: unknown): body is Bytes {
  return (
    [ArrayBuffer, Blob, FormData, ReadableStream].some((kind) => body instanceof kind) ||
    ArrayBuffer.isView(body)
  )
}

function bodyOf(body: unknown): RequestInit {
  if (body === undefined) return {}
  if (!isBytes(body)) return { body: JSON.stringify(body) }
  return { body, ...(body instanceof ReadableStream ? { duplex: 'half' } : {}) } as RequestInit
}

function toSearch(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

function defined<T extends object>(options: T = {} as T): Partial<typeof DEFAULTS> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => name in DEFAULTS && value !== undefined),
  )
}
