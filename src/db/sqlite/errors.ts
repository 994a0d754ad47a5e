import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { type Millis, SECOND } from '../../core/clock.ts'
import { FullDiskError, freeBytes } from '../../core/disk.ts'

/** How long a write waits for another process (the command line, a backup) that writes. */
export const LOCK_PATIENCE: Millis = 10 * SECOND

/** SQLite's extended result code: its low byte is the kind of the failure. */
function codeOf(error: unknown): number {
  return (error as { errcode?: number } | null)?.errcode ?? 0
}

/** A unique or primary key that a write ran into. */
export function isUniqueViolation(error: unknown): boolean {
  return [2067, 1555].includes(codeOf(error))
}

/** A statement that does not fit the schema (SQLITE_ERROR), or rows that a constraint forbids (SQLITE_CONSTRAINT). */
export function refusesStatement(error: unknown): boolean {
  return [1, 19].includes(codeOf(error) & 0xff)
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

/** Errors with which SQLite has refused the whole statement: another process writes, the disk is full, a constraint forbids it. */
const REFUSALS = new Set([5, 13, 19])
/** What the disk, or a file on it, is at fault for. */
const OF_THE_DISK = new Set([8, 10, 11, 13, 14, 26])

/**
 * Whether a commit that failed has certainly done nothing, once it is rolled back. What the disk has said no to may still
 * be on it, and be found there by the next start.
 * @param wasOpen whether the transaction was under way still
 */
export function isCertainlyUndone(error: unknown, wasOpen: boolean): boolean {
  const kind = codeOf(error) & 0xff
  return REFUSALS.has(kind) || (wasOpen && kind !== 10)
}

/** What to do about a store that cannot be written any more. A failure without a cause is a flush that was refused. */
export function remedyOf({ cause }: Error): string {
  return cause === undefined || OF_THE_DISK.has(codeOf(cause) & 0xff)
    ? 'Look at the disk, then start it again.'
    : 'It was not the disk: start it again, and report what stands in brackets.'
}

/** Free bytes below which no page of the log or of the shared memory fits. */
const FEWEST_FREE = 64 * 1024

/** What a file that cannot be opened or read says by SQLite's code, in words that say what to do. */
const MESSAGES: Record<number, (file: string) => string> = {
  5: (file) => `Another process keeps ${file} to itself. End it, then start again.`,
  8: mayNotWrite,
  10: (file) => `The disk does not give back what ${file} holds. Look at the disk, or set another DATA_DIR.`,
  11: damagedMessage,
  14: cannotOpen,
  26: damagedMessage,
}

function mayNotWrite(path: string): string {
  return `This user may not write ${path}. Give it the right, or set another DATA_DIR.`
}

/** The log is beside the database: even a reader writes into the folder where there is none yet. */
function cannotOpen(file: string): string {
  const folder = dirname(file)
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return mayNotWrite(folder)
  }
  return `${file} cannot be opened. Look at what it is and who owns it, or set another DATA_DIR.`
}

/** SQLite's code of a write that the system refused: also where a file would be larger than this user may write. */
const REFUSED_WRITE = 778

/**
 * Whether a write of a file found no room. SQLite reports a file that cannot grow as an error of the disk: a full disk is recognized by
 * its free space.
 */
export function hasNoRoom(error: unknown, file: string): boolean {
  const code = codeOf(error)
  if ((code & 0xff) === 13 || code === REFUSED_WRITE) return true
  return (code & 0xff) === 10 && (freeBytes(file) ?? FEWEST_FREE) < FEWEST_FREE
}

/** What to say of a file that SQLite cannot make sense of. */
export function damagedMessage(file: string): string {
  return `${file} is damaged, or no database. Put your last backup in its place, or set another DATA_DIR.`
}

/** A failure of the file itself as one sentence; any other as it is. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (hasNoRoom(error, file)) return new FullDiskError(file, { cause: error })
  const say = MESSAGES[codeOf(error) & 0xff]
  return say === undefined ? error : new Error(say(file), { cause: error })
}
