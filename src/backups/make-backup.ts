import { rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type BlobStorage, MissingBlobError } from '../blobs/blob-storage.ts'
import { piecesOf } from '../blobs/folder-storage.ts'
import type { Config } from '../config/config.ts'
import { toIso } from '../core/clock.ts'
import { FullDiskError, fullDiskSentence, isFullDisk } from '../core/disk.ts'
import { openVault } from '../core/secret.ts'
import { VERSION } from '../core/version.ts'
import { copySqlite, openCopy, openSource } from '../db/copy-rows.ts'
import { parseCopyLine } from '../db/rows/copy-line.ts'
import { createRowChecksum } from '../db/rows/row-checksum.ts'
import type { RowSource } from '../db/rows/source-target.ts'
import { DATABASE_FILE } from '../db/sqlite/sqlite.ts'
import { MOVED_TO } from '../store/facts.ts'
import { findMasterKey } from '../store/key-file.ts'
import { KEY_FINGERPRINT } from '../store/open-store.ts'
import { type About, bytesEntry, type Contents, ENTRY, FORMAT, rowsEntry } from './format.ts'
import { partOf, removeDeadParts } from './part-name.ts'
import { renameNew } from './rename-new.ts'
import { sealKey } from './sealed-key.ts'
import { openPrivate, openTarWriter, type TarWriter } from './tar.ts'

/** The inputs of a backup. */
export interface Making {
  config: Pick<Config, 'store'>
  /** The blobs to copy; undefined where they stay in S3-compatible storage. */
  bytes: BlobStorage | undefined
  /** Seals the master key; undefined leaves the key out. */
  passphrase: string | undefined
  /** The latest time of its snapshot. */
  now: number
  /** Cancels the backup and removes its parts. */
  signal?: AbortSignal
  /** Moves the finished file to its destination, instead of the rename. */
  place?: (part: string, size: number) => Promise<void>
}

/** A finished backup. */
export interface Made {
  file: string
  bytes: number
  rows: number
  blobs: number
  missingBlobs: number
  hasKey: boolean
  /** Tables that are not Postern's and are not in the backup. */
  others: string[]
  /** The address that all rows had been moved to before. */
  movedTo: string | undefined
}

/**
 * Makes a backup while servers run: a tar with the database as it is at one moment, the sealed key and the bytes of files. The file gets
 * its name after it is complete and flushed; only this user can read it.
 * @param file it must not exist
 * @throws Error in plain words, or the errors of the engine and of the disk
 */
export async function makeBackup(file: string, making: Making): Promise<Made> {
  await removeDeadParts(dirname(file))
  try {
    return await makeWhole(file, making)
  } catch (error) {
    throw inBackupWords(error, file, making)
  }
}

/** The error for a full disk, told after the parts are removed; any other error is returned unchanged. */
function inBackupWords(error: unknown, file: string, { place }: Making): unknown {
  if (!isFullDisk(error)) return error
  // The disk of the database is full, not that of the backup.
  if (error instanceof FullDiskError && dirname(error.file) !== dirname(file)) return error
  const otherwise = place === undefined ? ', or name another place for the backup' : ''
  return new Error(
    `${fullDiskSentence(file)} A backup needs the room of the database twice for a while, and that of its files. Make room on it${otherwise}. Nothing of this one is left.`,
    { cause: error },
  )
}

async function makeWhole(file: string, making: Making): Promise<Made> {
  const part = join(dirname(file), partOf(basename(file)))
  const beside = { copy: `${part}.db`, blobs: `${part}.blobs` }
  let tar: TarWriter | undefined
  try {
    tar = await openTarWriter(part)
    const made = await write(tar, making, beside)
    const bytes = await tar.end()
    making.signal?.throwIfAborted()
    if (making.place === undefined) renameNew(part, file)
    else await making.place(part, bytes)
    return { file, bytes, ...made }
  } finally {
    await tar?.close()
    for (const left of [part, beside.copy, `${beside.copy}-journal`, beside.blobs])
      rmSync(left, { force: true })
  }
}

async function write(
  tar: TarWriter,
  { config, bytes, passphrase, now, signal }: Making,
  beside: { copy: string; blobs: string },
): Promise<Omit<Made, 'file' | 'bytes'>> {
  const { store } = config
  const isEmbedded = store.databaseUrl === undefined
  if (isEmbedded) {
    // The file is created private before anything is written to it.
    await (await openPrivate(beside.copy)).close()
    await copySqlite(join(store.dataDir, DATABASE_FILE), beside.copy)
  }
  const source = isEmbedded ? openCopy(beside.copy) : await openSource(store)
  const blobIds = await openPrivate(beside.blobs)
  try {
    const fingerprint = source.facts.get(KEY_FINGERPRINT) ?? null
    const key = passphrase === undefined || fingerprint === null ? undefined : findKey(config, fingerprint)
    const about: About = {
      ...{ format: FORMAT, version: VERSION, schema: source.schema },
      ...{ engine: isEmbedded ? 'sqlite' : 'postgres', madeAt: toIso(now), keyFingerprint: fingerprint },
      ...{
        key: key === undefined ? 'left_out' : 'sealed',
        files: bytes === undefined ? 'elsewhere' : 'included',
      },
    }
    await tar.add(ENTRY.about, json(about))
    if (key !== undefined && passphrase !== undefined && fingerprint !== null)
      await tar.add(ENTRY.key, json(await sealKey(key, passphrase, fingerprint)))
    const kept = isEmbedded ? await addCopy(tar, source, beside.copy) : await addRows(tar, source, signal)
    if (bytes !== undefined) await noteBlobs(source, blobIds)
    // The snapshot ends before the blobs are copied, because it keeps PostgreSQL from removing dead rows.
    await source.close()
    const blobs = bytes === undefined ? NO_BLOBS : await addBlobs(tar, bytes, blobIds, signal)
    const contents: Contents = { ...kept, ...blobs }
    await tar.add(ENTRY.contents, json(contents))
    const rows = Object.values(kept.rows).reduce((sum, count) => sum + count, 0)
    const movedTo = source.facts.get(MOVED_TO)
    return { rows, ...blobs, hasKey: key !== undefined, others: [...source.others], movedTo }
  } finally {
    await blobIds.close()
    await source.close().catch(() => {})
  }
}

/** @throws Error in plain words */
function findKey({ store }: Making['config'], fingerprint: string): string {
  const key = findMasterKey(store)
  if (key === undefined || openVault(key).fingerprint !== fingerprint)
    throw new Error(
      `The key of this database (fingerprint ${fingerprint}) is not the one in these settings, so it cannot be put into the backup: set the key that its server runs with.`,
    )
  return key
}

const NO_BLOBS = { blobs: 0, missingBlobs: 0 }

function json(value: object): Buffer[] {
  return [Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)]
}

async function addCopy(
  tar: TarWriter,
  source: RowSource,
  copy: string,
): Promise<Omit<Contents, 'blobs' | 'missingBlobs'>> {
  const rows: Contents['rows'] = {}
  for (const table of source.tables) rows[table.name] = await source.count(table)
  await tar.add(ENTRY.database, piecesOf(await open(copy)))
  return { rows }
}

async function addRows(
  tar: TarWriter,
  source: RowSource,
  signal: AbortSignal | undefined,
): Promise<Omit<Contents, 'blobs' | 'missingBlobs'>> {
  const rows: Contents['rows'] = {}
  const tables: NonNullable<Contents['tables']> = []
  for (const table of source.tables) {
    signal?.throwIfAborted()
    const sum = createRowChecksum()
    await tar.add(rowsEntry(table.name), source.read(table, sum))
    rows[table.name] = sum.rows
    tables.push({ name: table.name, columns: table.columns, sum: sum.text() })
  }
  return { rows, tables, facts: Object.fromEntries(source.facts), id: source.id }
}

/** Writes the ids of all referenced blobs into a file, one per line, because they may not fit into memory. */
async function noteBlobs(source: RowSource, to: FileHandle): Promise<void> {
  const table = source.tables.find(({ name }) => name === 'blob')
  if (table === undefined) return
  const [id, state] = ['id', 'state'].map((name) => table.columns.findIndex((column) => column.name === name))
  for await (const piece of source.read(table, createRowChecksum())) {
    const rows = piece
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => parseCopyLine(line, table))
    const ids = rows.filter((row) => row[state ?? -1] === 'kept').map((row) => `${row[id ?? -1]}\n`)
    await to.appendFile(ids.join(''))
  }
}

async function addBlobs(
  tar: TarWriter,
  bytes: BlobStorage,
  ids: FileHandle,
  signal: AbortSignal | undefined,
): Promise<typeof NO_BLOBS> {
  const count = { blobs: 0, missingBlobs: 0 }
  for await (const id of ids.readLines({ start: 0, autoClose: false })) {
    signal?.throwIfAborted()
    try {
      await tar.add(bytesEntry(id), await bytes.read(id))
      count.blobs += 1
    } catch (error) {
      // The file was deleted after the snapshot.
      if (!(error instanceof MissingBlobError)) throw error
      count.missingBlobs += 1
    }
  }
  return count
}
