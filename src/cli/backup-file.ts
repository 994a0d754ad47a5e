import { basename, dirname, resolve } from 'node:path'
import { type BackupTo, backupTo, inStorage, isInStorage } from '../config/backup-to.ts'
import type { Config } from '../config/config.ts'
import { UsageError } from './terminal/terminal.ts'

/**
 * The backup that an option names: a file, or one in a storage. `s3://BUCKET/…` is in the storage of BACKUP_TO, or else of BLOBS_URL.
 * @param name given where the option may name a place alone; what ends in `.tar` is a file
 * @returns the destination that contains it, and its name there
 * @throws UsageError
 */
export function readBackupFile(
  text: string,
  { config: { backups, blobs }, option, name }: { config: Config; option: string; name?: string },
): { to: BackupTo; name: string } {
  if (!isInStorage(text)) {
    const file = resolve(text === '' ? (name ?? '') : text)
    return { to: { folder: dirname(file) }, name: basename(file) }
  }
  const own = backups.to !== undefined && 's3' in backups.to ? backups.to.s3 : undefined
  try {
    const to = inStorage(backupTo(text) ?? { folder: '' }, own ?? blobs.s3)
    if (!('s3' in to)) throw new Error('must name a bucket')
    if (name !== undefined && !text.endsWith('.tar')) return { to, name }
    const parts = to.s3.prefix.split('/')
    const last = parts.pop() ?? ''
    if (last === '') throw new Error('must name a backup in the bucket')
    return { to: { s3: { ...to.s3, prefix: parts.join('/') } }, name: last }
  } catch (error) {
    throw new UsageError(`${option} ${(error as Error).message}.`)
  }
}
