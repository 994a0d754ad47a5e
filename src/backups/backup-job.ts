import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Clock, HOUR, MINUTE, type Millis, stopwatch } from '../core/clock.ts'
import { ENDING } from '../core/ending.ts'
import { makeFolder } from '../core/folder.ts'
import { createThread } from '../core/thread.ts'
import type { Database } from '../db/database.ts'
import type { Handler, Outcome } from '../jobs/rows/row-kind.ts'
import { type BackupState, findBackupState, keepBackupState } from '../store/backup-state.ts'
import { backupName } from './backup-name.ts'
import type { Asked } from './backup-thread.ts'
import type { Made } from './make-backup.ts'
import { lastDue, nextDue } from './moments.ts'
import { fileOfPart } from './part-name.ts'

/** The kind of the one job that makes backups by themselves. */
export const BACKUP_JOB = 'backup'

/** How soon a change of the settings is seen. */
const POLL: Millis = 5 * MINUTE
/** The waits after failures. */
const WAITS: Millis[] = [MINUTE, 5 * MINUTE, 15 * MINUTE]
/** A large installation, with its files. */
const LONGEST: Millis = 12 * HOUR
const HEAP_MB = 256

interface JobDeps {
  config: Pick<Config, 'store' | 'blobs' | 'backups'>
  clock: Clock
  database: Database
  log: { info(data: object, message: string): void; error(data: object, message: string): void }
}

/** The standing job: it makes a backup where one is due, and removes those that are too many. A process that ends leaves it to the next. */
export function backupHandler({ config, clock, database, log }: JobDeps): Handler {
  const { to = '', schedule, keep } = config.backups

  /** @param begun the files that scheduled backups have begun, whether they are there or not */
  async function make(
    { file, begun }: { file: string; begun: string[] },
    now: Millis,
    signal: AbortSignal,
  ): Promise<Made> {
    const thread = createThread<Asked, Made>(new URL(`./backup-thread${ENDING}`, import.meta.url), {
      heapMb: HEAP_MB,
    })
    const end = () => void thread.close()
    signal.addEventListener('abort', end, { once: true })
    try {
      makeFolder(to, 'BACKUP_TO')
      await removeParts(to, begun)
      const { store, blobs, backups } = config
      return await thread.ask({ config: { store, blobs, backups }, file, now })
    } finally {
      signal.removeEventListener('abort', end)
      await thread.close()
    }
  }

  return {
    kind: BACKUP_JOB,
    longest: LONGEST,
    waits: WAITS,
    isRepeatable: true,
    mostStarts: Number.MAX_SAFE_INTEGER,
    async work(_job, { signal }): Promise<Outcome> {
      const now = clock.now()
      const state = await findBackupState(database.background.db)
      const isMade =
        state.last !== undefined && state.last.at >= lastDue(schedule, now) && state.last.at <= now
      if (isMade) return { later: Math.min(nextDue(schedule, now), now + POLL) }
      const elapsed = stopwatch()
      try {
        const name = join(to, backupName(now))
        const begun = [...(state.made ?? []), name]
        // Noted before it is made, so that one that is cut off afterwards is known; a file of somebody else is not.
        if (!existsSync(name)) {
          state.made = [...made(state), name]
          await keepBackupState(database.background, state)
        }
        const { file, bytes, hasKey } = await make({ file: name, begun }, now, signal)
        const last = { at: now, file, bytes, hasKey, durationMs: Math.round(elapsed()) }
        await prune(made(state), { keep, to })
        await keepBackupState(database.background, { last, made: made(state) })
        log.info(last, 'backup made')
        return { later: Math.min(nextDue(schedule, now), now + POLL) }
      } catch (error) {
        if (signal.aborted) throw error
        const failing = { since: state.failing?.since ?? now, error: (error as Error).message.slice(0, 500) }
        await keepBackupState(database.background, { ...state, failing })
        log.error({ err: error }, 'backup failed')
        return { retry: 'backup_failed' }
      }
    },
  }
}

/** What scheduled backups have made and is there, in the order in which they made it; whatever clocks said. */
const made = ({ made: files = [] }: BackupState) => files.filter((file) => existsSync(file))

/** Removes the oldest backups in a folder beyond a number; the last of `files` was just made. */
async function prune(files: string[], { keep, to }: { keep: number; to: string }): Promise<void> {
  for (const file of files.filter((one) => dirname(one) === to).slice(0, -keep))
    await rm(file, { force: true })
}

/** Removes what this job had begun in a process that was killed, also on another machine; a backup by hand goes on. */
async function removeParts(folder: string, begun: string[]): Promise<void> {
  const names = new Set(begun.map((file) => basename(file)))
  for (const name of await readdir(folder))
    if (names.has(fileOfPart(name) ?? '')) await rm(join(folder, name), { force: true })
}
