import { type BoundedMap, createBoundedMap } from '../../core/bounded-map.ts'

/** Lanes remembered at most: the webhooks of five organizations of the largest plan. */
const MOST_PROVEN = 50_000

/** Lanes whose last attempt succeeded; beyond the limit the least recent success is forgotten. */
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
