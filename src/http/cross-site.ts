import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'

/**
 * Refuses what a page of another site makes a browser send (CSRF, login CSRF): the request changes something
 * and its `Origin`, or without one its `Sec-Fetch-Site`, is not one of ours. Clients that are no browsers
 * send neither and pass; requests with a bearer token carry nothing that a browser adds by itself.
 * @throws ApiError FORBIDDEN
 */
export function refuseCrossSite(request: FastifyRequest, allowedOrigins: string[]): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return
  if (request.headers.authorization !== undefined) return
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined) {
    if (allowedOrigins.includes(origin)) return
  } else if (site === undefined || site === 'same-origin' || site === 'none') {
    return
  }
  throw new ApiError('FORBIDDEN', { reason: 'cross_site' })
}
