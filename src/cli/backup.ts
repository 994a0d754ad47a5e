import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backupName } from '../backups/backup-name.ts'
import { openDestination } from '../backups/destination.ts'
import { folderStorage } from '../blobs/folder-storage.ts'
import { folderOf } from '../blobs/open-storage.ts'
import { type Config, readConfig } from '../config/config.ts'
import { SHORTEST_PASSPHRASE } from '../config/values.ts'
import { stopwatch, systemClock } from '../core/clock.ts'
import { keySource } from '../store/key-file.ts'
import { hasStore } from '../store/open-store.ts'
import { readBackupFile } from './backup-file.ts'
import { type Command, type Terminal, UsageError } from './terminal/terminal.ts'
import { whyNotWritable } from './why-not-writable.ts'
import { noStore } from './with-store.ts'

/** `postern backup`: writes the database, key and files into one file while the server runs. */
export const backup: Command = {
  about: 'Makes one file of the database, the sealed key and the bytes of files, while the server runs.',
  usage: 'postern backup [--to FILE | --to s3://BUCKET/PREFIX] [--without-key] [--without-files]',
  options: {
    to: {
      type: 'string',
      about:
        'File to write, or a place in the storage of BACKUP_TO or BLOBS_URL. Default: postern-<time>.tar in this folder.',
    },
    'without-key': { type: 'boolean', about: 'Omits the master key: keep it elsewhere.' },
    'without-files': { type: 'boolean', about: 'Omits the bytes of files: copy their folder afterwards.' },
  },
  async run(terminal, options) {
    const config = readConfig(terminal.env)
    if (!hasStore(config.store)) {
      terminal.complain(noStore(config.store))
      return 1
    }
    const now = systemClock.now()
    const { to, name } = readBackupFile(options.to === undefined ? '' : String(options.to), {
      ...{ config, option: '--to', name: backupName(now) },
    })
    const trouble = 'folder' in to ? cannotWrite(to.folder, name) : undefined
    if (trouble !== undefined) {
      terminal.complain(trouble)
      return 1
    }
    const passphrase = options['without-key'] === true ? undefined : await findPassphrase(terminal, config)
    const hasFolder = config.blobs.s3 === undefined && options['without-files'] !== true
    const elapsed = stopwatch()
    const place = openDestination(to, config)
    const made = await place
      .make(name, {
        config,
        bytes: hasFolder ? folderStorage(folderOf(config.store)) : undefined,
        ...{ passphrase, now },
      })
      .finally(() => place.close())
    const { file, bytes, rows, blobs, missingBlobs, hasKey } = made
    terminal.print(`Made ${file}: ${rows} rows, ${blobs} files, ${bytes} bytes.`)
    terminal.print(
      hasKey
        ? 'The key is in it, sealed under the passphrase: keep that elsewhere. Without it the secrets in the backup cannot be read.'
        : `The key is not in it: keep ${keySource(config.store)} as well. Without it the secrets in the backup cannot be read.`,
    )
    if (config.blobs.s3 !== undefined)
      terminal.print('Nor are the bytes of files: they are where BLOBS_URL says.')
    else if (!hasFolder)
      terminal.print(
        `Nor are the bytes of files: copy ${folderOf(config.store)} after it, so that nothing is missing that it names.`,
      )
    if (made.others.length > 0) terminal.print(notOurs(made.others))
    if (made.movedTo !== undefined)
      terminal.print(
        `Its rows were moved to ${made.movedTo} before: what happens there is not in it, and a start on what is restored of it is refused.`,
      )
    if (missingBlobs > 0)
      terminal.print(`${missingBlobs} files were deleted while it was made: their bytes are not in it.`)
    terminal.print('To restore: postern restore, with the settings of an empty place.')
    terminal.answer({ ...made, durationMs: Math.round(elapsed()) })
    return 0
  },
}

/** The sentence about tables in the database that are not Postern's. */
function notOurs(tables: string[]): string {
  const some = `${tables.slice(0, 3).join(', ')}${tables.length > 3 ? ', …' : ''}`
  return `${tables.length} tables of the database are not of Postern, and not in it (${some}): pg_dump takes them.`
}

/** @throws UsageError where no passphrase is given and the key is not left out */
async function findPassphrase({ askHidden }: Terminal, { backups }: Config): Promise<string> {
  if (backups.passphrase !== undefined) return backups.passphrase
  const words = await askHidden?.('Passphrase that seals the key in the backup: ')
  if (words !== undefined && [...words].length >= SHORTEST_PASSPHRASE) return words
  throw new UsageError(
    `BACKUP_PASSPHRASE must be set, ${SHORTEST_PASSPHRASE} characters or more: it seals the key in the backup. --without-key leaves the key out.`,
  )
}

function cannotWrite(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  if (existsSync(file)) return `${file} exists already and is left as it is. Choose another --to.`
  if (!existsSync(folder))
    return `${file} is in a folder that does not exist. Make it, or choose another --to.`
  if (!statSync(folder).isDirectory()) return `${folder} is a file, and no folder. Choose another --to.`
  return whyNotWritable(folder, '--to')
}
