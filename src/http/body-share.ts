import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createFairLimiter } from '../core/fair-limiter.ts'
import { whoseShare } from './rate-limit.ts'

/** Bytes of bodies that one process has in hand at once. Half of them are for an organization alone: two batches of events. */
const MOST_BYTES = 64 * 1024 * 1024

/** The share of the operator. */
const OPERATOR = 'operator'

/**
 * Organizations share the memory for bodies, and callers without one share it by their network: a body is read from its socket only
 * when its caller has room for it, and until then waits with the caller. Room is taken before anything is read, as much
 * as `Content-Length` says, or as the route takes at most; it is given back with the answer.
 */
export function shareBodies(server: Pick<FastifyInstance, 'addHook'>): void {
  const queue = createFairLimiter<string>(MOST_BYTES)
  server.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesOf(request)
    if (bytes === 0) return done(null, payload)
    const owner = whoseShare(request) ?? OPERATOR
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

/** How many bytes a body may have that is still to come; 0 where there is none. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit ?? 0
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding !== undefined) return most
  return Math.min(Number(length ?? 0) || 0, most)
}
