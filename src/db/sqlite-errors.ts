import { type Millis, SECOND } from '../core/clock.ts'

/** Whoever waits for another process (the command line, a backup) to end its writing gives up after this long. */
export const LOCK_PATIENCE: Millis = 10 * SECOND

/** SQLite's extended result code: its low byte is the kind of the failure. */
function codeOf(error: unknown): number {
  return (error as { errcode?: number } | null)?.errcode ?? 0
}

/** A unique or primary key that a write ran into. */
export function isUniqueViolation(error: unknown): boolean {
  return [2067, 1555].includes(codeOf(error))
}

/** Another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return (codeOf(error) & 0xff) === 5
}

/**
 * The disk did not take what was written: a file or the folder that names it could not be flushed. The system tells of
 * it once, and says yes to the next flush whatever became of the pages.
 */
export function isFlushFailure(error: unknown): boolean {
  return [1034, 1290].includes(codeOf(error))
}
