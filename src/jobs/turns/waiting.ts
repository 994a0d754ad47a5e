import type { Millis } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { Rules } from './breaker.ts'
import * as lane from './lane.ts'
import type { Room } from './room.ts'

/** The jobs of all lanes that have not begun. */
interface Waiting<J extends Job> {
  ids(): J['id'][]
  /** Takes some jobs out of the lanes. @returns them */
  drop(ids: Set<J['id']>): J[]
  /** Takes all jobs out of all lanes. @returns them */
  clear(): J[]
  /** Takes all jobs out of one lane. @returns them */
  empty(one: lane.Lane<J>): J[]
  /** Takes out of a parked lane all jobs but the next probe and the urgent ones. @returns them */
  unload(one: lane.Lane<J>): J[]
  /** When the longest due job was due; jobs that wait for a pause or a rate do not count. */
  oldestDue(): Millis | undefined
}

interface WaitingDeps<J extends Job> {
  lanes: ReadonlyMap<J['laneId'], lane.Lane<J>>
  room: Pick<Room, 'leave'>
  rules: Rules
}

export function createWaiting<J extends Job>({ lanes, room, rules }: WaitingDeps<J>): Waiting<J> {
  function left(jobs: J[]): J[] {
    for (const job of jobs) room.leave(job)
    return jobs
  }

  return {
    ids: () => [...lanes.values()].flatMap(({ queue }) => queue.map(({ id }) => id)),
    drop: (ids) => (ids.size === 0 ? [] : left([...lanes.values()].flatMap((one) => lane.drop(one, ids)))),
    clear: () => left([...lanes.values()].flatMap((one) => lane.empty(one))),
    empty: (one) => left(lane.empty(one)),
    unload: (one) => (rules.isParked(one.breaker) ? left(lane.unload(one)) : []),
    oldestDue() {
      let oldest: Millis | undefined
      for (const { queue, breaker, isPaced } of lanes.values()) {
        const [first] = queue
        if (first === undefined || isPaced || rules.isParked(breaker)) continue
        if (oldest === undefined || first.dueAt < oldest) oldest = first.dueAt
      }
      return oldest
    },
  }
}
