import { lock } from '../db/locking.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import { NO_ORGANIZATION } from '../jobs/job.ts'
import type { Shared } from '../shared/shared.ts'
import { type BackupState, findBackupState } from '../store/backup-state.ts'
import { KEY_FINGERPRINT } from '../store/open-store.ts'
import { BACKUP_JOB, backupHandler } from './backup-job.ts'

interface Backups {
  /** Starts the first backup without waiting for the next chore. */
  start: () => Promise<void>
  /** Called periodically. */
  chore: () => Promise<void>
  /** The state of scheduled backups. */
  state: () => Promise<BackupState>
}

/** Scheduled backups: a standing job, where `BACKUP_TO` names a destination. */
export function createBackups(
  { config, clock, log, database }: Pick<Shared, 'config' | 'clock' | 'log' | 'database'>,
  { jobs }: { jobs: Pick<Jobs, 'register' | 'add'> },
): Backups {
  const isScheduled = config.backups.to !== undefined
  if (isScheduled) jobs.register(backupHandler({ config, clock, log, database }), { places: 1 })
  const { background } = database

  /** Adds the job where it is missing. */
  async function chore(): Promise<void> {
    if (!isScheduled) return
    const pending = background.db
      .selectFrom('job')
      .select('id')
      .where('kind', '=', BACKUP_JOB)
      .where('status', '=', 'pending')
      .limit(1)
    if ((await pending.executeTakeFirst()) !== undefined) return
    const now = clock.now()
    await background.tx(async (tx) => {
      // The lock lets one of several processes add it.
      await lock(tx, tx.selectFrom('meta').select('key').where('key', '=', KEY_FINGERPRINT)).execute()
      const found = tx
        .selectFrom('job')
        .select('id')
        .where('kind', '=', BACKUP_JOB)
        .where('status', '=', 'pending')
      if ((await found.executeTakeFirst()) !== undefined) return
      const job = {
        kind: BACKUP_JOB,
        organizationId: NO_ORGANIZATION,
        laneId: BACKUP_JOB,
        cap: 1,
        payload: {},
      }
      await jobs.add(tx, { ...job, dueAt: now, horizon: Number.MAX_SAFE_INTEGER }, now)
    })
  }

  async function start(): Promise<void> {
    if (config.role === 'api') return
    await chore().catch((error: unknown) => log.error({ err: error }, 'housekeeping'))
  }

  return { start, chore, state: () => findBackupState(background.db) }
}
