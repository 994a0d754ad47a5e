import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Millis, systemClock } from '../../core/clock.ts'
import { makePrivateFile } from '../../core/folder.ts'
import { commandRunning } from '../engine/command-running.ts'
import { explainSqliteError, isBusy } from './errors.ts'

/** The file beside the database that the server holds. */
const LOCK_FILE = 'server.lock'

/** Beside it, while a command holds it: what says so. */
const HOLDER_FILE = 'server.lock.command'

/** The holder keeps the lock until it ends, so waiting only helps against another process that is just trying. */
const PATIENCE: Millis = 250

/** The right of one process to serve the data of a folder; the system takes it back from one that has died. */
export interface ServerLock {
  release(): void
}

/**
 * Takes the right to serve what is in `dataDir`. Of processes that ask at once exactly one gets it: SQLite takes its reserved lock
 * in one step. Its exclusive lock is taken in several, so that two processes could refuse each other.
 * @param command that takes it, in place of a server, such as `postern move`
 * @throws Error in plain words, which name the command that holds it
 */
export function lockServer(dataDir: string, command?: string): ServerLock {
  const file = join(dataDir, LOCK_FILE)
  let lock: DatabaseSync | undefined
  try {
    makePrivateFile(file)
    lock = new DatabaseSync(file, { timeout: PATIENCE })
    lock.exec('pragma journal_mode=memory; begin immediate')
    const held = lock
    noteHolder(dataDir, command)
    return {
      release() {
        if (command !== undefined) noteHolder(dataDir, undefined)
        held.close()
      },
    }
  } catch (error) {
    lock?.close()
    if (!isBusy(error)) throw explainSqliteError(error, file)
    throw new Error(
      readHolder(dataDir) ?? `Postern already runs on ${dataDir}. Stop it first, or set another DATA_DIR.`,
    )
  }
}

/** Writes who holds the lock; a server removes what a command that was killed has left. It is for people, so what cannot be written is left out. */
function noteHolder(dataDir: string, command: string | undefined): void {
  const file = join(dataDir, HOLDER_FILE)
  try {
    rmSync(file, { force: true })
    if (command === undefined) return
    const words = commandRunning(dataDir, { command, since: systemClock.now(), process: process.pid })
    writeFileSync(file, words, { mode: 0o600 })
  } catch {
    // The lock is held all the same.
  }
}

function readHolder(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, HOLDER_FILE), 'utf8') || undefined
  } catch {
    return undefined
  }
}
