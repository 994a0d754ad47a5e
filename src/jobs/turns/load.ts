import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Job } from '../job.ts'
import type { Rules } from './breaker.ts'
import * as lane from './lane.ts'
import type { Places } from './places.ts'
import type { Proven } from './proven.ts'
import type { Turns } from './turns.ts'

/** What the places of a process are used for. */
export interface Load {
  /** Attempts that may be under way at once, and those that are. */
  places: number
  held: number
  /** For each organization that has used up its share: jobs in memory whose lanes would take them now. */
  waiting: ReadonlyMap<Id<'organization'>, number>
}

interface LoadDeps<J extends Job> {
  lanes: ReadonlyMap<J['laneId'], lane.Lane<J>>
  places: Places
  proven: Pick<Proven, 'has'>
  turns: Pick<Turns<lane.Lane<J>>, 'mustWait'>
  rules: Rules
  /** Attempts at once that this worker may make of a lane. */
  partOf: (one: lane.Lane<J>) => number
}

/** @returns reads what the places are used for; each call goes through all lanes */
export function createLoad<J extends Job>({ lanes, places, proven, turns, rules, partOf }: LoadDeps<J>) {
  function readyOf(one: lane.Lane<J>, now: Millis): number {
    if (lane.waitsUntil(one, rules, now) !== undefined || lane.pacedUntil(one, now) !== undefined) return 0
    const ready = lane.ready(one, partOf(one), rules)
    return one.rate.perSecond === null ? ready : Math.min(ready, 1)
  }

  return (now: Millis): Load => {
    const waiting = new Map<Id<'organization'>, number>()
    for (const one of lanes.values()) {
      const { id, organizationId } = one
      const ready = readyOf(one, now)
      if (ready === 0 || !turns.mustWait(organizationId, proven.has(id))) continue
      waiting.set(organizationId, (waiting.get(organizationId) ?? 0) + ready)
    }
    return { places: places.most, held: places.taken, waiting }
  }
}
