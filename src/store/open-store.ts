import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { makePrivate } from '../core/folder.ts'
import { openVault, type Vault } from '../core/secret.ts'
import { VERSION } from '../core/version.ts'
import {
  type Database,
  type DatabaseOptions,
  explainStoreError,
  hasDatabase,
  openDatabase,
  type Tx,
  WRITER,
} from '../db/database.ts'
import { findFact, keepFact, MOVED_TO } from './facts.ts'
import { adoptNextKey, findMasterKey, generateKey, keyFile, keySource } from './key-file.ts'

interface Log {
  info(data: object, message: string): void
  warn(data: object, message: string): void
  error(data: object, message: string): void
}

/** The open database with the vault of its secrets. */
export interface Store {
  database: Database
  vault: Vault
}

/** The row of `meta` with the fingerprint of the key of the database's secrets. */
export const KEY_FINGERPRINT = 'key_fingerprint'

/** The key is not that of the database's secrets. */
class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

/**
 * Opens the database, migrates it unless `schema` says otherwise, and checks that the key is that of its secrets.
 * @throws WrongKeyError, NewerDatabaseError, OlderDatabaseError, OtherVersionError, Error in plain words for a failure of
 * the disk, or the engine's own error
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
    onHost(host, before) {
      if (before !== undefined) log.warn({ host, before }, 'another host of PostgreSQL takes the writes now')
      else if (serves) log.info({ host }, 'the host of PostgreSQL that takes writes')
    },
    onStandby(trouble) {
      if (trouble === undefined) log.info({}, 'the standby answers lists')
      else log.warn({ trouble }, 'the standby cannot be used, so the primary answers all lists')
    },
    onStandbyHost: (host) => log.info({ host }, 'the host of PostgreSQL that answers lists'),
    ...(onBroken && { onBroken }),
  })
  try {
    const movedTo = await findFact(database.db, MOVED_TO)
    if (movedTo !== undefined) throw new MovedError(movedTo)
    const vault = await openProvenVault(database, config)
    await keepFact(database, WRITER, VERSION)
    const trouble = makePrivate(config.dataDir, isOurs)
    if (trouble !== undefined) log.warn({}, trouble)
    return { database, vault }
  } catch (error) {
    await database.close()
    throw explainStoreError(error, config)
  }
}

/** The rows were moved to another database, or a move to it is about to end. */
export class MovedError extends Error {
  override readonly name = 'MovedError'
  constructor(to: string) {
    super(
      `Everything in this database was moved to ${to}. Start with the settings for that, or repeat the move where it was cut off; docs/operations.md says how to go back.`,
    )
  }
}

/** The names that Postern writes into the data folder: database, log, lock, keys, backups, and the folder of files. */
function isOurs(name: string): boolean {
  return /^(postern[.-]|secret\.key|server\.lock|blobs$)/.test(name)
}

/** Whether the store exists; opening the embedded store creates it. */
export function hasStore({ databaseUrl, dataDir }: Config['store']): boolean {
  return databaseUrl !== undefined || hasDatabase(dataDir)
}

/** The key is proved by a fingerprint that the first start left in the database. @throws WrongKeyError */
async function openProvenVault(database: Database, config: Config['store']): Promise<Vault> {
  // The fingerprint is read before the key: a first start stores them in the opposite order.
  const begunWith = await findFingerprint(database)
  // A crash of `rotate-key` may have preceded the writing of the key file.
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

/** The fingerprint of the key of the database's secrets. */
export function findFingerprint({ db }: Database): Promise<string | undefined> {
  return findFact(db, KEY_FINGERPRINT)
}

/** Writes the fingerprint, in the transaction that seals all secrets under another key. */
export async function replaceFingerprint(tx: Tx, vault: Vault): Promise<void> {
  await tx.updateTable('meta').set({ value: vault.fingerprint }).where('key', '=', KEY_FINGERPRINT).execute()
}
