import { PosternError, readError } from './errors.ts'
import { after, isPassing, pause, waitMs } from './retry.ts'

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
  /** Names a call, so that it is done once however often it is sent. Where Postern heeds it, one is made for each call. */
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
  /** What is read as it comes; JSON unless it is set. */
  accept?: string
  /** Done once for each Idempotency-Key. */
  isOnce?: boolean
  options?: CallOptions | undefined
}

type Read<T> = (response: Response) => Promise<T> | T

/**
 * Makes a call with its retries; reading has what remains of the same time.
 * @throws PosternError, or the reason of the caller's signal
 */
export type Send = <T>(call: Call, read: Read<T>) => Promise<T>

const SECOND = 1_000
const DEFAULTS = { maxRetries: 2, timeoutMs: 60 * SECOND, deadlineMs: 120 * SECOND }

/** What sends the calls of one client. */
export function createSend(client: PosternOptions): Send {
  const call = client.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args))
  const root = client.baseUrl.replace(/\/+$/, '')

  async function tryOnce<T>(one: Call, init: RequestInit, ms: number, read: Read<T>): Promise<T> {
    const outer = one.options?.signal
    outer?.throwIfAborted()
    const limit = new AbortController()
    const timer = after(ms, () => limit.abort())
    const signal = outer === undefined ? limit.signal : AbortSignal.any([outer, limit.signal])
    try {
      const response = await call(root + one.path + toSearch(one.query), { ...init, signal })
      if (response.status >= 400) throw await readError(response)
      if (one.accept !== '*/*') mustStay(response)
      // Who reads the body as it comes has as long as that takes.
      if (one.accept !== undefined) clearTimeout(timer)
      return await read(response)
    } catch (cause) {
      if (cause instanceof PosternError) throw cause
      outer?.throwIfAborted()
      const code = limit.signal.aborted ? 'TIMEOUT' : 'NETWORK'
      const message = `${one.method} ${root}${one.path}: ${code === 'TIMEOUT' ? `no answer within ${ms} ms` : 'no answer'}.`
      throw new PosternError({ code, message, cause })
    } finally {
      clearTimeout(timer)
    }
  }

  return async (one, read) => {
    const { maxRetries, timeoutMs, deadlineMs } = { ...DEFAULTS, ...defined(client), ...defined(one.options) }
    const ends = Date.now() + deadlineMs
    const headers = headersOf(client, one)
    // A POST that is not known by its key might be done twice.
    const isRepeatable = one.method !== 'POST' || headers.has('idempotency-key')
    const retries = isRepeatable && !isSpent(one.body) ? maxRetries : 0
    let token: string | undefined = client.apiKey?.trim() ?? (await client.token?.())
    let isRenewed = false
    for (let tries = 0; ; tries++) {
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      try {
        const ms = Math.max(1, Math.min(timeoutMs, ends - Date.now()))
        return await tryOnce(one, { method: one.method, headers, ...bodyOf(one) }, ms, read)
      } catch (error) {
        const fresh: string | undefined =
          isRefused(error) && !isRenewed ? await client.token?.(token) : undefined
        if (fresh !== undefined && fresh !== token && !isSpent(one.body)) {
          ;[token, isRenewed] = [fresh, true]
          // It was not a try of this call: nobody was let in.
          tries--
          continue
        }
        const wait = waitMs(tries, error)
        if (tries >= retries || !isPassing(error) || Date.now() + wait >= ends) throw error
        await pause(wait, one.options?.signal)
      }
    }
  }
}

/** @throws PosternError where an answer leads elsewhere: what was sent is sent to nobody else */
function mustStay({ status, type, headers }: Response): void {
  const place = headers.get('location')
  if (type !== 'opaqueredirect' && (place === null || status < 300)) return
  const message = `The answer leads to ${place?.slice(0, 200) ?? 'another address'}: baseUrl is not where Postern is.`
  throw new PosternError({ code: 'UNEXPECTED_ANSWER', message, status })
}

function isRefused(error: unknown): boolean {
  return error instanceof PosternError && error.status === 401
}

/** Whether a body is gone, or another one, once it was sent. */
function isSpent(body: unknown): boolean {
  return body instanceof ReadableStream || body instanceof FormData
}

function headersOf(client: PosternOptions, { body, accept, isOnce, options }: Call): Headers {
  const headers = new Headers({
    accept: accept ?? 'application/json',
    ...client.headers,
    ...options?.headers,
  })
  const key = options?.idempotencyKey ?? (isOnce ? newKey() : undefined)
  if (key !== undefined && !headers.has('idempotency-key')) headers.set('idempotency-key', key)
  if (!headers.has('content-type') && !(body instanceof FormData) && body !== undefined)
    headers.set('content-type', isBytes(body) ? 'application/octet-stream' : 'application/json')
  return headers
}

/** Random, also where a page is not of a secure origin and `randomUUID` is missing. */
function newKey(): string {
  return `auto_${crypto.getRandomValues(new Uint32Array(4)).join('_')}`
}

function isBytes(body: unknown): body is Bytes {
  return (
    [ArrayBuffer, Blob, FormData, ReadableStream].some((kind) => body instanceof kind) ||
    ArrayBuffer.isView(body)
  )
}

function bodyOf({ body }: Call): RequestInit {
  // The key and the body are for nobody to whom an answer may lead.
  const redirect = 'manual'
  if (body === undefined) return { redirect }
  if (!isBytes(body)) return { redirect, body: JSON.stringify(body) }
  return { redirect, body, ...(body instanceof ReadableStream ? { duplex: 'half' } : {}) } as RequestInit
}

function toSearch(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

function defined(options: object = {}): Partial<typeof DEFAULTS> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => name in DEFAULTS && value !== undefined),
  )
}
