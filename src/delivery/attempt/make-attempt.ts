import type { Clock } from '../../core/clock.ts'
import type { DeliveryJob } from './delivery-job.ts'
import { judgeAttempt, type Made, tooLate } from './judge-attempt.ts'
import { horizonOf } from './schedule.ts'
import type { Send } from './send.ts'
import type { ActiveTarget } from './targets.ts'

/** Makes one attempt of a delivery and decides its next state. It does not throw because of a destination. */
export async function makeAttempt(
  job: DeliveryJob,
  body: Uint8Array,
  target: ActiveTarget,
  send: Send,
  clock: Clock,
): Promise<Made> {
  const startedAt = clock.now()
  const isPaced = target.maxPerSecond !== null && job.attempts === 0
  const { resumedAt } = target
  const horizon = horizonOf({ horizon: job.horizon, resumedAt, awaitedAt: isPaced ? startedAt : undefined })
  if (startedAt > horizon) return tooLate(job, target, startedAt)
  const attempt = job.attempts + 1
  const { organizationId, eventId, id: deliveryId, hops } = job
  const sent = await send(target, { organizationId, eventId, deliveryId, attempt, body, hops, startedAt })
  return judgeAttempt({ job, target, startedAt, horizon, sent }, clock.now())
}
