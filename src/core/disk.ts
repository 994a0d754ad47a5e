import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Of writes that found no room: the disk is full, the share of this user is used up, or the file would be larger than this user may write. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Free bytes below which a disk is full for everything. */
const FEW = 1024 * 1024

/** A file or folder on a disk that had no room for what was to be written. */
export class FullDiskError extends Error {
  override readonly name = 'FullDiskError'
  readonly file: string
  constructor(file: string, options?: ErrorOptions) {
    super(fullDiskMessage(file), options)
    this.file = file
  }
}

/** Whether a write failed because it found no room. */
export function isFullDisk(error: unknown): boolean {
  return NO_ROOM.has((error as NodeJS.ErrnoException | null)?.code ?? '') || error instanceof FullDiskError
}

/** @returns the bytes that this user may still write on the disk of a path; undefined where the system does not tell */
export function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(nearest(resolve(path)))
    return bavail * bsize
  } catch {
    return undefined
  }
}

/**
 * What to say of a disk without room. It is named by what was to be written; the free bytes tell a full disk from a limit of this user.
 * @param otherwise what can be done in place of making room
 */
export function fullDiskMessage(path: string, otherwise = 'set another DATA_DIR'): string {
  return `${fullDiskSentence(path)} Make room on it, or ${otherwise}.`
}

/** The first sentence of `fullDiskMessage`. */
export function fullDiskSentence(path: string): string {
  const free = freeBytes(path)
  if (free === undefined) return `The disk of ${path} is full.`
  const limited = free < FEW ? '' : '; ulimit -f or a quota may keep them from this user'
  return `The disk of ${path} is full (${free} bytes free${limited}).`
}

/**
 * Runs what writes a file. The system does not name the file of a write that failed.
 * @param setting that names the place of the file
 * @throws the system's own error, with `path` and `setting`
 */
export function withFileName<T>(file: string, setting: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: file, setting })
  }
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path))
}
