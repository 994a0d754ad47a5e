import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Millis } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import { FIRST_LEVEL, type Level, recalled } from './level.ts'

/** What is written down of a lane, for who asks and for the next start. */
export interface LaneState<J extends Job = Job> {
  laneId: J['laneId']
  /** Attempts at once that it is trusted with. */
  level: number
  /** Since when it is parked; null while it is not. */
  parkedAt: Millis | null
}

/** Lanes that are remembered at most. */
export const MOST_REMEMBERED = 50_000

/** What a worker remembers of its lanes while they have nothing to do, the ones used least lately forgotten first. */
export interface LaneMemory<J extends Job> {
  /** The level that a lane had; undefined where nothing is known. */
  levelOf(laneId: J['laneId']): Level | undefined
  /** What has become of a lane. */
  note(laneId: J['laneId'], level: Level, parkedAt: Millis | null): void
  /** What another life, or another process, has written down; what is known here counts more. */
  learn(states: LaneState<J>[]): void
  /** Of lanes that are another's nothing is known here, nor to be written down. */
  forget(isForgotten: (laneId: J['laneId']) => boolean): void
  /** What is to be written down: what has changed since the last time, and what is parked. */
  takeChanged(): LaneState<J>[]
}

interface Known {
  level: Level
  parkedAt: Millis | null
}

/** How every lane begins: who is there still, is not written down. */
const NEW: Known = { level: FIRST_LEVEL, parkedAt: null }

export function createLaneMemory<J extends Job>(most = MOST_REMEMBERED): LaneMemory<J> {
  const known = createBoundedMap<J['laneId'], Known>(most)
  const changed = new Set<J['laneId']>()
  const parked = new Set<J['laneId']>()

  function isSame(before: Known, { level, parkedAt }: Known): boolean {
    return before.parkedAt === parkedAt && Math.floor(before.level.limit) === Math.floor(level.limit)
  }

  return {
    levelOf: (laneId) => known.get(laneId)?.level,
    note(laneId, level, parkedAt) {
      const now: Known = { level, parkedAt }
      if (!isSame(known.get(laneId) ?? NEW, now)) changed.add(laneId)
      known.set(laneId, now)
      if (parkedAt === null) parked.delete(laneId)
      else parked.add(laneId)
    },
    learn(states) {
      for (const { laneId, level } of states)
        if (known.get(laneId) === undefined) known.set(laneId, { level: recalled(level), parkedAt: null })
    },
    forget(isForgotten) {
      for (const [laneId] of known.entries()) {
        if (!isForgotten(laneId)) continue
        known.delete(laneId)
        changed.delete(laneId)
        parked.delete(laneId)
      }
    },
    takeChanged() {
      // Who reads that a lane is parked believes it for as long as it is said again.
      const taken = [...changed.union(parked)].flatMap((laneId) => {
        const { level, parkedAt } = known.get(laneId) ?? {}
        if (level === undefined || parkedAt === undefined) parked.delete(laneId)
        return level === undefined || parkedAt === undefined
          ? []
          : [{ laneId, level: Math.floor(level.limit), parkedAt }]
      })
      changed.clear()
      return taken
    },
  }
}
