import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { BlobStorage } from '../blobs/blob-storage.ts'
import { SCHEMA_VERSION } from '../db/database.ts'
import { DATABASE_FILE } from '../db/sqlite/sqlite.ts'
import {
  type About,
  type Contents,
  ENTRY,
  FORMAT,
  isEntry,
  MOST_JSON,
  parseAbout,
  parseContents,
  parseKey,
  partOfName,
} from './format.ts'
import type { SealedKey } from './sealed-key.ts'
import { DamagedError, readTar, type TarEntry } from './tar.ts'

/** A completely read backup with verified digests. */
export interface Unpacked {
  about: About
  key: SealedKey | undefined
  contents: Contents
}

/** The backup was made by a newer version. */
export class NewerBackupError extends Error {
  override readonly name = 'NewerBackupError'
}

/**
 * Reads a backup into a folder that only this user can read: `postern.db`, or a file of rows for each table, and the bytes of files by `bytes`.
 * @param source a file, or its bytes
 * @param onAbout called with the first entry of the backup, its description, before the others are read
 * @throws DamagedError, NewerBackupError, what `onAbout` throws, or the errors of the disk
 */
export async function unpack(
  source: string | AsyncIterable<Uint8Array>,
  { folder, bytes, onAbout }: { folder: string; bytes: BlobStorage; onAbout: (about: About) => void },
): Promise<Unpacked> {
  let [about, key, contents]: [About?, SealedKey?, Contents?] = []
  let blobs = 0
  const stream =
    typeof source === 'string'
      ? createReadStream(source, { highWaterMark: 256 * 1024 })
      : Readable.from(source, { objectMode: false })
  try {
    for await (const entry of readTar(stream, isEntry)) {
      const { name } = entry
      if ((about === undefined) !== (name === ENTRY.about))
        throw new DamagedError('its parts are not in their order')
      const part = partOfName(name)
      if (name === ENTRY.about) {
        about = await readJson(entry, parseAbout)
        requireKnown(about)
        onAbout(about)
      } else if (name === ENTRY.key) key = await readJson(entry, parseKey)
      else if (name === ENTRY.contents) contents = await readJson(entry, parseContents)
      else if (part !== undefined && 'blob' in part) {
        await bytes.write(part.blob, entry.bytes, entry.size)
        blobs += 1
      } else await writeTo(join(folder, part === undefined ? DATABASE_FILE : fileOf(part.table)), entry)
    }
  } finally {
    stream.destroy()
  }
  if (about === undefined || contents === undefined) throw new DamagedError('parts of it are missing')
  if (contents.blobs !== blobs) throw new DamagedError('it has not as many files as it says')
  return { about, key, contents }
}

/** The file of a table's rows in the folder. */
export const fileOf = (table: string) => `${table}.copy`

function requireKnown({ format, schema, version }: About): void {
  if (format <= FORMAT && schema <= SCHEMA_VERSION) return
  throw new NewerBackupError(
    `The backup was made by Postern ${version} (form ${format}, schema version ${schema}), and this one knows forms up to ${FORMAT} and versions up to ${SCHEMA_VERSION}: restore it with that Postern.`,
  )
}

/** @throws DamagedError */
async function readJson<T>({ size, bytes }: TarEntry, parse: (text: string) => T): Promise<T> {
  if (size > MOST_JSON) throw new DamagedError('a part of it is too large')
  const pieces: Buffer[] = []
  for await (const piece of bytes) pieces.push(piece)
  try {
    return parse(Buffer.concat(pieces).toString())
  } catch (cause) {
    throw new DamagedError(
      cause instanceof SyntaxError ? 'a part of it is no JSON' : (cause as Error).message,
      {
        cause,
      },
    )
  }
}

async function writeTo(path: string, { bytes }: TarEntry): Promise<void> {
  // The flag refuses a second entry of the same name.
  const handle: FileHandle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new DamagedError('a part of it is there twice') : error
  })
  try {
    for await (const piece of bytes) await handle.writeFile(piece)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
