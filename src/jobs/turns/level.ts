/** How many attempts at once a lane is trusted with: one more for each success, half as many after a failure. */
export type Level = number

/** Attempts at once with which every lane begins. */
export const FIRST_LEVEL: Level = 4

/** The level after an attempt, up to as many as the lane takes; one always remains. */
export function levelAfter(before: Level, isWell: boolean, cap: number): Level {
  return isWell ? Math.min(before + 1, cap) : Math.max(1, before >> 1)
}

/** Whether a lane has lost nothing of what every lane begins with. */
export function isAsAtFirst(level: Level, cap: number): boolean {
  return level >= Math.min(FIRST_LEVEL, cap)
}
