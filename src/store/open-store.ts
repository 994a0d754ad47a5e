import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { makePrivate } from '../core/folder.ts'
import { openVault, type Vault } from '../core/secret.ts'
import { VERSION } from '../core/version.ts'
import {
  type Database,
  type DatabaseOptions,
  hasDatabase,
  inStoreWords,
  openDatabase,
  type Tx,
  WRITER,
} from '../db/database.ts'
import { findFact, keepFact } from './facts.ts'
import { adoptNextKey, findMasterKey, generateKey, keyFile, keySource } from './key-file.ts'

interface Log {
  info(data: object, message: string): void
  warn(data: object, message: string): void
  error(data: object, message: string): void
}

/** The database and the key that its secrets are sealed with: what the server and the command line both open. */
export interface Store {
  database: Database
  vault: Vault
}

/** The row of `meta` that tells which key the secrets of the database are sealed under. */
export const KEY_FINGERPRINT = 'key_fingerprint'

/** The key does not fit the data; going on would make every secret in it unreadable. */
class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

/**
 * Opens the database, migrates it unless told otherwise, and proves that the key is the one it was begun with.
 * @throws WrongKeyError, NewerDatabaseError, OlderDatabaseError, OtherVersionError, Error in plain words where the disk is at
 * fault, or the engine's own error
 */
export async function openStore({
  config,
  clock,
  log,
  onBroken,
  serves = false,
  schema = 'migrate',
}: {
  config: Config['store']
  clock: Clock
  log: Log
  onBroken?: (error: Error) => void
  serves?: boolean
  schema?: DatabaseOptions['schema']
}): Promise<Store> {
  const database = await openDatabase({
    ...config,
    clock,
    serves,
    schema,
    report: (step) => log.info({ step }, 'migrating'),
    onConnectionError: (error) => log.error({ err: error }, 'database trouble'),
    ...(onBroken && { onBroken }),
  })
  try {
    const vault = await openProvenVault(database, config)
    await keepFact(database, WRITER, VERSION)
    const trouble = makePrivate(config.dataDir, isOurs)
    if (trouble !== undefined) log.warn({}, trouble)
    return { database, vault }
  } catch (error) {
    await database.close()
    throw inStoreWords(error, config)
  }
}

/** What Postern itself writes into the data folder: database, log, lock, keys, backups, and the folder of files. */
function isOurs(name: string): boolean {
  return /^(postern[.-]|secret\.key|server\.lock|blobs$)/.test(name)
}

/** Whether there is something to open; opening the embedded store makes it where there is none. */
export function hasStore({ databaseUrl, dataDir }: Config['store']): boolean {
  return databaseUrl !== undefined || hasDatabase(dataDir)
}

/** The key is proved by a fingerprint that the first start left in the database. @throws WrongKeyError */
async function openProvenVault(database: Database, config: Config['store']): Promise<Vault> {
  // In this order: a key is stored before its fingerprint, by whichever process is the first.
  const begunWith = await findFingerprint(database)
  // A change of the key may have ended before it came to the file.
  adoptNextKey(config, begunWith)
  const key = findMasterKey(config)
  if (key === undefined && begunWith !== undefined) {
    throw new WrongKeyError(
      `The key that this database was begun with (fingerprint ${begunWith}) is missing: ${keyFile(config)} does not exist. ` +
        'Put that file back, or set SECRET_KEY to what it held.',
    )
  }
  const vault = openVault(key ?? generateKey(config))
  await database.tx((tx) =>
    tx
      .insertInto('meta')
      .values({ key: KEY_FINGERPRINT, value: vault.fingerprint })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  await proveKey(database, config, vault)
  return vault
}

/** @throws WrongKeyError when the database's secrets are sealed under another key */
export async function proveKey(database: Database, config: Config['store'], vault: Vault): Promise<void> {
  const stored = await findFingerprint(database)
  if (stored === vault.fingerprint) return
  throw new WrongKeyError(
    `The key in ${keySource(config)} (fingerprint ${vault.fingerprint}) is not the one this database was begun with (fingerprint ${stored}). ` +
      'Start with the original key; without it the secrets in the database cannot be read.',
  )
}

/** Of the key that the database's secrets are sealed under. */
export function findFingerprint({ db }: Database): Promise<string | undefined> {
  return findFact(db, KEY_FINGERPRINT)
}

/** In the transaction that seals everything under another key. */
export async function replaceFingerprint(tx: Tx, vault: Vault): Promise<void> {
  await tx.updateTable('meta').set({ value: vault.fingerprint }).where('key', '=', KEY_FINGERPRINT).execute()
}
