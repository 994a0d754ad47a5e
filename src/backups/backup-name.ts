import { type Millis, toIso } from '../core/clock.ts'

/** What a backup is called, by its moment: names sort by it. */
export function backupName(now: Millis): string {
  return `postern-${toIso(now).slice(0, 19).replaceAll(':', '')}Z.tar`
}

/** Whether a file is a backup by its name. */
export const isBackupName = (name: string) => /^postern-\d{4}-\d{2}-\d{2}T\d{6}Z\.tar$/.test(name)
