import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { type Millis, SECOND } from '../../core/clock.ts'
import { FullDiskError, freeBytes } from '../../core/disk.ts'

/** How long a write waits for another process (the command line, a backup) that writes. */
export const LOCK_PATIENCE: Millis = 10 * SECOND

/** SQLite's extended result code; its low byte is the primary code. */
function codeOf(error: unknown): number {
  return (error as { errcode?: number } | null)?.errcode ?? 0
}

/** Whether a write violated a unique or primary key. */
export function isUniqueViolation(error: unknown): boolean {
  return [2067, 1555].includes(codeOf(error))
}

/** Whether a statement does not fit the schema (SQLITE_ERROR), or violates a constraint (SQLITE_CONSTRAINT). */
export function refusesStatement(error: unknown): boolean {
  return [1, 19].includes(codeOf(error) & 0xff)
}

/** Whether another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return (codeOf(error) & 0xff) === 5
}

/**
 * Whether a file or its folder could not be flushed. The system reports this once, and the next flush succeeds even where pages were
 * lost.
 */
export function isFlushFailure(error: unknown): boolean {
  return [1034, 1290].includes(codeOf(error))
}

/** Codes of a refused statement: another process writes, the disk is full, a constraint is violated. */
const REFUSALS = new Set([5, 13, 19])
/** Codes of failures of the disk or of a file. */
const OF_THE_DISK = new Set([8, 10, 11, 13, 14, 26])

/**
 * Whether a failed commit has certainly written nothing, once it is rolled back. After an error of the disk the pages may still be on
 * it, and the next start would find them.
 * @param wasOpen whether the transaction was still open
 */
export function isCertainlyUndone(error: unknown, wasOpen: boolean): boolean {
  const kind = codeOf(error) & 0xff
  return REFUSALS.has(kind) || (wasOpen && kind !== 10)
}

/** The advice for a database that cannot be written any more. An error without a cause is a failed flush. */
export function remedyOf({ cause }: Error): string {
  return cause === undefined || OF_THE_DISK.has(codeOf(cause) & 0xff)
    ? 'Look at the disk, then start it again.'
    : 'It was not the disk: start it again, and report what stands in brackets.'
}

/** With fewer free bytes no page of the log or of the shared memory fits. */
const FEWEST_FREE = 64 * 1024

/** Messages for a file that cannot be opened or read, by SQLite's code, each with advice. */
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

/** Even a reader needs write access to the folder, to create the log beside the database. */
function cannotOpen(file: string): string {
  const folder = dirname(file)
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return mayNotWrite(folder)
  }
  return `${file} cannot be opened. Look at what it is and who owns it, or set another DATA_DIR.`
}

/** SQLite's code of a write that the system refused, for example beyond the file size limit of this user. */
const REFUSED_WRITE = 778

/**
 * Whether a write failed for lack of room. SQLite reports a file that cannot grow as a disk error, so a full disk is detected by its
 * free space.
 */
export function hasNoRoom(error: unknown, file: string): boolean {
  const code = codeOf(error)
  if ((code & 0xff) === 13 || code === REFUSED_WRITE) return true
  return (code & 0xff) === 10 && (freeBytes(file) ?? FEWEST_FREE) < FEWEST_FREE
}

/** The message for a damaged file. */
export function damagedMessage(file: string): string {
  return `${file} is damaged, or no database. Put your last backup in its place, or set another DATA_DIR.`
}

/** Explains a failure of the file in one sentence; other errors are returned unchanged. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (hasNoRoom(error, file)) return new FullDiskError(file, { cause: error })
  const say = MESSAGES[codeOf(error) & 0xff]
  return say === undefined ? error : new Error(say(file), { cause: error })
}
