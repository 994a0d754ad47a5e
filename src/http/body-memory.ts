import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createFairLimiter } from '../core/fair-limiter.ts'
import { shareOwnerOf } from './rate-limit.ts'

/**
 * Bytes of request bodies that one process holds at once. One organization alone gets half of them: two batches of
 * events.
 */
const MOST_BYTES = 64 * 1024 * 1024

/** The operator's key in the fair limiter. */
const OPERATOR = 'operator'

/**
 * Shares the memory for bodies among organizations; callers without one share it by their network. The server reads a
 * body only once its caller has room for it, and reserves `Content-Length` bytes, or the route's limit. The room is
 * released when the answer closes.
 */
export function limitBodyMemory(server: Pick<FastifyInstance, 'addHook'>): void {
  const queue = createFairLimiter<string>(MOST_BYTES)
  server.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesOf(request)
    if (bytes === 0) return done(null, payload)
    const owner = shareOwnerOf(request) ?? OPERATOR
    const atOnce = queue.tryEnter(owner, bytes)
    if (atOnce !== undefined) {
      reply.raw.once('close', atOnce)
      return done(null, payload)
    }
    const gone = new AbortController()
    const leave = () => gone.abort(new Error('the caller has gone'))
    request.raw.socket.once('close', leave)
    queue.enter(owner, gone.signal, bytes).then(
      (giveBack) => {
        request.raw.socket.off('close', leave)
        reply.raw.once('close', giveBack)
        done(null, payload)
      },
      (error: Error) => done(error),
    )
  })
}

/** How many bytes of body may still arrive; 0 without a body. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit ?? 0
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding !== undefined) return most
  return Math.min(Number(length ?? 0) || 0, most)
}
