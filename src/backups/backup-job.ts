import { existsSync } from 'node:fs'
import { type BackupTo, isInStorage } from '../config/backup-to.ts'
import type { Config } from '../config/config.ts'
import { type Clock, HOUR, MINUTE, type Millis, stopwatch } from '../core/clock.ts'
import { MODULE_EXTENSION } from '../core/module-extension.ts'
import { createThread } from '../core/thread.ts'
import type { Database } from '../db/database.ts'
import type { Handler, Outcome } from '../jobs/rows/row-kind.ts'
import { type BackupState, findBackupState, keepBackupState } from '../store/backup-state.ts'
import { backupName } from './backup-name.ts'
import type { Asked } from './backup-thread.ts'
import { type BackupDestination, openDestination } from './destination.ts'
import type { Made } from './make-backup.ts'
import { lastDue, nextDue } from './schedule-times.ts'

/** The kind of the one job that makes scheduled backups. */
export const BACKUP_JOB = 'backup'

/** How soon a change of the settings takes effect. */
const POLL: Millis = 5 * MINUTE
/** Waits after failures. */
const WAITS: Millis[] = [MINUTE, 5 * MINUTE, 15 * MINUTE]
/** The time limit, enough for a large installation with its files. */
const LONGEST: Millis = 12 * HOUR
const HEAP_MB = 256

interface JobDeps {
  config: Pick<Config, 'store' | 'blobs' | 'backups'>
  clock: Clock
  database: Database
  log: { info(data: object, message: string): void; error(data: object, message: string): void }
}

/** The standing job: it makes a due backup and removes backups beyond the retention. When its process ends, another process takes it. */
export function backupHandler({ config, clock, database, log }: JobDeps): Handler {
  const { schedule, keep } = config.backups
  const to = config.backups.to as BackupTo

  async function make(name: string, now: Millis, signal: AbortSignal): Promise<Made> {
    const thread = createThread<Asked, Made>(new URL(`./backup-thread${MODULE_EXTENSION}`, import.meta.url), {
      heapMb: HEAP_MB,
    })
    const end = () => void thread.close()
    signal.addEventListener('abort', end, { once: true })
    try {
      const { store, blobs, backups } = config
      return await thread.ask({ config: { store, blobs, backups }, to, name, now })
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
      const place = openDestination(to, config)
      try {
        const name = backupName(now)
        const file = place.fileOf(name)
        const there = await present(state, place)
        await place.clear((state.made ?? []).filter((one) => !there.includes(one)))
        // The name is stored before the backup is made, so that an interrupted one can be removed. A file that exists already is never
        // counted as ours.
        if (!(await place.isThere(file))) {
          state.made = [...there, file]
          await keepBackupState(database.background, state)
        }
        const { bytes, hasKey } = await make(name, now, signal)
        const last = { at: now, file, bytes, hasKey, durationMs: Math.round(elapsed()) }
        await prune(await present(state, place), { keep, place })
        await keepBackupState(database.background, { last, made: await present(state, place) })
        log.info(last, 'backup made')
        return { later: Math.min(nextDue(schedule, now), now + POLL) }
      } catch (error) {
        if (signal.aborted) throw error
        const failing = { since: state.failing?.since ?? now, error: (error as Error).message.slice(0, 500) }
        await keepBackupState(database.background, { ...state, failing })
        log.error({ err: error }, 'backup failed')
        return { retry: 'backup_failed' }
      } finally {
        await place.close()
      }
    },
  }
}

/** Existing files of scheduled backups in the order of their making, which does not depend on clocks. */
async function present({ made = [] }: BackupState, place: BackupDestination): Promise<string[]> {
  const there: string[] = []
  for (const file of made)
    if (place.holds(file) ? await place.isThere(file) : isInStorage(file) || existsSync(file))
      there.push(file)
  return there
}

/** Removes the oldest backups beyond `keep`; the last of `files` is the new one. */
async function prune(
  files: string[],
  { keep, place }: { keep: number; place: BackupDestination },
): Promise<void> {
  for (const file of files.filter((one) => place.holds(one)).slice(0, -keep)) await place.remove(file)
}
