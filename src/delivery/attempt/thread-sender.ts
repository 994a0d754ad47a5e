import { stopwatch } from '../../core/clock.ts'
import { BEAT, createHeartbeats } from '../../core/heartbeats.ts'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { createThread, ThreadEndedError } from '../../core/thread.ts'
import { type DeliveryRequest, notSent, type Sent, type Target } from './send.ts'
import type { Sender } from './sender.ts'
import type { Answer, Question } from './sending-thread.ts'

/** The thread's number among the heartbeats. */
const THREAD = 1

/** The most heap of the thread. Its live data are the attempts in flight; bodies and answers are outside of the heap. */
const [HEAP_MB, YOUNG_MB] = [256, 32]

/**
 * Sends in a thread of its own, which signs, resolves names and keeps the connections. The thread starts with the first attempt. If
 * it ends, or stands still for 30 seconds, the attempts under way end as a lost connection does, and the next attempt starts another one.
 * @param allowedNetworks see `WEBHOOK_ALLOWED_NETWORKS`
 */
export function createThreadSender(
  allowedNetworks: string[],
  log: { error(data: object, message: string): void },
): Sender {
  const thread = createThread<Question, Answer>(
    new URL(`./sending-thread${MODULE_EXTENSION}`, import.meta.url),
    {
      ...{ heapMb: HEAP_MB, youngMb: YOUNG_MB, workerData: { allowedNetworks } },
      onEnded: (err, attempts) => log.error({ err, attempts }, 'the sending thread has ended'),
    },
  )
  const heartbeats = createHeartbeats(BEAT)
  /** Attempts under way. */
  let open = 0

  function answered(): void {
    heartbeats.answered(THREAD)
  }

  function ask(): void {
    // A thread without attempts is not asked.
    if (open === 0) answered()
    else thread.ask('heartbeat').then(answered, answered)
  }
  answered()
  const endBeats = heartbeats.repeat({ onStill: () => thread.kill(), ask })

  /** The thread had the attempt, so the request may have been sent. The attempt is recorded, and repeated when the next one is due. */
  function interrupted(target: Target, request: DeliveryRequest, durationMs: number): Sent {
    return {
      ...notSent(target, request, 'reset', 'the thread that sends ended during the attempt'),
      durationMs,
    }
  }

  return {
    async send(target, request) {
      const elapsed = stopwatch()
      open += 1
      try {
        return (await thread.ask({
          target,
          request: { ...request, body: withOwnMemory(request.body) },
        })) as Sent
      } catch (error) {
        if (error instanceof ThreadEndedError) return interrupted(target, request, elapsed())
        throw error
      } finally {
        open -= 1
      }
    },
    busy: thread.busy,
    close() {
      endBeats()
      return thread.close()
    },
  }
}

/** Memory of bodies that share theirs with others, as small buffers do: a copy takes the whole of it to the thread. */
const copies = new WeakMap<Uint8Array, Uint8Array>()

/** The same copy for each attempt of a body, because a message has each object once. */
function withOwnMemory(body: Uint8Array): Uint8Array {
  if (body.byteLength === body.buffer.byteLength) return body
  const copy = copies.get(body) ?? new Uint8Array(body)
  copies.set(body, copy)
  return copy
}
