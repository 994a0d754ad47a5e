import { type Clock, type Millis, SECOND } from '../core/clock.ts'

/** Why a provider's answer did not arrive. */
export type FetchFailure = 'not_https' | 'unreachable' | 'timeout' | 'too_large' | 'redirected'

export class ProviderFetchError extends Error {
  override readonly name = 'ProviderFetchError'
  readonly reason: FetchFailure
  constructor(reason: FetchFailure, options?: ErrorOptions) {
    super(`the provider's answer did not arrive: ${reason}`, options)
    this.reason = reason
  }
}

export interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: unknown
}

/** What openid-client asks of a `customFetch`, and no more. */
export type ProviderFetch = (url: string, options: FetchOptions) => Promise<Response>

/** One request, from the connection to the last byte; a sign-in makes three in a row at most. */
export const REQUEST_DEADLINE: Millis = 3 * SECOND

/** The largest answer that is read: documents of the known providers have less than 32 KiB. */
export const LARGEST_ANSWER = 512 * 1024

/**
 * The way to the identity providers that the operator named: https, one deadline, a capped answer, no
 * redirect followed and nothing decompressed.
 */
export function createProviderFetch({
  clock,
  allowHttp,
}: {
  clock: Clock
  /** For a provider on this machine. */
  allowHttp: boolean
}): ProviderFetch {
  return async (url, { method, headers, body }) => {
    const { protocol } = new URL(url)
    if (protocol !== 'https:' && !(allowHttp && protocol === 'http:'))
      throw new ProviderFetchError('not_https')
    const deadline = new AbortController()
    const cancel = clock.after(REQUEST_DEADLINE, () => deadline.abort(new ProviderFetchError('timeout')))
    try {
      // Read when it is needed: most processes never ask a provider.
      const { request } = await import('undici')
      const answer = await request(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        body: body === undefined || body === null ? null : String(body),
        signal: deadline.signal,
      })
      if (answer.statusCode >= 300 && answer.statusCode < 400) {
        // Nobody reads it; that it ends early is what was meant.
        answer.body.on('error', () => {}).destroy()
        throw new ProviderFetchError('redirected')
      }
      const bytes = await readCapped(answer.body)
      const type = String(answer.headers['content-type'] ?? '')
      return new Response(bytes, { status: answer.statusCode, headers: { 'content-type': type } })
    } catch (error) {
      if (error instanceof ProviderFetchError) throw error
      throw new ProviderFetchError('unreachable', { cause: error })
    } finally {
      cancel()
    }
  }
}

/** @throws ProviderFetchError when there is more than `LARGEST_ANSWER`; the rest is not read */
async function readCapped(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop by an error destroys the stream, and with it the connection.
  for await (const chunk of body) {
    size += chunk.length
    if (size > LARGEST_ANSWER) throw new ProviderFetchError('too_large')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
