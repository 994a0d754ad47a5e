import type { Millis } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { Rules } from './breaker.ts'
import * as lane from './lane.ts'
import type { Room } from './room.ts'

/** What is in the lanes and was not begun, all lanes together. */
export interface Waiting<J extends Job> {
  ids(): J['id'][]
  /** Takes some of it out of the lanes. @returns those */
  drop(ids: Set<J['id']>): J[]
  /** Takes all of it out. @returns what was in them */
  clear(): J[]
  /** All of one lane. */
  empty(one: lane.Lane<J>): J[]
  /** What a parked lane holds beyond the job that it tries next with, and what was asked for: out of it as well. */
  unload(one: lane.Lane<J>): J[]
  /** When the one that waits longest was due; what is held on purpose is not late. */
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
