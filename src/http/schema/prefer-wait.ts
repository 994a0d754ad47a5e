import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Millis, SECOND } from '../../core/clock.ts'

/** The longest wait, whatever the caller asks for. */
export const LONGEST_WAIT: Millis = 30 * SECOND

/**
 * How long a request asks to wait for the end of what it begins: `Prefer: wait=N` (RFC 7240), at most 30 seconds. What cannot
 * be read is no preference. The answer says what was taken.
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
 * Reads what became of something that a request has begun and waited for. It is accepted whatever becomes of the wait: where the
 * store fails, the answer is the one without a wait, and no error.
 * @returns what `read` finds; undefined where it failed, which is logged
 */
export async function afterWait<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    request.log.error({ err: error, requestId: request.id }, 'accepted, but its end could not be read')
    return undefined
  }
}
