import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStorage } from '../blobs/blob-storage.ts'
import { folderStorage, piecesOf } from '../blobs/folder-storage.ts'
import { folderOf } from '../blobs/open-storage.ts'
import type { Config } from '../config/config.ts'
import type { Millis } from '../core/clock.ts'
import { FullDiskError, isFullDisk } from '../core/disk.ts'
import { makeFolder } from '../core/folder.ts'
import { openVault, type Vault } from '../core/secret.ts'
import { openCopy, requireEmptyTarget, requireIntact } from '../db/copy-rows.ts'
import { type Database, openDatabase, SCHEMA_VERSION } from '../db/database.ts'
import { proveSealed } from '../db/reseal.ts'
import type { RowSource } from '../db/rows/source-target.ts'
import { DATABASE_FILE, findDatabaseFile, lockServer } from '../db/sqlite/sqlite.ts'
import { readAhead } from '../store/clock-ahead.ts'
import { findFact, MOVED_TO } from '../store/facts.ts'
import { findMasterKey, keyFile, placeKey } from '../store/key-file.ts'
import { findFingerprint } from '../store/open-store.ts'
import { fill, type Watching } from './fill.ts'
import type { About, Contents } from './format.ts'
import { renameNew } from './rename-new.ts'
import { rowsOfFolder } from './rows-of-folder.ts'
import { openKey } from './sealed-key.ts'
import { DamagedError } from './tar.ts'
import { type Unpacked, unpack } from './unpack.ts'

/** The folder in `DATA_DIR` in which a backup is unpacked and verified. It exists until the restore has ended. */
const RESTORING = 'restoring'

const COMMAND = 'postern restore'

interface Restoring extends Watching {
  config: Pick<Config, 'store' | 'blobs'>
  /** The storage for blobs; undefined: the folder. */
  storage: BlobStorage | undefined
  /** Asks for the passphrase of a key in the backup. @returns undefined without an answer */
  passphrase: () => Promise<string | undefined>
  /** Restores without the key of the sealed secrets. */
  isWithoutKey: boolean
}

/** The result of a restore. */
interface Restored {
  about: About
  contents: Contents
  /** Restored rows. */
  rows: number
  /** The number of tables with sealed values; the restore has opened one value of each. 0 without a key. */
  proved: number
  /** The offset of its development clock, in milliseconds. */
  ahead: Millis
  /** The address that the rows had been moved to before the backup; a start on the restored database is refused. */
  movedTo: string | undefined
}

/** A refused restore, which has changed nothing; the message has the reason. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/**
 * Restores a backup into an empty installation of either engine. The whole backup is read and verified before the first file is placed.
 * @param source a file, or its bytes
 * @throws RefusedError, DamagedError, NewerBackupError, WrongPassphraseError, OccupiedError, or the errors of the disk and the engine
 */
export async function restore(
  source: string | AsyncIterable<Uint8Array>,
  restoring: Restoring,
): Promise<Restored> {
  const { dataDir } = restoring.config.store
  makeFolder(dataDir)
  // The lock keeps a server and another restore from starting in the folder.
  const lock = claimFolder(dataDir)
  try {
    return await restoreAlone(source, restoring)
  } finally {
    lock.release()
  }
}

/** @throws RefusedError */
function claimFolder(dataDir: string): { release(): void } {
  try {
    return lockServer(dataDir, COMMAND)
  } catch (cause) {
    // A missing right and a full disk have their own sentences.
    if ((cause as NodeJS.ErrnoException).code !== undefined || isFullDisk(cause)) throw cause
    throw new RefusedError((cause as Error).message, { cause })
  }
}

async function restoreAlone(
  source: string | AsyncIterable<Uint8Array>,
  restoring: Restoring,
): Promise<Restored> {
  const { store, blobs } = restoring.config
  const folder = join(store.dataDir, RESTORING)
  const filling = { ...restoring, command: COMMAND }
  requireEmpty(restoring, existsSync(folder))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  try {
    const bytes = folderStorage(join(folder, 'blobs'))
    const unpacked = await unpack(source, {
      folder,
      bytes,
      onAbout: (about) => requireKeyFor(about, restoring),
    })
    const { about, contents } = unpacked
    const vault = await findVault(unpacked, restoring)
    let [proved, ahead, movedTo] = [0, 0, undefined as string | undefined]
    const proveIn = async (database: Database) => {
      await proveBlobs(database, about, contents)
      ahead = await readAhead(database.db)
      movedTo = await findFact(database.db, MOVED_TO)
      proved = vault === undefined ? 0 : await proveSealed(database.db, vault.vault)
    }
    const placeAll = async () => {
      if (about.files === 'included')
        await placeBlobs(join(folder, 'blobs'), blobs.s3 === undefined ? folderOf(store) : restoring.storage)
      if (vault?.key !== undefined && store.secretKey === undefined) placeKey(store, vault.key)
    }
    const here = { ...store, dataDir: folder, databaseUrl: undefined, databaseDirectUrl: undefined }
    if (about.engine === 'sqlite') await proveCopy(folder, contents)
    let rows = Object.values(contents.rows).reduce((sum, count) => sum + count, 0)
    if (store.databaseUrl !== undefined) {
      // An older schema is migrated before the rows are read.
      if (about.engine === 'sqlite') await inDatabase(here, restoring, async () => {})
      const source =
        about.engine === 'sqlite' ? openCopy(join(folder, DATABASE_FILE)) : rowsOf(folder, unpacked)
      try {
        await requireEmptyTarget(source, store)
        rows = await fill(source, store, filling, {
          schema: source.schema,
          async onFilled(database) {
            await proveIn(database)
            await placeAll()
          },
        })
      } finally {
        await source.close()
      }
    } else {
      if (about.engine === 'postgres')
        rows = await fill(rowsOf(folder, unpacked), here, filling, { schema: about.schema })
      await inDatabase(here, restoring, proveIn)
      await placeAll()
      // The database is placed last, so an interrupted restore leaves none.
      requireNoDatabase(store.dataDir)
      renameNew(join(folder, DATABASE_FILE), join(store.dataDir, DATABASE_FILE))
    }
    return { about, contents, rows, proved, ahead, movedTo }
  } catch (error) {
    // The error of a failed write does not contain its path.
    throw (error as NodeJS.ErrnoException).path === undefined && isFullDisk(error)
      ? new FullDiskError(folder, { cause: error })
      : error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const rowsOf = (folder: string, { contents, about }: Unpacked): RowSource =>
  rowsOfFolder(folder, contents, about.schema)

/** @throws RefusedError */
function requireEmpty({ config: { store, blobs } }: Restoring, isContinued: boolean): void {
  if (store.databaseUrl === undefined) requireNoDatabase(store.dataDir)
  const folder = folderOf(store)
  if (blobs.s3 === undefined && !isContinued && existsSync(folder) && readdirSync(folder).length > 0)
    throw new RefusedError(`There are files in ${folder} already: name an empty folder as DATA_DIR.`)
}

/**
 * A write-ahead log without its database counts too: SQLite would apply it to the restored database.
 * @throws RefusedError
 */
function requireNoDatabase(dataDir: string): void {
  const file = findDatabaseFile(dataDir)
  if (file === undefined) return
  throw new RefusedError(
    `There is a database in ${dataDir} already (${file}): name an empty folder as DATA_DIR.`,
  )
}

/** Refuses a backup whose secrets could not be opened. @throws RefusedError */
function requireKeyFor({ keyFingerprint, key }: About, { config: { store }, isWithoutKey }: Restoring): void {
  if (keyFingerprint === null) return
  const present = findMasterKey(store)
  if (present !== undefined && openVault(present).fingerprint !== keyFingerprint)
    throw new RefusedError(
      `The backup is of an installation with another key (fingerprint ${keyFingerprint}) than the one in ${store.secretKey === undefined ? keyFile(store) : 'SECRET_KEY'} (${openVault(present).fingerprint}). Put the key of the backup there.`,
    )
  if (present === undefined && key === 'left_out' && !isWithoutKey)
    throw new RefusedError(
      `The key is not in this backup: put it back as ${keyFile(store)}, or set SECRET_KEY (fingerprint ${keyFingerprint}).`,
    )
}

/** @returns the vault, with the key where it comes from the backup; undefined without a key. @throws RefusedError, WrongPassphraseError */
async function findVault(
  { about: { keyFingerprint }, key: sealed }: Unpacked,
  { config, passphrase, isWithoutKey }: Restoring,
): Promise<{ vault: Vault; key: string | undefined } | undefined> {
  const present = findMasterKey(config.store)
  if (present !== undefined) return { vault: openVault(present), key: undefined }
  if (sealed === undefined || keyFingerprint === null || isWithoutKey) return undefined
  const words = await passphrase()
  if (words === undefined)
    throw new RefusedError(
      'The key in this backup is sealed: set BACKUP_PASSPHRASE to what it was sealed with.',
    )
  const key = await openKey(sealed, words, keyFingerprint)
  const vault = openVault(key)
  if (vault.fingerprint !== keyFingerprint)
    throw new DamagedError('the key in it is not the key of its database')
  return { vault, key }
}

/** Checks every page of an unpacked embedded database, and counts its rows. @throws DamagedError */
async function proveCopy(folder: string, { rows }: Contents): Promise<void> {
  const file = join(folder, DATABASE_FILE)
  if (!existsSync(file)) throw new DamagedError('its database is missing')
  try {
    requireIntact(file)
  } catch (cause) {
    throw new DamagedError((cause as Error).message, { cause })
  }
  const source = openCopy(file)
  try {
    for (const table of source.tables) {
      const count = await source.count(table)
      if (count !== rows[table.name])
        throw new DamagedError(`${table.name} has ${count} rows, and it names ${rows[table.name]}`)
    }
  } finally {
    await source.close()
  }
}

/** Opens an unpacked embedded database and migrates it. */
async function inDatabase(
  here: Config['store'],
  { clock, say }: Watching,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = await openDatabase({
    ...{ ...here, clock, upTo: SCHEMA_VERSION },
    report: (step) => say(`migrating: ${step}`),
    onConnectionError: ({ message }) => say(message),
  })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

/** @throws DamagedError where rows refer to missing blobs */
async function proveBlobs(
  database: Database,
  { files, keyFingerprint }: About,
  { blobs, missingBlobs }: Contents,
): Promise<void> {
  const { count } = await database.db
    .selectFrom('blob')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('state', '=', 'kept')
    .executeTakeFirstOrThrow()
  if (files === 'included' && Number(count) !== blobs + missingBlobs)
    throw new DamagedError(`its rows name ${count} files, and it has ${blobs}`)
  const fingerprint = (await findFingerprint(database)) ?? null
  if (fingerprint !== null && fingerprint !== keyFingerprint)
    throw new DamagedError('its database was begun with another key than it names')
}

/** @param to a folder, or S3-compatible storage */
async function placeBlobs(from: string, to: string | BlobStorage | undefined): Promise<void> {
  if (to === undefined || !existsSync(from)) return
  if (typeof to === 'string' && !existsSync(to)) return renameSync(from, to)
  const target = typeof to === 'string' ? folderStorage(to) : to
  for (const part of readdirSync(from))
    for (const name of readdirSync(join(from, part)))
      await target.write(name, piecesOf(await open(join(from, part, name))), Number.MAX_SAFE_INTEGER)
}
