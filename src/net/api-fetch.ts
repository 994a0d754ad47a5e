import type { Clock, Millis } from '../core/clock.ts'
import type { Agent } from './agent.ts'
import { call, headerPairs, toResponse } from './call.ts'

/** The options that client libraries pass to their `fetch`. */
interface ApiRequest {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
}

/** Largest answer that is read, in bytes. */
const LARGEST_ANSWER = 1024 * 1024

/**
 * A `fetch` for a provider's client library, whose address the operator configured: one deadline, a size limit and no
 * redirects. It throws CallError where no complete answer arrived.
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
