import type { FileHandle } from 'node:fs/promises'

/** Bytes that are written between two flushes. */
const STEP = 4 * 2 ** 20

/**
 * Flushes a large file while it is written. The flush of a commit waits for all earlier writes to its disk, so a file that is flushed only at
 * its end would delay each commit until then.
 * @returns to be called after each write with its number of bytes; throws the error of the disk
 */
export function flushSteps(handle: FileHandle): (written: number) => Promise<void> {
  let unflushed = 0
  return async (written) => {
    unflushed += written
    if (unflushed < STEP) return
    unflushed = 0
    await handle.datasync()
  }
}
