import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import { newToken, openVault, type Vault } from './core/secret.ts'
import { type Database, hasDatabase, openDatabase } from './db/database.ts'

interface Log {
  info(data: object, message: string): void
  error(data: object, message: string): void
}

/** The database and the key that its secrets are sealed with: what the server and the command line both open. */
export interface Store {
  database: Database
  vault: Vault
}

/** The row of `meta` that tells which key the database was begun with. */
export const KEY_FINGERPRINT = 'key_fingerprint'

/** The key does not fit the data; going on would make every secret in it unreadable. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

/**
 * Opens the database, migrates it, and proves that the key is the one it was begun with.
 * @throws WrongKeyError, NewerDatabaseError, or the engine's own error
 */
export async function openStore({
  config,
  clock,
  log,
}: {
  config: Config
  clock: Clock
  log: Log
}): Promise<Store> {
  const database = await openDatabase({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    poolSize: config.databasePool,
    clock,
    report: (step) => log.info({ step }, 'migrating'),
    onConnectionError: (error) => log.error({ err: error }, 'database connection lost'),
  })
  try {
    return { database, vault: await openProvenVault(database, config) }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Whether there is something to open; opening the embedded store makes it where there is none. */
export function hasStore({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== undefined || hasDatabase(dataDir)
}

/** Where the key comes from, in words. */
export function keySource(config: Pick<Config, 'secretKey' | 'dataDir'>): string {
  return config.secretKey === undefined ? `the file ${keyFile(config)}` : 'SECRET_KEY'
}

/** The configured key, else the generated one; undefined when none was generated yet. */
export function findMasterKey(config: Pick<Config, 'secretKey' | 'dataDir'>): string | undefined {
  if (config.secretKey !== undefined) return config.secretKey
  return existsSync(keyFile(config)) ? readFileSync(keyFile(config), 'utf8').trim() : undefined
}

export function keyFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'secret.key')
}

/** The key is proved by a fingerprint that the first start left in the database. @throws WrongKeyError */
async function openProvenVault(database: Database, config: Config): Promise<Vault> {
  // In this order: a key is stored before its fingerprint, by whichever process is the first.
  const begunWith = await findFingerprint(database)
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
  const stored = await findFingerprint(database)
  if (stored === vault.fingerprint) return vault
  throw new WrongKeyError(
    `The key in ${keySource(config)} (fingerprint ${vault.fingerprint}) is not the one this database was begun with (fingerprint ${stored}). ` +
      'Start with the original key; without it the secrets in the database cannot be read.',
  )
}

/** At the first start: a key that only its owner can read. */
function generateKey(config: Config): string {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const draft = `${keyFile(config)}.${process.pid}`
  writeFileSync(draft, `${newToken()}\n`, { mode: 0o600, flush: true })
  // A link is made whole or not at all: of two processes that start at once, one makes it and both read it.
  try {
    linkSync(draft, keyFile(config))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(keyFile(config), 'utf8').trim()
}

async function findFingerprint({ db }: Database): Promise<string | undefined> {
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', KEY_FINGERPRINT)
    .executeTakeFirst()
  return row?.value
}
