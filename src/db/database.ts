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
export { afterCommit } from './engine/guard.ts'
export type { Db, Tx } from './engine/handles.ts'
export {
  findWorkers,
  type Inspection,
  inspectConnectionPath,
  inspectDatabase,
  inspectDurability,
  inspectHosts,
} from './inspect.ts'
export { WRITER } from './migrate.ts'
export { SCHEMA_VERSION } from './migrations/migrations.ts'
export type { Handlers, Notifier } from './notifier.ts'
export { remedyOf } from './sqlite/errors.ts'
export { hasDatabase } from './sqlite/sqlite.ts'

/** What the database passes on from its engine. */
type OfEngine = Pick<
  Engine,
  'shared' | 'skipLocked' | 'reserved' | 'patient' | 'lookups' | 'textIndex' | 'reader' | 'host' | 'waiting'
> &
  Pick<Engine, 'claimServer' | 'claimAlone' | 'isUniqueViolation' | 'close'>

/**
 * The database, open and at this program's schema. `db` reads, `tx` writes; a transaction holds no hashing,
 * mail or network, because on the embedded engine all other writers wait for it.
 */
export interface Database extends Access, OfEngine {
  readonly engine: Engine['name']
  /** The same data for what works in the background: where connections are shared out, it has its own. */
  readonly background: Database
  readonly notifier: Notifier
  /** Calls a listener, the only one, with what each commit has changed that people may be looking at. */
  onChanges: Changes['listen']
}

export interface DatabaseOptions {
  dataDir: string
  databaseUrl: string | undefined
  /** The same database past a pooler, where one is in between. */
  databaseDirectUrl?: string | undefined
  /** Connections to PostgreSQL at most. */
  databasePool?: number
  clock: Clock
  /** Whether the process is to serve it: the embedded one is then claimed before it is opened. */
  serves?: boolean
  /**
   * `migrate` brings it to this program's schema, as a start does; `begin` does so where there is nothing yet; `require`
   * refuses a schema on which this program does not work, `exact` any other than this program's.
   */
  schema?: 'migrate' | 'begin' | 'require' | 'exact'
  /** Set by what fills it with the rows of another database; any other caller is refused until that has ended. */
  isFilled?: boolean
  /** The last version of the schema that it is brought to, for rows of an older one; this program's unless given. */
  upTo?: number
  /** Called with the name of each migration before it runs. */
  report: (step: string) => void
  /** Called with the errors of connections that broke while idle, and others that pass by themselves. */
  onConnectionError: (error: Error) => void
  /** Called with the host of PostgreSQL that is used first, of several, and with each that is used instead of another. */
  onHost?: (name: string, before: string | undefined) => void
  /** Called when nothing can be written any more: the process must end, and a new one find out what the disk holds. */
  onBroken?: (error: Error) => void
}

/**
 * Opens the engine that the configuration names, at this program's schema.
 * @throws NewerDatabaseError, OlderDatabaseError, OtherVersionError, Error in plain words for a failure of the disk, and the engine's own
 * error when it cannot be reached
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = await openEngine(options)
  try {
    // Before the schema is looked at: what a later program may do to it depends on who is there.
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
 * A failure of the embedded database's file in words that name it and say what to do; any other error as it is.
 * @param place the settings that it was opened with
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
  const behind: Database = {
    ...common,
    ...changes.noted(background),
    get background() {
      return behind
    },
  }
  return { ...common, background: behind }
}

async function openEngine(options: DatabaseOptions): Promise<Engine> {
  const { dataDir, databaseUrl, databaseDirectUrl: directUrl, databasePool: size, clock } = options
  const { serves = false, onConnectionError, onBroken, onHost } = options
  if (databaseUrl === undefined)
    return openSqlite(dataDir, { serves, onTrouble: onConnectionError, ...(onBroken && { onBroken }) })
  // Read only where it is used: its driver is memory that the embedded engine does not need.
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(databaseUrl, { directUrl, clock, size, onConnectionError, onHost })
}
