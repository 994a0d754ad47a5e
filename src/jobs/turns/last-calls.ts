import { createAlarm } from '../../core/alarm.ts'
import type { Clock } from '../../core/clock.ts'
import { type Job, LAST_CALL, type Settlement } from '../job.ts'

/**
 * Notes which jobs will be due for the last time before their horizon. In a parked lane such a job may come due during a pause
 * that ends after its horizon, while another job is the next probe.
 */
interface LastCalls<J extends Job> {
  note(settlement: Settlement<J>): void
  stop(): void
}

/** @param call is called with each job whose moment has come */
export function createLastCalls<J extends Job>(
  clock: Clock,
  call: (laneId: J['laneId'], id: J['id']) => void,
): LastCalls<J> {
  const alarm = createAlarm<Pick<J, 'id' | 'laneId'>>(clock)
  alarm.listen((jobs) => {
    for (const { laneId, id } of jobs) call(laneId, id)
  })
  return {
    note({ job: { id, laneId, horizon }, dueAt }) {
      if (dueAt !== null && horizon - dueAt <= LAST_CALL) alarm.set({ id, laneId }, dueAt)
    },
    stop: () => alarm.stop(),
  }
}
