import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import type { Access } from './principal.ts'

/** Whether a route identifies its caller by the bearer token alone, and neither reads nor sets a cookie. */
const isByBearer = (access: Access) => access !== 'public' && access !== 'session'

/**
 * Refuses changes that a page of another site makes a browser send (CSRF, login CSRF): the `Origin`, or without one the
 * `Sec-Fetch-Site`, is not ours. Clients that are no browsers send neither and pass. A bearer token exempts only routes
 * without cookies, because browsers never add one automatically.
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
