import { PosternError, readError } from './errors.ts'
import { after, isPassing, pause, waitMs } from './retry.ts'

/** The settings of a client. */
export interface PosternOptions {
  /** Where Postern is, for example `https://id.example.com`. */
  baseUrl: string
  /** A key of `POST /v1/api-keys` (`psk_…`), or of the installation (`ppk_…`). */
  apiKey?: string
  /** The organization for which a key of the installation acts: `org_…`, or `ext:` and its `externalId`. */
  organization?: string
  /** Gives the token of a call, instead of a key. Before a call fails with 401 it is asked again, with the refused token. */
  token?: (refused?: string) => string | undefined | Promise<string | undefined>
  /** How often a call with a temporary failure is repeated; 2 unless set, 0 for never. */
  maxRetries?: number
  /** How long one try may take; 60 s unless set. */
  timeoutMs?: number
  /** How long a call may take with all its tries and waits; 120 s unless set. */
  deadlineMs?: number
  /** Sent with every call. */
  headers?: Record<string, string>
  /** The function that sends requests; the platform's `fetch` unless set. */
  fetch?: typeof fetch
}

/** The options of a single call. */
export interface CallOptions
  extends Pick<PosternOptions, 'organization' | 'maxRetries' | 'timeoutMs' | 'deadlineMs' | 'headers'> {
  signal?: AbortSignal
  /** Names a call, so that repeating it does it only once. Where Postern supports it, each call gets one unless it is set. */
  idempotencyKey?: string
}

/** The members of a query; lists are repeated, undefined members are left out. */
export type Query = Record<string, string | number | boolean | readonly (string | number)[] | undefined>

/** A body that is sent as it is. */
export type Bytes = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | FormData | ReadableStream<Uint8Array>

/** One call, as it is sent. */
export interface Call {
  method: string
  path: string
  query?: Query | undefined
  /** JSON, unless it is bytes, a form or a stream. */
  body?: unknown
  /** The form of the answer; JSON unless it is set. */
  accept?: string
  /** Whether Postern does it once for each Idempotency-Key. */
  isOnce?: boolean
  options?: CallOptions | undefined
}

type Read<T> = (response: Response) => Promise<T> | T

/**
 * Makes a call with its retries. Reading the answer counts against the same time.
 * @throws PosternError, or the reason of the caller's signal
 */
export type Send = <T>(call: Call, read: Read<T>) => Promise<T>

const SECOND = 1_000
const DEFAULTS = { maxRetries: 2, timeoutMs: 60 * SECOND, deadlineMs: 120 * SECOND }

/** Makes the function that sends the calls of one client. */
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
      // A body that is read as a stream has no deadline.
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
    // Without an Idempotency-Key a POST could be done twice.
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
          // A refused token counts as no try: the call was not done.
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

/** @throws PosternError for a redirect: key and body are sent to no other address */
function mustStay({ status, type, headers }: Response): void {
  const place = headers.get('location')
  if (type !== 'opaqueredirect' && (place === null || status < 300)) return
  const message = `The answer leads to ${place?.slice(0, 200) ?? 'another address'}: baseUrl is not where Postern is.`
  throw new PosternError({ code: 'UNEXPECTED_ANSWER', message, status })
}

function isRefused(error: unknown): boolean {
  return error instanceof PosternError && error.status === 401
}

/** Whether a body can be sent only once. */
function isSpent(body: unknown): boolean {
  return body instanceof ReadableStream || body instanceof FormData
}

function headersOf(client: PosternOptions, { body, accept, isOnce, options }: Call): Headers {
  const headers = new Headers({
    accept: accept ?? 'application/json',
    ...client.headers,
    ...options?.headers,
  })
  const organization = options?.organization ?? client.organization
  if (organization !== undefined) headers.set('postern-organization', organization)
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
  // A redirect must not receive the key and the body.
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
