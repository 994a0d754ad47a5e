import type { Clock } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LAST_CALL } from '../attempt/retry.ts'
import type { Settlement } from '../store/job.ts'
import { createAlarm } from './alarm.ts'

/**
 * Remembers which deliveries will be due for the last time before their horizon. In a parked lane each of them may come
 * due in the middle of a pause that ends after its horizon, while another is held to be tried next.
 */
export interface LastCalls {
  note(settlement: Settlement): void
  stop(): void
}

/** @param call is told a delivery whose moment has come */
export function createLastCalls(
  clock: Clock,
  call: (webhookId: Id<'webhook'>, id: Id<'delivery'>) => void,
): LastCalls {
  const alarm = createAlarm<Pick<Settlement['job'], 'id' | 'webhookId'>>(clock, (deliveries) => {
    for (const { webhookId, id } of deliveries) call(webhookId, id)
  })
  return {
    note({ job: { id, webhookId, horizon }, dueAt }) {
      if (dueAt !== null && horizon - dueAt <= LAST_CALL) alarm.set({ id, webhookId }, dueAt)
    },
    stop: () => alarm.stop(),
  }
}
