import { organizationId } from '../router.ts'
import { toFailure } from './failure.ts'
import { type Call, type Query, send } from './http.ts'
import { dropToken, NO_ORGANIZATION, tokenFor } from './session.ts'

/** A page of a list, as every list answers. */
export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

export type { Query }

/**
 * The public API with the token of the organization in the address. A token that is refused (its session was renewed elsewhere,
 * a role was changed) is fetched anew, once.
 * @throws Failure
 */
export async function request(method: string, path: string, call: Call = {}): Promise<Response> {
  const organization = organizationId()
  if (organization === undefined) throw NO_ORGANIZATION
  for (let isFirst = true; ; isFirst = false) {
    const authorization = `Bearer ${await tokenFor(organization)}`
    try {
      return await send(method, path, { ...call, headers: { ...call.headers, authorization } })
    } catch (thrown) {
      if (!isFirst || toFailure(thrown).status !== 401 || call.signal?.aborted) throw thrown
      dropToken(organization)
    }
  }
}

async function answerOf<T>(response: Promise<Response>): Promise<T> {
  const answer = await response
  return (answer.status === 204 ? undefined : await answer.json()) as T
}

/** 128 random bits: each call that makes something is made once, however often it is sent. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** The verbs by which screens reach the API; paths as the documentation has them, `/v1/…`. */
export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) =>
    answerOf<T>(request('GET', path, { query, signal })),
  post: <T>(path: string, body: unknown = {}, query?: Query) =>
    answerOf<T>(request('POST', path, { query, body, headers: { 'idempotency-key': newKey() } })),
  patch: <T>(path: string, body: unknown) => answerOf<T>(request('PATCH', path, { body })),
  delete: <T = void>(path: string, query?: Query) => answerOf<T>(request('DELETE', path, { query })),
}
