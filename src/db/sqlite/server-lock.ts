import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Millis } from '../../core/clock.ts'
import { makePrivateFile } from '../../core/folder.ts'
import { inWords, isBusy } from './errors.ts'

/** The file beside the database that the server holds. */
const LOCK_FILE = 'server.lock'

/** Who has it keeps it to its end; nobody waits for more than another's look at the file. */
const PATIENCE: Millis = 250

/** The right of one process to serve the data of a folder; the system takes it back from one that has died. */
export interface ServerLock {
  release(): void
}

/**
 * Takes the right to serve what is in `dataDir`. Of any number of processes that ask at once one gets it: SQLite's lock
 * for who means to write is taken whole or not at all. Its exclusive one is taken in steps, and two could refuse each other.
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
