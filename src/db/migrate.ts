import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import type { Engine } from './engine/engine.ts'
import type { Db, Tx } from './engine/handles.ts'
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from './migrations/migrations.ts'

/** The schema of the database differs from this program's. */
class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError'
}

/** The database was written by a Postern so old that its schema cannot be brought to this program's. */
class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError'
}

/** The database was written by a newer Postern; starting would corrupt it. */
class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'
}

/** The row of `meta` with the version of the Postern that opened the database last. */
export const WRITER = 'version'

/** What a database says of its schema. */
interface Schema {
  /** The number of the last migration that it has had; 0 where it has had none. */
  version: number
  /** Whether its migrations are those from before the first release, which no release takes over. */
  isBeforeRelease: boolean
}

/**
 * Brings the schema to the last of `migrations`, in one transaction: all of it or nothing is done. Processes that start at the
 * same time wait for one another.
 * @param migrations of this program, in their order
 * @param report called with each step before it runs; once for a new database
 * @throws NewerDatabaseError, OlderDatabaseError; the database is unchanged then
 */
export async function migrate(
  engine: Engine,
  {
    migrations,
    now,
    report,
  }: { migrations: readonly Migration[]; now: Millis; report: (step: string) => void },
): Promise<void> {
  const { integer, table } = engine.dialect
  const last = migrations.length
  await engine.exclusively(async (tx) => {
    const run = (statement: string) => sql.raw(statement).execute(tx)
    await run(
      `create table if not exists migration (version ${integer} primary key, name text not null, applied_at ${integer} not null)${table}`,
    )
    await run(`create table if not exists meta (key text primary key, value text not null)${table}`)
    const present = await schemaOf(tx)
    const writer = await findWriter(tx)
    refuseUnknown(engine, present, { last, writer })
    if (present.version === 0) report(`schema ${last}, a new database`)
    for (const [index, { name, read }] of migrations.entries()) {
      const version = index + 1
      if (version <= present.version) continue
      if (present.version > 0) report(`schema ${version}/${last}: ${name}`)
      // First, so that a second process that passed the lock by mistake collides here.
      await sql`insert into migration (version, name, applied_at) values (${version}, ${name}, ${now})`.execute(
        tx,
      )
      const { statements } = await read()
      try {
        for (const statement of statements(engine.dialect)) await run(statement)
      } catch (error) {
        if (present.version === 0 || !engine.refusesStatement(error)) throw error
        throw new OlderDatabaseError(
          `The database was written by ${said(writer)} (schema version ${present.version}), and Postern ${VERSION} cannot bring it to ` +
            `schema version ${last}: step ${version} failed (${(error as Error).message}), and nothing was changed. ` +
            'Start the Postern that wrote it, or begin a new database elsewhere.',
          { cause: error },
        )
      }
    }
  })
}

/** @returns the version of Postern that opened the database last; undefined where none is recorded */
async function findWriter(db: Db | Tx): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', WRITER).executeTakeFirst()
  return row?.value
}

function said(writer: string | undefined): string {
  return writer === undefined ? 'an earlier Postern' : `Postern ${writer}`
}

/**
 * Refuses a database that has another schema than this program's; changes nothing.
 * @throws OtherVersionError, NewerDatabaseError, OlderDatabaseError
 */
export async function requireSchema(engine: Engine): Promise<void> {
  const present = await findSchema(engine)
  const { version } = present
  const writer = version > SCHEMA_VERSION ? await findWriter(engine.db) : undefined
  refuseUnknown(engine, present, { last: SCHEMA_VERSION, writer })
  if (version === 0)
    throw new OtherVersionError('The database is empty. Start Postern first, or run "npx postern migrate".')
  if (version < SCHEMA_VERSION)
    throw new OtherVersionError(
      `The database has schema version ${version}, this Postern works with ${SCHEMA_VERSION}. ` +
        'Make a backup with "npx postern backup", then start Postern, or run "npx postern migrate".',
    )
}

/** @returns what a database says of its schema, also where no migration has run yet */
export async function findSchema({ db, tables }: Pick<Engine, 'db' | 'tables'>): Promise<Schema> {
  const hasMigrations = (await tables()).has('migration')
  return hasMigrations ? schemaOf(db) : { version: 0, isBeforeRelease: false }
}

/** @throws OlderDatabaseError for data from before the first release, NewerDatabaseError for a schema past `last` */
function refuseUnknown(
  engine: Engine,
  { version, isBeforeRelease }: Schema,
  { last, writer }: { last: number; writer: string | undefined },
): void {
  if (isBeforeRelease)
    throw new OlderDatabaseError(
      `The database was written by a Postern from before the first release (schema version ${version} of that time), and Postern ${VERSION} ` +
        `cannot take its data over: begin with a new database by setting another ${engine.name === 'sqlite' ? 'DATA_DIR' : 'DATABASE_URL'}, ` +
        'or start the Postern that wrote it; nothing was changed.',
    )
  if (version <= last) return
  throw new NewerDatabaseError(
    `The database was written by ${writer === undefined ? 'a newer Postern' : said(writer)} (schema version ${version}); ` +
      `this one (Postern ${VERSION}) knows versions up to ${last}. ` +
      'Start the Postern that wrote it, or restore the backup made before the upgrade.',
  )
}

async function schemaOf(db: Db | Tx): Promise<Schema> {
  const { rows } = await sql<{ version: number; name: string }>`
    select version, name from migration order by version`.execute(db)
  const [first] = rows
  return {
    version: Number(rows.at(-1)?.version ?? 0),
    isBeforeRelease: first !== undefined && first.name !== MIGRATIONS[0]?.name,
  }
}
