import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Millis, systemClock } from '../../core/clock.ts'
import { makePrivateFile } from '../../core/folder.ts'
import { commandRunning } from '../engine/command-running.ts'
import { explainSqliteError, isBusy } from './errors.ts'

/** The lock file of the server, beside the database. */
const LOCK_FILE = 'server.lock'

/** The file with the message about a command that holds the lock. */
const HOLDER_FILE = 'server.lock.command'

/** The wait for the lock. The holder keeps it until its end, so a wait only helps against a concurrent attempt. */
const PATIENCE: Millis = 250

/** The lock of the process that serves the data of a folder; the system releases it when the process dies. */
export interface ServerLock {
  release(): void
}

/**
 * Takes the lock to serve the data in `dataDir`. It uses SQLite's reserved lock, which is atomic, so exactly one of concurrent processes
 * gets it. The exclusive lock takes several steps, so two processes could refuse each other.
 * @param command the command that takes the lock instead of a server, such as `postern move`
 * @throws Error in plain words, with the name of the command that holds the lock
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

/** Writes the message about the holder; a server removes that of a killed command. It is informative only, so errors are ignored. */
function noteHolder(dataDir: string, command: string | undefined): void {
  const file = join(dataDir, HOLDER_FILE)
  try {
    rmSync(file, { force: true })
    if (command === undefined) return
    const words = commandRunning(dataDir, { command, since: systemClock.now(), process: process.pid })
    writeFileSync(file, words, { mode: 0o600 })
  } catch {
    // The lock is held nevertheless.
  }
}

function readHolder(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, HOLDER_FILE), 'utf8') || undefined
  } catch {
    return undefined
  }
}
