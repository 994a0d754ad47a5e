import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Millis, SECOND } from '../../core/clock.ts'

/** The longest wait that a caller can request. */
export const LONGEST_WAIT: Millis = 30 * SECOND

/**
 * How long a request waits for the end of the work that it starts: `Prefer: wait=N` (RFC 7240), at most 30 seconds. An
 * unreadable preference is ignored. The answer names the applied preference.
 */
export function readWait({ headers }: FastifyRequest, reply: FastifyReply): Millis {
  const preferences = [headers.prefer ?? ''].flat().join(',').split(',')
  const asked = preferences.flatMap(
    (one) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(one)?.[1] ?? [],
  )[0]
  const wait = Math.min(Number(asked ?? 0) * SECOND, LONGEST_WAIT)
  if (wait > 0) void reply.header('preference-applied', `wait=${wait / SECOND}`)
  return wait
}

/**
 * Reads the result of work that a request has started and waited for. The work is accepted already: where this read
 * fails, the request is answered as without a wait.
 * @returns the result of `read`; undefined where it failed, which is logged
 */
export async function afterWait<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    request.log.error({ err: error, requestId: request.id }, 'accepted, but its end could not be read')
    return undefined
  }
}
