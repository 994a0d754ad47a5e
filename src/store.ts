import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import { newToken, openVault, type Vault } from './core/secret.ts'
import { type Database, openDatabase } from './db/database.ts'

interface Log {
  info(data: object, message: string): void
  error(data: object, message: string): void
}

/** The database and the key that its secrets are sealed with: what the server and the command line both open. */
export interface Store {
  database: Database
  vault: Vault
}

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
    clock,
    report: (step) => log.info({ step }, 'migrating'),
    onConnectionError: (error) => log.error({ err: error }, 'database connection lost'),
  })
  try {
    const vault = openVault(masterKey(config))
    await proveKey(database, vault, config)
    return { database, vault }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The configured key, else the generated one; generated at the first start, readable by the owner alone. */
function masterKey({ secretKey, dataDir }: Config): string {
  if (secretKey !== undefined) return secretKey
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // `wx`: of two processes that start at once, one writes it and both read it.
    try {
      writeFileSync(file, `${newToken()}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return readFileSync(file, 'utf8').trim()
}

async function proveKey(database: Database, vault: Vault, config: Config): Promise<void> {
  await database.tx((tx) =>
    tx
      .insertInto('meta')
      .values({ key: 'key_fingerprint', value: vault.fingerprint })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  const stored = await database.db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'key_fingerprint')
    .executeTakeFirstOrThrow()
  if (stored.value === vault.fingerprint) return
  const source =
    config.secretKey === undefined ? `the file ${join(config.dataDir, 'secret.key')}` : 'SECRET_KEY'
  throw new WrongKeyError(
    `The key in ${source} (fingerprint ${vault.fingerprint}) is not the one this database was begun with (fingerprint ${stored.value}). ` +
      'Start with the original key; without it the secrets in the database cannot be read.',
  )
}
