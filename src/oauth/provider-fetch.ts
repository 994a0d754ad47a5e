import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { isLocalhost } from '../core/text/secure-url.ts'
import type { Agent } from '../net/agent.ts'
import { CallError, call, headerOf, toResponse } from '../net/call.ts'

interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: unknown
}

/** The part of `customFetch` that openid-client uses. */
export type ProviderFetch = (url: string, options: FetchOptions) => Promise<Response>

/** One request of a sign-in, from name resolution to the last byte; a sign-in makes three in a row at most. */
export const REQUEST_DEADLINE: Millis = 3 * SECOND

/** Largest answer that is read: documents of the known providers have less than 32 KiB. */
const LARGEST_ANSWER = 512 * 1024

/** The headers that the library gets; a challenge would hide the error in the body. */
const KEPT_HEADERS = ['content-type', 'retry-after']

/**
 * The `fetch` for OAuth and OpenID providers of the operator: https, one deadline, a size limit, no redirects and no
 * decompression. It throws CallError.
 */
export function createProviderFetch({
  clock,
  allowHttp,
  deadline = REQUEST_DEADLINE,
  agent,
  owner,
}: {
  clock: Clock
  /** For a provider on this machine. */
  allowHttp: boolean
  deadline?: Millis
  agent: Agent
  /** The organization whose share of connections and look-ups it uses. */
  owner: string
}): ProviderFetch {
  const limits = { clock, deadline, largest: LARGEST_ANSWER, agent, owner }
  return async (address, { method, headers, body }) => {
    const url = new URL(address)
    const isLocal = url.protocol === 'http:' && isLocalhost(url.hostname)
    if (url.protocol !== 'https:' && !(allowHttp && isLocal)) throw new CallError('not_https')
    const request = {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body === undefined || body === null ? null : String(body),
    }
    const answer = await call(url, request, limits)
    if (answer.status >= 300 && answer.status < 400) throw new CallError('redirected')
    const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
      const value = headerOf(answer, name)
      return value === undefined ? [] : [[name, value]]
    })
    return toResponse(answer, kept)
  }
}
