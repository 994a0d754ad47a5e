import type { Clock, Millis } from '../core/clock.ts'
import type { Agent } from './agent.ts'
import { call, headerPairs, toResponse } from './call.ts'

/** What a client library gives its `fetch`; it gives no more than this. */
interface ApiRequest {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
}

/** The largest answer of an API that is read, in bytes. */
const LARGEST_ANSWER = 1024 * 1024

/**
 * The way of a provider's client library to its API, whose address the operator set: a `fetch` with one deadline, a
 * capped answer and no redirect followed. It throws CallError where no whole answer arrived.
 */
export function createApiFetch(parts: { clock: Clock; deadline: Millis; agent: Agent; owner: string }) {
  return async (address: string | URL | Request, { method = 'GET', headers, body }: ApiRequest = {}) => {
    const request = {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' && body !== '' ? body : null,
    }
    const answer = await call(new URL(String(address)), request, { ...parts, largest: LARGEST_ANSWER })
    return toResponse(answer, headerPairs(answer))
  }
}
