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

/** A place in which backups are: a folder, or a storage that speaks S3. */
export interface BackupDestination {
  /** The name of a backup there, as states, commands and people have it. */
  fileOf(name: string): string
  /** Whether a backup is in this place. */
  holds(file: string): boolean
  isThere(file: string): Promise<boolean>
  /** Makes a backup by a name that is free. @throws Error in plain words, or as `makeBackup` does */
  make(name: string, making: Making): Promise<Made>
  /** The bytes of a backup: a file, or what is read of the storage. */
  open(name: string): string | AsyncIterable<Uint8Array>
  /** Makes it ready, and clears what backups have begun there and not ended. */
  clear(begun: string[]): Promise<void>
  remove(file: string): Promise<void>
  close(): Promise<void>
}

/** Opens the place of backups; nothing is made or asked for yet. */
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
    // A name from before the settings named a storage is a file of this machine.
    isThere: async (file) =>
      isInStorage(file) ? (await storage.sizeOf(nameOf(file))) !== undefined : existsSync(file),

    async make(name, making) {
      const file = fileOf(name)
      if ((await storage.sizeOf(name)) !== undefined)
        throw new Error(`${file} exists already and is left as it is.`)
      makeFolder(dataDir)
      // Its digests come last and its sizes first: it is whole before it is sent, and no snapshot waits for a network.
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

/** Removes what backups had begun in a process that was killed, also on another machine; a backup by hand goes on. */
async function removeParts(folder: string, begun: string[]): Promise<void> {
  const names = new Set(begun.map((file) => basename(file)))
  for (const name of await readdir(folder))
    if (names.has(fileOfPart(name) ?? '')) await rm(join(folder, name), { force: true })
}
