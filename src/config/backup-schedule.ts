import { DAY, HOUR, MINUTE, type Millis } from '../core/clock.ts'
import { list } from './values.ts'

/** The times of backups: offsets from the beginning of each hour or day, in UTC. */
export interface Schedule {
  period: Millis
  /** Offsets in ascending order. */
  at: Millis[]
}

const FORM = 'must be "hourly", or times of the day in UTC such as 03:00,15:00'

/** @throws Error in plain words */
export function schedule(text: string): Schedule {
  if (text === 'hourly') return { period: HOUR, at: [0] }
  const times = list(text).map((time) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
    if (hours === undefined) throw new Error(FORM)
    return Number(hours) * HOUR + Number(minutes) * MINUTE
  })
  if (times.length === 0) throw new Error(FORM)
  return { period: DAY, at: [...new Set(times)].sort((a, b) => a - b) }
}
