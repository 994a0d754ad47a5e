import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type BackupTo, isInStorage, nameInStorage } from '../config/backup-to.ts'
import type { Config } from '../config/config.ts'
import { systemClock } from '../core/clock.ts'
import { makeFolder } from '../core/folder.ts'
import { createResolver } from '../net/resolver.ts'
import { type Made, type Making, makeBackup } from './make-backup.ts'
import { fileOfPart } from './part-name.ts'
import { openStorage } from './storage.ts'

/** The destination of backups: a folder, or S3-compatible storage. */
export interface BackupDestination {
  /** The name of a backup for the state, commands and people. */
  fileOf(name: string): string
  /** Whether the name belongs to this destination. */
  holds(file: string): boolean
  isThere(file: string): Promise<boolean>
  /** Makes a backup under an unused name. @throws Error in plain words, or as `makeBackup` does */
  make(name: string, making: Making): Promise<Made>
  /** The bytes of a backup: the path of a file, or a stream from the storage. */
  open(name: string): string | AsyncIterable<Uint8Array>
  /** Prepares the destination, and removes the parts of unfinished backups. */
  clear(begun: string[]): Promise<void>
  remove(file: string): Promise<void>
  close(): Promise<void>
}

/** Opens the destination without a request or a write. */
export function openDestination(to: BackupTo, { store }: Pick<Config, 'store'>): BackupDestination {
  return 'folder' in to ? folderPlace(to.folder) : storagePlace(to, store)
}

function folderPlace(folder: string): BackupDestination {
  return {
    fileOf: (name) => join(folder, name),
    holds: (file) => dirname(file) === folder,
    isThere: async (file) => existsSync(file),
    make: (name, making) => makeBackup(join(folder, name), making),
    open: (name) => join(folder, name),
    async clear(begun) {
      makeFolder(folder, 'BACKUP_TO')
      await removeParts(folder, begun)
    },
    remove: (file) => rm(file, { force: true }),
    close: async () => {},
  }
}

function storagePlace(
  { s3 }: Extract<BackupTo, { s3: unknown }>,
  { dataDir }: Config['store'],
): BackupDestination {
  const storage = openStorage(s3, { clock: systemClock, resolve: createResolver({ clock: systemClock }) })
  const fileOf = (name: string) => nameInStorage(s3, name)
  const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1)
  return {
    fileOf,
    holds: (file) => fileOf(nameOf(file)) === file,
    // A name of earlier settings may be a file on this machine.
    isThere: async (file) =>
      isInStorage(file) ? (await storage.sizeOf(nameOf(file))) !== undefined : existsSync(file),

    async make(name, making) {
      const file = fileOf(name)
      if ((await storage.sizeOf(name)) !== undefined)
        throw new Error(`${file} exists already and is left as it is.`)
      makeFolder(dataDir)
      // The tar is finished in a file before it is sent: its sizes precede its contents, and a snapshot must not wait for a network.
      const made = await makeBackup(join(dataDir, name), {
        ...making,
        place: (part, size) => storage.write(name, part, size),
      })
      return { ...made, file }
    },

    open: (name) => storage.read(name),

    async clear(begun) {
      if (existsSync(dataDir)) await removeParts(dataDir, begun)
      for (const file of begun) if (isInStorage(file)) await storage.endUploads(nameOf(file))
    },

    remove: (file) => storage.remove(nameOf(file)),
    close: () => storage.close(),
  }
}

/** Removes parts of killed processes, also of other machines. A running backup by hand is left alone. */
async function removeParts(folder: string, begun: string[]): Promise<void> {
  const names = new Set(begun.map((file) => basename(file)))
  for (const name of await readdir(folder))
    if (names.has(fileOfPart(name) ?? '')) await rm(join(folder, name), { force: true })
}
