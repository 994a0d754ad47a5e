import { type Millis, toIso } from '../core/clock.ts'

/** What a backup is called, by its moment: names sort by it. */
export function backupName(now: Millis): string {
  return `postern-${toIso(now).slice(0, 19).replaceAll(':', '')}Z.tar`
}
