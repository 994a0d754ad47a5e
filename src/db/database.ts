import type { Clock } from '../core/clock.ts'
import type { Db, Engine, Lockable, Tx } from './engine.ts'
import { migrate } from './migrate.ts'
import { openSqlite } from './sqlite.ts'

export type { Db, Tx } from './engine.ts'
export { afterCommit } from './guard.ts'
export { type Inspection, inspectDatabase } from './inspect.ts'
export { SCHEMA_VERSION } from './migrate.ts'
export { hasDatabase } from './sqlite.ts'

/**
 * The database, open and at this program's schema. `db` reads, `tx` writes; a transaction holds no hashing,
 * mail or network, because on the embedded engine everybody waits for it.
 */
export interface Database {
  readonly db: Db
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** As `tx`, but does not wait for the disk: a power cut, and nothing less, may take it back. */
  relaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Whether other processes may work on the same data, so that counters and leases must live in it. */
  readonly shared: boolean
  /** Lets a claiming query pass over rows that another process has in hand. */
  skipLocked<Query extends Lockable>(query: Query): Query
  readonly engine: Engine['name']
  claimServer(): void
  backup(file: string): Promise<void>
  isUniqueViolation(error: unknown): boolean
  close(): Promise<void>
}

export interface DatabaseOptions {
  dataDir: string
  databaseUrl: string | undefined
  clock: Clock
  /** Is told each migration step before it runs. */
  report: (step: string) => void
  /** Is told of connections that broke while idle. */
  onConnectionError: (error: Error) => void
}

/**
 * Opens the engine that the configuration names and migrates it.
 * @throws NewerDatabaseError, and the engine's own error when it cannot be reached
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = await openEngine(options)
  try {
    await migrate(engine, options.clock.now(), options.report)
  } catch (error) {
    await engine.close()
    throw error
  }
  return { ...engine, engine: engine.name }
}

async function openEngine({ dataDir, databaseUrl, onConnectionError }: DatabaseOptions): Promise<Engine> {
  if (databaseUrl === undefined) return openSqlite(dataDir)
  // Read only where it is used: its driver is memory that the embedded engine does not need.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(databaseUrl, onConnectionError)
}
