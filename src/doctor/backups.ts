import { openDestination } from '../backups/destination.ts'
import { lastDue } from '../backups/schedule-times.ts'
import { type BackupTo, isInStorage } from '../config/backup-to.ts'
import type { Config } from '../config/config.ts'
import { HOUR, type Millis, systemClock, toIso } from '../core/clock.ts'
import { inspectDatabase } from '../db/database.ts'
import { BACKUPS, readBackupState } from '../store/backup-state.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check, Finding } from './finding.ts'

/** How long a backup may take before it counts as late. */
const GRACE: Millis = HOUR

/** Checks whether backups are scheduled and on time. */
export const checkBackups: Check = async ({ store, backups }) => {
  const { to, schedule, passphrase } = backups
  const find = (level: Finding['level'], text: string): Finding => ({ level, what: 'Backups', text })
  if (to === undefined)
    return [find('ok', 'none are made by themselves; BACKUP_TO would name a place for them')]
  const found = hasStore(store) ? await inspectDatabase(store).catch(() => undefined) : undefined
  const { last, failing } = readBackupState(found?.meta.get(BACKUPS))
  const findings: Finding[] = []
  if (failing !== undefined)
    findings.push(find('problem', `they fail since ${toIso(failing.since)}: ${failing.error}; see BACKUP_TO`))
  const now = systemClock.now()
  const isLate = last === undefined || last.at < lastDue(schedule, now - GRACE)
  if (isLate && failing === undefined)
    findings.push(
      find(
        'warning',
        `${last === undefined ? 'none was made yet' : `the newest is of ${toIso(last.at)}`}; is a process running that has BACKUP_TO?`,
      ),
    )
  const trouble = last === undefined ? undefined : await findTrouble(last.file, to, store)
  if (last !== undefined && trouble !== undefined)
    findings.push(find('problem', `the newest, ${last.file} of ${toIso(last.at)}, ${trouble}`))
  else if (!isLate && failing === undefined)
    findings.push(find('ok', `the newest is ${last.file}, of ${toIso(last.at)}, ${last.bytes} bytes`))
  if (passphrase === undefined)
    findings.push(find('warning', 'the key is not in them: set BACKUP_PASSPHRASE, or keep the key elsewhere'))
  return findings
}

/** Why the newest backup is missing; undefined where it exists, or is in a storage that the settings no longer name. */
async function findTrouble(file: string, to: BackupTo, store: Config['store']): Promise<string | undefined> {
  const place = openDestination(to, { store })
  try {
    if (!place.holds(file) && isInStorage(file)) return undefined
    return (await place.isThere(file)) ? undefined : 'is not there as seen from this machine'
  } catch (error) {
    return `cannot be seen from this machine: ${(error as Error).message}`
  } finally {
    await place.close()
  }
}
