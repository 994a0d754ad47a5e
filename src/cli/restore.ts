import { openDestination } from '../backups/destination.ts'
import { placeOf } from '../backups/move.ts'
import { RefusedError, restore } from '../backups/restore.ts'
import { WrongPassphraseError } from '../backups/sealed-key.ts'
import { DamagedError } from '../backups/tar.ts'
import { NewerBackupError } from '../backups/unpack.ts'
import { openStorage } from '../blobs/open-storage.ts'
import { readConfig } from '../config/config.ts'
import { SECOND, stopwatch, systemClock } from '../core/clock.ts'
import { FullDiskError, fullDiskMessage } from '../core/disk.ts'
import { OccupiedError } from '../db/copy-rows.ts'
import { createResolver } from '../net/resolver.ts'
import { readBackupFile } from './backup-file.ts'
import { type Command, UsageError } from './terminal/terminal.ts'

/** `postern restore`: restores a backup into an empty installation. */
export const restoreCommand: Command = {
  about: 'Restores a backup into an empty place after a check of all of it. It overwrites nothing.',
  usage: 'postern restore --from FILE | s3://BUCKET/NAME.tar [--without-key]',
  options: {
    from: {
      type: 'string',
      about: 'A file of `postern backup`, or its name in the storage of BACKUP_TO or BLOBS_URL.',
    },
    'without-key': {
      type: 'boolean',
      about: 'Restores although the key is lost; docs/operations.md describes the next steps.',
    },
  },
  async run(terminal, options) {
    if (options.from === undefined) throw new UsageError('--from must name a backup.')
    const config = readConfig(terminal.env)
    const { store } = config
    const { to, name } = readBackupFile(String(options.from), { config, option: '--from' })
    const from = openDestination(to, config)
    const file = from.fileOf(name)
    const elapsed = stopwatch()
    const storage =
      config.blobs.s3 === undefined
        ? undefined
        : openStorage(config, { clock: systemClock, resolve: createResolver({ clock: systemClock }) })
    try {
      if (!(await from.isThere(file))) {
        terminal.complain(`There is no file ${file}.`)
        return 1
      }
      const { about, contents, rows, proved, ahead, movedTo } = await restore(from.open(name), {
        ...{ config, storage, clock: systemClock, say: terminal.complain },
        isWithoutKey: options['without-key'] === true,
        passphrase: async () =>
          config.backups.passphrase ??
          (await terminal.askHidden?.('Passphrase that the key in the backup was sealed with: ')),
        onTable() {},
        onIndexed: (chunks) => terminal.print(`  texts for searches: ${chunks} passages indexed`),
      })
      const { madeAt, version } = about
      const place = placeOf(store)
      terminal.print(
        `Restored ${rows} rows and ${contents.blobs} files to ${place}, as they were at ${madeAt}.`,
      )
      terminal.print(
        proved > 0
          ? `Their digests are right, and sealed values of ${proved} tables open under the key.`
          : 'Their digests are right.',
      )
      terminal.print(
        'What happened after that moment is not there: events published since are gone, and sessions, keys and invitations that were ended since are alive. What waited at that moment is sent when you start, some of it once more, with the same event ids.',
      )
      if (ahead > 0)
        terminal.print(
          `The clock of this installation was moved ${ahead / SECOND} s ahead (postern clock --advance), and what it holds has moments that have not come: start it with DEV_CLOCK=on; without that a start is refused.`,
        )
      if (movedTo !== undefined)
        terminal.print(
          `All of it had been moved to ${movedTo} before the backup was made, and a start is refused: docs/operations.md says how to serve it all the same.`,
        )
      if (contents.missingBlobs > 0)
        terminal.print(`The bytes of ${contents.missingBlobs} files were deleted while the backup was made.`)
      terminal.answer({
        ...{
          place,
          madeAt,
          version,
          rows,
          files: contents.blobs,
          missingFiles: contents.missingBlobs,
          proved,
          clockAheadMs: ahead,
          movedTo: movedTo ?? null,
        },
        durationMs: Math.round(elapsed()),
      })
      return 0
    } catch (error) {
      const refusal = readRefusal(error, file, placeOf(store))
      if (refusal === undefined) throw error
      terminal.complain(refusal)
      return 1
    } finally {
      await from.close()
      await storage?.close()
    }
  },
}

/** The sentence for a refused restore; undefined for any other error. */
function readRefusal(error: unknown, file: string, place: string): string | undefined {
  if (error instanceof DamagedError)
    return `${file} cannot be restored: ${error.message}. Nothing was changed.`
  if (error instanceof OccupiedError)
    return `${place} is not empty: ${error.message}. Nothing was changed; name an empty one.`
  if (error instanceof FullDiskError)
    return `${fullDiskMessage(error.file)} A restore needs as much as the backup takes. Nothing was changed.`
  if ((error as NodeJS.ErrnoException).code === 'EISDIR')
    return `${file} is a folder: --from names a backup in it. Nothing was changed.`
  const isPlain =
    error instanceof RefusedError ||
    error instanceof NewerBackupError ||
    error instanceof WrongPassphraseError
  return isPlain ? `${error.message} Nothing was changed.` : undefined
}
