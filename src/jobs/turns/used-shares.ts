import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Job } from '../job.ts'
import type { UsedShare } from '../job-store.ts'
import type { Rules } from './breaker.ts'
import * as lane from './lane.ts'
import type { Places } from './places.ts'
import type { Proven } from './proven.ts'
import type { Turns } from './turns.ts'

/** What the places of a process are used for. */
export interface Load {
  places: number
  held: number
  used: UsedShare[]
}

interface UsedSharesDeps<J extends Job> {
  lanes: ReadonlyMap<J['laneId'], lane.Lane<J>>
  places: Places
  proven: Pick<Proven, 'has'>
  turns: Pick<Turns<lane.Lane<J>>, 'mustWait'>
  rules: Rules
  /** Attempts at once that this worker may make of a lane. */
  partOf: (one: lane.Lane<J>) => number
}

/** @returns tells what the places are used for: asked now and then, it goes through all lanes */
export function createLoad<J extends Job>({
  lanes,
  places,
  proven,
  turns,
  rules,
  partOf,
}: UsedSharesDeps<J>) {
  function readyOf(one: lane.Lane<J>, now: Millis): number {
    const isHeld = lane.waitsUntil(one, rules, now) !== undefined || lane.pacedUntil(one, now) !== undefined
    // One that takes so many a second takes one now.
    return isHeld
      ? 0
      : Math.min(
          lane.ready(one, partOf(one), rules),
          one.rate.perSecond === null ? Number.POSITIVE_INFINITY : 1,
        )
  }

  return (now: Millis): Load => {
    const used = new Map<Id<'organization'>, UsedShare>()
    for (const one of lanes.values()) {
      const { id, organizationId } = one
      const ready = readyOf(one, now)
      if (ready === 0 || !turns.mustWait(organizationId, proven.has(id))) continue
      const share = used.get(organizationId) ?? {
        organizationId,
        ...places.shareOf(organizationId),
        waiting: 0,
      }
      share.waiting += ready
      used.set(organizationId, share)
    }
    return { places: places.most, held: places.taken, used: [...used.values()] }
  }
}
