import type { Clock, Millis } from '../core/clock.ts'
import type { Agent } from './agent.ts'

/** Why a whole answer did not arrive. */
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
  body?: string | Uint8Array | null
}

/** A whole answer; a header that came several times is a list. */
export interface CallAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer<ArrayBuffer>
}

export interface CallLimits {
  clock: Clock
  /** One request, from the look-up of the name to the last byte; and as long again until a connection is free. */
  deadline: Millis
  /** The largest answer that is read, in bytes. */
  largest: number
  agent: Agent
  /** Whose share of the connections and look-ups it uses. */
  owner: string
}

/**
 * One request and its whole answer: one deadline, a capped size, no redirect followed, nothing decompressed.
 * @throws CallError
 */
export async function call(
  url: URL,
  request: CallRequest,
  { clock, deadline, largest, agent, owner }: CallLimits,
): Promise<CallAnswer> {
  const over = new AbortController()
  const giveUp = () => over.abort(new CallError('timeout'))
  let cancel = clock.after(deadline, giveUp)
  let release = () => {}
  try {
    const place = await agent.reserve(owner, url.origin, over.signal)
    release = place.release
    cancel()
    cancel = clock.after(deadline, giveUp)
    // Loaded when it is needed: most processes make no calls.
    const undici = await import('undici')
    const { statusCode, headers, body } = await undici.request(url, {
      method: request.method as 'GET',
      headers: request.headers,
      body: request.body ?? null,
      signal: over.signal,
      dispatcher: place.dispatcher,
    })
    return { status: statusCode, headers, body: await readCapped(body, largest) }
  } catch (error) {
    if (error instanceof CallError) throw error
    if (over.signal.aborted) throw new CallError('timeout')
    const isBlocked = (error as { code?: string }).code === 'ADDRESS_BLOCKED'
    throw new CallError(isBlocked ? 'blocked_address' : 'unreachable', { cause: error })
  } finally {
    cancel()
    release()
  }
}

/** @throws CallError when there is more than `largest`; the rest is not read */
async function readCapped(body: AsyncIterable<Uint8Array>, largest: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop by an error destroys the stream, and with it the connection.
  for await (const chunk of body) {
    size += chunk.length
    if (size > largest) throw new CallError('too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The first value of a header; undefined where it did not come. */
export function headerOf({ headers }: CallAnswer, name: string): string | undefined {
  return [headers[name]].flat()[0]
}

/** An answer as a client library's `fetch` gives it. */
export function toResponse({ status, body }: CallAnswer, headers: [string, string][]): Response {
  // A status that forbids a body (204) refuses an empty one too.
  return new Response(body.length === 0 ? null : body, { status, headers })
}
