import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import type { Access } from './principal.ts'

/** Whether a route of that access knows its caller by the bearer token alone, and neither reads nor sets a cookie. */
const isByBearer = (access: Access) => access !== 'public' && access !== 'session'

/**
 * Refuses what a page of another site makes a browser send (CSRF, login CSRF): the request changes something
 * and its `Origin`, or without one its `Sec-Fetch-Site`, is not one of ours. Clients that are no browsers
 * send neither and pass. Where it is a bearer token that counts, a browser adds nothing by itself, and a request with
 * one passes; where a cookie is looked at, `Authorization` does not prove that no other site made the browser send it.
 * @throws ApiError FORBIDDEN
 */
export function refuseCrossSite(request: FastifyRequest, access: Access, allowedOrigins: string[]): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return
  if (isByBearer(access) && request.headers.authorization !== undefined) return
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined) {
    if (allowedOrigins.includes(origin)) return
  } else if (site === undefined || site === 'same-origin' || site === 'none') {
    return
  }
  throw new ApiError('FORBIDDEN', { reason: 'cross_site' })
}
