import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { type Changes, createChanges } from './changes.ts'
import type { Access, Engine } from './engine/engine.ts'
import { findSchema, migrate, requireSchema } from './migrate.ts'
import { MIGRATIONS, SCHEMA_VERSION } from './migrations/migrations.ts'
import { createNotifier, NO_NOTIFIER, type Notifier } from './notifier.ts'
import { PROGRESS } from './rows/source-target.ts'
import { explainSqliteError } from './sqlite/errors.ts'
import { DATABASE_FILE, openSqlite } from './sqlite/sqlite.ts'

export { noteChanges, noteMany } from './changes.ts'
export type { Standby } from './engine/engine.ts'
export { afterCommit } from './engine/guard.ts'
export type { Db, Tx } from './engine/handles.ts'
export {
  findWorkers,
  type Inspection,
  inspectConnectionPath,
  inspectDatabase,
  inspectDurability,
  inspectHosts,
  inspectStandby,
} from './inspect.ts'
export { WRITER } from './migrate.ts'
export { SCHEMA_VERSION } from './migrations/migrations.ts'
export type { Handlers, Notifier } from './notifier.ts'
export { remedyOf } from './sqlite/errors.ts'
export { hasDatabase } from './sqlite/sqlite.ts'

/** The members of the engine that the database exposes. */
type OfEngine = Pick<
  Engine,
  | 'shared'
  | 'standby'
  | 'skipLocked'
  | 'reserved'
  | 'requests'
  | 'patient'
  | 'lookups'
  | 'textIndex'
  | 'reader'
  | 'host'
  | 'waiting'
> &
  Pick<Engine, 'claimServer' | 'claimAlone' | 'isUniqueViolation' | 'close'>

/**
 * The open database, at this program's schema. `db` reads, `tx` writes. A transaction must not hash, send mail or use the network,
 * because on the embedded engine all other writers wait for it.
 */
export interface Database extends Access, OfEngine {
  readonly engine: Engine['name']
  /** The same data for background work, with separate connections on PostgreSQL. */
  readonly background: Database
  readonly notifier: Notifier
  /** Sets the only listener for the recorded changes of commits. */
  onChanges: Changes['listen']
}

export interface DatabaseOptions {
  dataDir: string
  databaseUrl: string | undefined
  /** The address of the same database without a pooler in between. */
  databaseDirectUrl?: string | undefined
  /** The address of a hot standby that answers lists; undefined without one, and for commands. */
  databaseStandbyUrl?: string | undefined
  /** The largest number of connections to PostgreSQL. */
  databasePool?: number
  clock: Clock
  /** Whether the process serves the data. An embedded database is then claimed before it is opened. */
  serves?: boolean
  /**
   * `migrate` migrates to this program's schema, as a start does; `begin` does so only for an empty database; `require` refuses a schema
   * that this program cannot use, `exact` any other schema than this program's.
   */
  schema?: 'migrate' | 'begin' | 'require' | 'exact'
  /** Set by a command that copies rows into the database; other callers are refused until the copy is complete. */
  isFilled?: boolean
  /** The schema version to migrate to, for rows of an older schema; this program's by default. */
  upTo?: number
  /** Called with the name of each migration before it runs. */
  report: (step: string) => void
  /** Called with errors of idle connections, and other transient errors. */
  onConnectionError: (error: Error) => void
  /** Called with the first host in use of several, and with the new one at each change. */
  onHost?: (name: string, before: string | undefined) => void
  /** Called when the standby can be used, and with the reason when it cannot be used any more. */
  onStandby?: (trouble: string | undefined) => void
  /** Called with the first standby in use of several, and with the new one at each change. */
  onStandbyHost?: (name: string) => void
  /** Called when writes are no longer possible: the process must end, and a new one reads the state from the disk. */
  onBroken?: (error: Error) => void
}

/**
 * Opens the configured engine at the required schema.
 * @throws NewerDatabaseError, OlderDatabaseError, OtherVersionError, Error in plain words for a failure of the disk, and the engine's
 * error when it cannot be reached
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = await openEngine(options)
  try {
    // Before the schema is read: the migrations that a later program may run depend on the announced servers.
    if (options.serves === true) await engine.announce()
    await bringToSchema(engine, options)
  } catch (error) {
    await engine.close()
    throw explainStoreError(error, options)
  }
  return withEngine(engine, options)
}

async function bringToSchema(
  engine: Engine,
  { schema = 'migrate', isFilled = false, upTo = SCHEMA_VERSION, clock, report }: DatabaseOptions,
): Promise<void> {
  if (!isFilled && (await engine.tables()).has(PROGRESS)) throw new Error(HALF)
  const { version } = await findSchema(engine)
  const mayMigrate = schema === 'migrate' || (schema === 'begin' && version === 0)
  const options = { migrations: MIGRATIONS.slice(0, Math.max(upTo, version)), now: clock.now(), report }
  await (mayMigrate ? migrate(engine, options) : requireSchema(engine, schema === 'exact'))
}

const HALF =
  'The rows of another database are on their way into this one, and not all of them are here. Repeat the same "postern move" or "postern restore" to its end.'

/**
 * Explains a failure of the embedded database's file in plain words; other errors are returned unchanged.
 */
export function explainStoreError(
  error: unknown,
  { dataDir, databaseUrl }: Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>,
): unknown {
  return databaseUrl === undefined ? explainSqliteError(error, join(dataDir, DATABASE_FILE)) : error
}

function withEngine(engine: Engine, { clock, onConnectionError }: DatabaseOptions): Database {
  const { channel, background, ...own } = engine
  const changes = createChanges()
  const notifier =
    channel === undefined ? NO_NOTIFIER : createNotifier(channel, { clock, onError: onConnectionError })
  const common = {
    ...own,
    ...changes.noted(own),
    reserved: changes.noted(own.reserved),
    patient: changes.noted(own.patient),
    onChanges: changes.listen,
    engine: engine.name,
    notifier,
    async close() {
      await notifier.close()
      await engine.close()
    },
  }
  const backgroundDatabase: Database = {
    ...common,
    ...changes.noted(background),
    get background() {
      return backgroundDatabase
    },
  }
  return { ...common, background: backgroundDatabase }
}

async function openEngine(options: DatabaseOptions): Promise<Engine> {
  const { dataDir, databaseUrl, databaseDirectUrl: directUrl, databasePool: size, clock } = options
  const { serves = false, onConnectionError, onBroken, onHost, onStandby, onStandbyHost } = options
  const standbyUrl = serves ? options.databaseStandbyUrl : undefined
  if (databaseUrl === undefined)
    return openSqlite(dataDir, { serves, onTrouble: onConnectionError, ...(onBroken && { onBroken }) })
  // Loaded on demand, because its driver takes memory that the embedded engine does not need.
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(databaseUrl, {
    directUrl,
    standbyUrl,
    clock,
    size,
    onConnectionError,
    onHost,
    onStandby,
    onStandbyHost,
  })
}
