import { MINUTE, SECOND, sleep } from '../clock.ts'
import { root } from '../root.ts'
import { Failure } from './failure.ts'

/** Filters of a list; what is undefined, null or empty is left out, and a list names the parameter for each of its values. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined | null>

export interface Call {
  query?: Query | undefined
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** Whether the answer goes on for as long as somebody reads it. */
  lasts?: boolean
}

/** Waits that are shorter than what a person notices as an error. */
const PATIENCE = 5 * SECOND
const TRIES = 3
const BACKOFF = [300, 1_200]

/** `/v1/webhooks` and its query as a path of this server. */
export function pathOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one))
  }
  return `${root()}${path}${parameters.size === 0 ? '' : `?${parameters}`}`
}

/**
 * One call of the API, made again where that is safe and may help: what only reads, and what carries a key that makes it
 * happen once.
 * @throws Failure
 */
export async function send(method: string, path: string, call: Call = {}): Promise<Response> {
  const isSafe = method === 'GET' || call.headers?.['idempotency-key'] !== undefined
  for (let tried = 1; ; tried += 1) {
    const failure = await once(method, path, call)
    if (failure instanceof Response) return failure
    const wait = failure.retryAfter === undefined ? BACKOFF[tried - 1] : failure.retryAfter * SECOND
    const mayHelp = failure.code === 'OFFLINE' || failure.status === 429 || failure.status >= 500
    if (!isSafe || !mayHelp || tried >= TRIES || wait === undefined || wait > PATIENCE) throw failure
    await sleep(wait * (1 + Math.random() / 4), call.signal)
  }
}

async function once(
  method: string,
  path: string,
  { query, body, headers = {}, signal, lasts = false }: Call,
): Promise<Response | Failure> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const signals = [...(signal === undefined ? [] : [signal]), ...(lasts ? [] : [AbortSignal.timeout(MINUTE)])]
  const response = await fetch(pathOf(path, query), {
    method,
    headers: { accept: 'application/json', ...json, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    cache: 'no-store',
    signal: AbortSignal.any(signals),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    return new Failure({ code: 'OFFLINE' })
  })
  if (response instanceof Failure || response.ok) return response
  const answer = (await response.json().catch(() => ({}))) as { error?: Record<string, unknown> }
  const { code = 'UNKNOWN', message, details, requestId } = answer.error ?? {}
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new Failure({
    code: String(code),
    status: response.status,
    message: String(message ?? `The server answered ${response.status}.`),
    details: (details ?? {}) as Record<string, unknown>,
    requestId: requestId === undefined ? undefined : String(requestId),
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
  })
}
