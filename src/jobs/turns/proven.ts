import { type BoundedMap, createBoundedMap } from '../../core/bounded-map.ts'

/** Lanes that are remembered at most: as many webhooks as five organizations may have of the largest plan. */
const MOST_PROVEN = 50_000

/** Lanes whose last attempt was done well; when there are too many, who has shown it least lately is forgotten. */
export interface Proven {
  has(laneId: string): boolean
  /** An attempt has ended. @returns whether the lane has become proven by it */
  note(laneId: string, isHealthy: boolean): boolean
}

export function createProven(most = MOST_PROVEN): Proven {
  const lanes: BoundedMap<string, true> = createBoundedMap(most)
  return {
    has: (laneId) => lanes.get(laneId) !== undefined,
    note(laneId, isHealthy) {
      const isKnown = lanes.get(laneId) !== undefined
      if (isHealthy) lanes.set(laneId, true)
      else lanes.delete(laneId)
      return isHealthy && !isKnown
    },
  }
}
