import { type Millis, toIso } from '../core/clock.ts'

/** The name of a backup, which sorts by its time. */
export function backupName(now: Millis): string {
  return `postern-${toIso(now).slice(0, 19).replaceAll(':', '')}Z.tar`
}
