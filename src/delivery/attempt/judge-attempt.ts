import { nextAttemptAt } from '../../core/backoff.ts'
import type { Millis } from '../../core/clock.ts'
import type { Learnt } from '../../jobs/lanes/lanes.ts'
import type { DeliveryJob, DeliverySettlement } from './delivery-job.ts'
import { classify } from './outcome.ts'
import { WAITS } from './schedule.ts'
import type { Sent } from './send.ts'
import type { ActiveTarget } from './targets.ts'

/** The result of an attempt, or of a delivery that is too late for an attempt. */
export interface Made {
  settlement: DeliverySettlement
  /** The state of the destination for the worker. */
  learnt: Learnt
  /** Fields of the one log line of the attempt. */
  line: Record<string, string | number | null>
}

/** An attempt that was made, by this process or by a client that fetched the delivery. */
interface MadeAttempt {
  job: DeliveryJob
  target: Pick<ActiveTarget, 'maxInFlight' | 'maxPerSecond'>
  startedAt: Millis
  /** The last moment at which an attempt may start. */
  horizon: Millis
  sent: Sent
}

/** Decides the state of a delivery after an attempt. */
export function judgeAttempt({ job, target, startedAt, horizon, sent }: MadeAttempt, now: Millis): Made {
  const attempt = job.attempts + 1
  const { verdict, reason, notBefore } = classify(sent.result, now)
  const dueAt =
    verdict === 'retry'
      ? nextAttemptAt({ waits: WAITS, attempts: attempt, now, horizon, notBefore })
      : undefined
  const isOver = verdict === 'retry' && dueAt === undefined
  // A destination that refuses a delivery for good, as with 404, is reachable, so its lane keeps its pace; a forbidden address is not
  // called, so nothing is learnt. The `health` of a webhook in the API follows from `failure` and counts both.
  const isReachable = isCalled(sent) ? verdict !== 'retry' : undefined
  const status = verdict === 'delivered' ? 'delivered' : dueAt === undefined ? 'failed' : 'pending'
  return {
    settlement: {
      job,
      attempt: { startedAt, sent, outcome: verdict },
      status,
      // `horizon_passed`: the next attempt would start after the horizon.
      reason: status === 'delivered' ? null : isOver ? 'horizon_passed' : reason,
      dueAt: dueAt ?? null,
      horizon: horizon > job.horizon && dueAt !== undefined ? horizon : null,
      disables: verdict === 'gone',
    },
    learnt: {
      isReachable,
      failure: verdict === 'delivered' ? null : reason,
      cap: target.maxInFlight,
      perSecond: target.maxPerSecond,
      startedAt,
      durationMs: sent.durationMs,
    },
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

function isCalled({ result }: Sent): boolean {
  return !('failure' in result && result.failure === 'blocked_address')
}

/** The result of a delivery whose horizon has passed before an attempt. */
export function tooLate(job: DeliveryJob, target: ActiveTarget, now: Millis): Made {
  return {
    settlement: {
      job,
      attempt: null,
      status: 'failed',
      reason: 'horizon_passed',
      dueAt: null,
      horizon: null,
      disables: false,
    },
    learnt: { isReachable: undefined, cap: target.maxInFlight, perSecond: target.maxPerSecond },
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
