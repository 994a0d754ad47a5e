import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** In memory, on Linux. */
const MEMORY = '/dev/shm'
/** A run writes one gigabyte at a time, and its processes use three. */
const ROOM_BYTES = 6 * 1024 ** 3

/**
 * The folder for everything that a run writes. A database of PostgreSQL is 800 files: to make and to remove them takes four times the
 * processor time on a disk, and there each commit of the embedded store waits for the disk.
 * @returns the one that `TMPDIR` names; else one in memory, where there is room for it; else the system's
 */
export function temporaryFolder(): string {
  return process.env.TMPDIR === undefined && hasRoom() ? MEMORY : tmpdir()
}

function hasRoom(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) > ROOM_BYTES
  } catch {
    return false
  }
}
