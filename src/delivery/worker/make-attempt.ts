import type { Clock, Millis } from '../../core/clock.ts'
import { classify } from '../attempt/outcome.ts'
import { nextAttemptAt } from '../attempt/retry.ts'
import type { Send } from '../attempt/send.ts'
import type { ActiveTarget } from '../attempt/targets.ts'
import type { DeliveryJob, DeliverySettlement } from '../store/job.ts'

/** An attempt that was made, or that it was too late to make, and what it changes. */
export interface Made {
  settlement: DeliverySettlement
  /** Whether the destination showed itself well; only that widens its lane. undefined where it was not called. */
  isWell: boolean | undefined
  /** Fields of the one log line of the attempt (design: one wide line a unit of work). */
  line: Record<string, string | number | null>
}

/** Makes one attempt of a delivery and decides what becomes of it; never throws for what a destination does. */
export async function makeAttempt(
  job: DeliveryJob,
  body: Uint8Array,
  target: ActiveTarget,
  send: Send,
  clock: Clock,
): Promise<Made> {
  const startedAt = clock.now()
  const horizon = Math.max(job.horizon, target.horizonFloor)
  if (startedAt > horizon) return tooLate(job, startedAt)
  const attempt = job.attempts + 1
  const { organizationId, eventId, id: deliveryId, hops } = job
  const sent = await send(target, { organizationId, eventId, deliveryId, attempt, body, hops })
  const now = clock.now()
  const { verdict, reason, notBefore } = classify(sent.result, now)
  const dueAt =
    verdict === 'retry' ? nextAttemptAt({ attempts: attempt, now, horizon, notBefore }) : undefined
  const isOver = verdict === 'retry' && dueAt === undefined
  const status = verdict === 'delivered' ? 'delivered' : dueAt === undefined ? 'failed' : 'pending'
  return {
    settlement: {
      job,
      attempt: { startedAt, sent, outcome: verdict },
      status,
      reason: status === 'delivered' ? null : isOver ? 'horizon_passed' : reason,
      dueAt: dueAt ?? null,
      disables: verdict === 'gone',
    },
    isWell: verdict !== 'retry',
    line: {
      ...namesOf(job),
      attempt,
      verdict,
      reason,
      status,
      durationMs: Math.round(sent.durationMs),
      lateMs: Math.max(0, startedAt - job.dueAt),
      retryInMs: dueAt === undefined ? null : dueAt - now,
    },
  }
}

function tooLate(job: DeliveryJob, now: Millis): Made {
  return {
    settlement: {
      job,
      attempt: null,
      status: 'failed',
      reason: 'horizon_passed',
      dueAt: null,
      disables: false,
    },
    isWell: undefined,
    line: {
      ...namesOf(job),
      attempt: job.attempts,
      verdict: 'failed',
      reason: 'horizon_passed',
      status: 'failed',
      lateMs: now - job.dueAt,
    },
  }
}

function namesOf({ id, laneId: webhookId, organizationId, eventId }: DeliveryJob): Record<string, string> {
  return { deliveryId: id, webhookId, organizationId, eventId }
}
