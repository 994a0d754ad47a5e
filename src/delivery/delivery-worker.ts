import type { Clock, Millis } from '../core/clock.ts'
import { createWorker } from '../jobs/worker/create-worker.ts'
import type { JobKind, JobWorker, Log, WorkerDeps } from '../jobs/worker/worker.ts'
import type { DeliveryJob, DeliverySettlement } from './attempt/delivery-job.ts'
import { makeAttempt } from './attempt/make-attempt.ts'
import { DEADLINE, type Send } from './attempt/send.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { type DeliveryTrace, traceAttempt } from './delivery-trace.ts'

interface DeliveriesDeps {
  clock: Clock
  store: DeliveryStore
  send: Send
  log: Log
  /** Called after each attempt with its outcome, how long it took, and how late it began. */
  onAttempt: (outcome: string, durationMs: number, lateMs: Millis) => void
  /** undefined: attempts are not traced. */
  trace?: DeliveryTrace | undefined
}

/** Sends the deliveries of the table: a job is a delivery, a lane a webhook, an attempt one call. */
export type DeliveryWorker = JobWorker<DeliveryJob>

export function createDeliveryWorker(deps: DeliveriesDeps & WorkerDeps): DeliveryWorker {
  return createWorker(deliveryKind(deps), deps)
}

/** The kind of job that a delivery is. */
export function deliveryKind(deps: DeliveriesDeps): JobKind<DeliveryJob, DeliverySettlement> {
  const { clock, store, send, log, onAttempt, trace } = deps
  return {
    name: 'delivery worker',
    laneName: 'webhookId',
    store,
    lanes: store.lanes,
    longest: DEADLINE,
    async prepare(job) {
      const body = job.body ?? (await store.findBody(job.eventId))
      if (body === undefined) return undefined
      // Read last, so that a webhook that was paused before the call is not called.
      const target = await store.findTarget(job.laneId, clock.now())
      if (target === undefined) return undefined
      return async () => {
        const made = await makeAttempt(job, body, target, send, clock)
        const { attempt } = made.settlement
        if (attempt) {
          const lateMs = Math.max(0, attempt.startedAt - job.dueAt)
          onAttempt(attempt.outcome, attempt.sent.durationMs, lateMs)
        }
        log.info(traceAttempt(trace, made, target.url), 'attempt')
        return made
      }
    },
    afterPoll: (now) => store.stepReplays(now),
  }
}
