import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Millis } from '../../core/clock.ts'
import { makePrivateFile } from '../../core/folder.ts'
import { inWords, isBusy } from './errors.ts'

/** The file beside the database that the server holds. */
const LOCK_FILE = 'server.lock'

/** The holder keeps the lock until it ends, so waiting only helps against another process that is just trying. */
const PATIENCE: Millis = 250

/** The right of one process to serve the data of a folder; the system takes it back from one that has died. */
export interface ServerLock {
  release(): void
}

/**
 * Takes the right to serve what is in `dataDir`. Of processes that ask at once exactly one gets it: SQLite takes its reserved lock
 * in one step. Its exclusive lock is taken in several, so that two processes could refuse each other.
 * @throws Error in plain words
 */
export function lockServer(dataDir: string): ServerLock {
  const file = join(dataDir, LOCK_FILE)
  let lock: DatabaseSync | undefined
  try {
    makePrivateFile(file)
    lock = new DatabaseSync(file, { timeout: PATIENCE })
    lock.exec('pragma journal_mode=memory; begin immediate')
    const held = lock
    return { release: () => held.close() }
  } catch (error) {
    lock?.close()
    if (!isBusy(error)) throw inWords(error, file)
    throw new Error(`Postern already runs on ${dataDir}. Stop it first, or set another DATA_DIR.`)
  }
}
