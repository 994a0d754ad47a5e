import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import type { Engine } from './engine/engine.ts'
import type { Db, Tx } from './engine/handles.ts'
import { floorOf, MIGRATIONS, type Migration, SCHEMA_VERSION } from './migrations/migrations.ts'

/** The database is empty, or has an older schema than this program. */
class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError'
}

/** The database was written by a version of Postern that is too old to migrate. */
class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError'
}

/** The database was written by a newer Postern; a start would corrupt it. */
class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'
}

/** The key in `meta` of the Postern version that opened the database last. */
export const WRITER = 'version'

/** Processes of an older Postern serve the database, and a migration would remove columns or tables that they need. */
class OlderProcessError extends Error {
  override readonly name = 'OlderProcessError'
}

/** The schema version of a database. */
interface Schema {
  /** The number of the last applied migration; 0 without one. */
  version: number
  /** The oldest version whose program can use the database; its own version where none is stored. */
  floor: number
  /** The stored floor. */
  keeps: number | undefined
  /** Whether its migrations are from before the first release; no release supports them. */
  isBeforeRelease: boolean
}

/**
 * Migrates the schema to the last of `migrations`, in one transaction. Concurrent calls wait for each other. A later schema that this
 * program can use stays unchanged.
 * @param migrations of this program, in order
 * @param report called with each step before it runs; once for a new database
 * @throws NewerDatabaseError, OlderDatabaseError, OlderProcessError; the database is then unchanged
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
  const reported = new Set<string>()
  /** The engine may repeat the transaction; each step is reported once. */
  const reportOnce = (step: string) => {
    if (!reported.has(step)) report(step)
    reported.add(step)
  }
  await engine.exclusively(async (tx) => {
    const run = (statement: string) => sql.raw(statement).execute(tx)
    await run(
      `create table if not exists migration (version ${integer} primary key, name text not null, applied_at ${integer} not null)${table}`,
    )
    await run(`create table if not exists meta (key text primary key, value text not null)${table}`)
    await run(`create table if not exists schema_floor (version ${integer} primary key)${table}`)
    const present = await schemaOf(tx, true)
    const writer = await findWriter(tx)
    refuseUnknown(engine, present, { last, writer })
    if (present.version > last) return
    const floor = floorOf(migrations)
    if (present.version > 0 && floor > floorOf(migrations.slice(0, present.version)))
      refuseBelow(await engine.lowestServer(tx), floor)
    if (present.version === 0) reportOnce(`schema ${last}, a new database`)
    for (const [index, { name, read }] of migrations.entries()) {
      const version = index + 1
      if (version <= present.version) continue
      if (present.version > 0) reportOnce(`schema ${version}/${last}: ${name}`)
      // First, so that a concurrent migration without the lock fails here on the primary key.
      await sql`insert into migration (version, name, applied_at) values (${version}, ${name}, ${now})`.execute(
        tx,
      )
      const { statements } = await read()
      try {
        for (const statement of engine.joined(statements(engine.dialect))) await run(statement)
      } catch (error) {
        if (present.version === 0 || !engine.refusesStatement(error)) throw error
        throw new OlderDatabaseError(
          `The database was written by ${nameOfWriter(writer)} (schema version ${present.version}), and Postern ${VERSION} cannot bring it to ` +
            `schema version ${last}: step ${version} failed (${(error as Error).message}), and nothing was changed. ` +
            'Start the Postern that wrote it, or begin a new database elsewhere.',
          { cause: error },
        )
      }
    }
    if (present.keeps === floor) return
    await sql`delete from schema_floor where version <> ${floor}`.execute(tx)
    await sql`insert into schema_floor (version) values (${floor}) on conflict (version) do nothing`.execute(
      tx,
    )
  })
}

/** @param lowest the lowest schema version of the running servers @throws OlderProcessError */
function refuseBelow(lowest: number | undefined, floor: number): void {
  if (lowest === undefined || lowest >= floor) return
  throw new OlderProcessError(
    `An older Postern (schema version ${lowest}) runs on this database, and Postern ${VERSION} needs a schema on which only programs of ` +
      `schema version ${floor} and later work: stop all older ones first; nothing was changed.`,
  )
}

/** @returns the version of Postern that opened the database last; undefined where none is recorded */
async function findWriter(db: Db | Tx): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', WRITER).executeTakeFirst()
  return row?.value
}

function nameOfWriter(writer: string | undefined): string {
  return writer === undefined ? 'an earlier Postern' : `Postern ${writer}`
}

/**
 * Refuses a database whose schema this program cannot use; changes nothing.
 * @param isExact whether every other schema version is refused, regardless of its floor
 * @throws OtherVersionError, NewerDatabaseError, OlderDatabaseError
 */
export async function requireSchema(engine: Engine, isExact = false): Promise<void> {
  const found = await findSchema(engine)
  const present = isExact ? { ...found, floor: found.version } : found
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

/** @returns the schema version of a database, also of an empty one */
export async function findSchema({ db, tables }: Pick<Engine, 'db' | 'tables'>): Promise<Schema> {
  const names = await tables()
  return names.has('migration')
    ? schemaOf(db, names.has('schema_floor'))
    : { version: 0, floor: 0, keeps: undefined, isBeforeRelease: false }
}

/** @throws OlderDatabaseError for data from before the first release, NewerDatabaseError for a schema past `last` */
function refuseUnknown(
  engine: Engine,
  { version, floor, isBeforeRelease }: Schema,
  { last, writer }: { last: number; writer: string | undefined },
): void {
  if (isBeforeRelease)
    throw new OlderDatabaseError(
      `The database was written by a Postern from before the first release (schema version ${version} of that time), and Postern ${VERSION} ` +
        `cannot take its data over: begin with a new database by setting another ${engine.name === 'sqlite' ? 'DATA_DIR' : 'DATABASE_URL'}, ` +
        'or start the Postern that wrote it; nothing was changed.',
    )
  if (isWithin({ version, floor }, last)) return
  throw new NewerDatabaseError(
    `The database was written by ${writer === undefined ? 'a newer Postern' : nameOfWriter(writer)} (schema version ${version}); ` +
      `this one (Postern ${VERSION}) knows versions up to ${last}${floor < version ? `, and works with none that asks for ${floor} or later` : ''}. ` +
      'Start the Postern that wrote it, or restore the backup made before the upgrade.',
  )
}

/** Whether a program with schema version `last` can use a schema. */
export function isWithin({ version, floor }: Pick<Schema, 'version' | 'floor'>, last: number): boolean {
  return version <= last || floor <= last
}

async function findFloor(db: Db | Tx): Promise<number | undefined> {
  const { rows } = await sql<{ version: number }>`select max(version) as version from schema_floor`.execute(
    db,
  )
  const version = rows[0]?.version ?? undefined
  return version === undefined ? undefined : Number(version)
}

async function schemaOf(db: Db | Tx, hasFloor: boolean): Promise<Schema> {
  const { rows } = await sql<{ version: number; name: string }>`
    select version, name from migration order by version`.execute(db)
  const [first] = rows
  const version = Number(rows.at(-1)?.version ?? 0)
  const keeps = hasFloor ? await findFloor(db) : undefined
  return {
    version,
    floor: keeps ?? version,
    keeps,
    isBeforeRelease: first !== undefined && first.name !== MIGRATIONS[0]?.name,
  }
}
