import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import type { Dialect, Engine } from './engine/engine.ts'
import type { Db, Tx } from './engine/handles.ts'

interface Migration {
  name: string
  statements: (dialect: Dialect) => string[]
  /** What no statement can do, after them. */
  work?: (tx: Tx, engine: Engine) => Promise<void>
}

/** Forward only, never edited after a release; the position is the version. A start on today's schema reads none of them. */
export const MIGRATIONS: readonly (() => Promise<Migration>)[] = [
  () => import('./migrations/001-foundation.ts'),
  () => import('./migrations/002-billing.ts'),
  () => import('./migrations/003-connections.ts'),
  () => import('./migrations/004-light-references.ts'),
  () => import('./migrations/005-in-flight.ts'),
  () => import('./migrations/006-jobs.ts'),
  () => import('./migrations/007-files.ts'),
  () => import('./migrations/008-final-attempt.ts'),
  () => import('./migrations/009-knowledge.ts'),
  () => import('./migrations/010-shards.ts'),
  () => import('./migrations/011-agents.ts'),
  () => import('./migrations/012-mcp-servers.ts'),
  () => import('./migrations/013-charset-of-files.ts'),
  () => import('./migrations/014-shards-of-webhooks.ts'),
  () => import('./migrations/015-knowledge-counts.ts'),
  () => import('./migrations/016-terms-by-group.ts'),
  () => import('./migrations/017-answers-of-mail-servers.ts'),
  () => import('./migrations/018-streams.ts'),
  () => import('./migrations/019-reach-of-attempts.ts'),
  () => import('./migrations/020-replays-by-filter.ts'),
  () => import('./migrations/021-processes-of-workers.ts'),
  () => import('./migrations/022-disabled-organizations.ts'),
  () => import('./migrations/023-publishers.ts'),
  () => import('./migrations/024-open-runs.ts'),
  () => import('./migrations/025-names-of-organizations.ts'),
  () => import('./migrations/026-used-shares.ts'),
  () => import('./migrations/027-endpoint-paths.ts'),
  () => import('./migrations/028-ends-of-answers.ts'),
  () => import('./migrations/029-delivery-counts.ts'),
  () => import('./migrations/030-open-problems.ts'),
  () => import('./migrations/031-warnings-of-files.ts'),
  () => import('./migrations/032-terms-by-weight.ts'),
  () => import('./migrations/033-waits-for-files.ts'),
  () => import('./migrations/034-ended-connections.ts'),
  () => import('./migrations/035-former-members.ts'),
  () => import('./migrations/036-replacements-of-documents.ts'),
  () => import('./migrations/037-steps-together.ts'),
  () => import('./migrations/038-division-of-lanes.ts'),
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** The database has another schema than this program; what it asked for would fail, or harm it. */
export class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError'
}

/** The database was written by a Postern so old that its schema cannot be brought to this program's. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError'
}

/** The row of `meta` with the version of the Postern that opened the database last. */
export const WRITER = 'version'

/** The database was written by a newer Postern; starting would corrupt it. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'
}

/**
 * Brings the schema to this program's version. Processes that start at the same time wait for one another.
 * @param report called with each step before it runs; once for a new database
 * @throws NewerDatabaseError, OlderDatabaseError; the database is as it was then
 */
export async function migrate(engine: Engine, now: Millis, report: (step: string) => void): Promise<void> {
  await engine.exclusively(async (tx) => {
    await sql
      .raw(
        `create table if not exists migration (version ${engine.dialect.integer} primary key, name text not null, applied_at ${engine.dialect.integer} not null)${engine.dialect.table}`,
      )
      .execute(tx)
    await sql
      .raw(
        `create table if not exists meta (key text primary key, value text not null)${engine.dialect.table}`,
      )
      .execute(tx)
    const present = await versionOf(tx)
    const writer = await findWriter(tx)
    refuseNewer(present, writer)
    if (present === 0) report(`schema ${SCHEMA_VERSION}, a new database`)
    for (const [index, read] of MIGRATIONS.entries()) {
      const version = index + 1
      if (version <= present) continue
      const migration = await read()
      if (present > 0) report(`schema ${version}/${SCHEMA_VERSION}: ${migration.name}`)
      // First, so that a second process that got past the lock by mistake collides here.
      await sql`insert into migration (version, name, applied_at) values (${version}, ${migration.name}, ${now})`.execute(
        tx,
      )
      try {
        for (const statement of migration.statements(engine.dialect)) await sql.raw(statement).execute(tx)
        await migration.work?.(tx, engine)
      } catch (error) {
        if (present === 0 || !engine.refusesStatement(error)) throw error
        throw new OlderDatabaseError(
          `The database was written by ${said(writer)} (schema version ${present}), and Postern ${VERSION} cannot bring it to ` +
            `schema version ${SCHEMA_VERSION}: step ${version} failed (${(error as Error).message}), and nothing was changed. ` +
            'Start the Postern that wrote it, or begin a new database elsewhere.',
          { cause: error },
        )
      }
    }
  })
}

/** @returns the version of Postern that opened the database last; undefined where none has left it */
async function findWriter(db: Db | Tx): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', WRITER).executeTakeFirst()
  return row?.value
}

function said(writer: string | undefined): string {
  return writer === undefined ? 'an earlier Postern' : `Postern ${writer}`
}

/**
 * Refuses a database that has another schema than this program's; changes nothing.
 * @throws OtherVersionError, NewerDatabaseError
 */
export async function requireSchema(engine: Engine): Promise<void> {
  const present = await findVersion(engine.db)
  refuseNewer(present, present > SCHEMA_VERSION ? await findWriter(engine.db) : undefined)
  if (present === 0)
    throw new OtherVersionError('The database is empty. Start Postern first, or run "npx postern migrate".')
  if (present < SCHEMA_VERSION)
    throw new OtherVersionError(
      `The database has schema version ${present}, this Postern works with ${SCHEMA_VERSION}. ` +
        'Make a backup with "npx postern backup", then start Postern, or run "npx postern migrate".',
    )
}

/** The version of a database; 0 where nothing was migrated yet. */
export async function findVersion(db: Db): Promise<number> {
  const tables = await db.introspection.getTables()
  return tables.some(({ name }) => name === 'migration') ? versionOf(db) : 0
}

/** @throws NewerDatabaseError */
function refuseNewer(present: number, writer: string | undefined): void {
  if (present <= SCHEMA_VERSION) return
  throw new NewerDatabaseError(
    `The database was written by ${writer === undefined ? 'a newer Postern' : said(writer)} (schema version ${present}); ` +
      `this one (Postern ${VERSION}) knows versions up to ${SCHEMA_VERSION}. ` +
      'Start the Postern that wrote it, or restore the backup made before the upgrade.',
  )
}

async function versionOf(db: Db | Tx): Promise<number> {
  const { rows } = await sql<{
    version: number | null
  }>`select max(version) as version from migration`.execute(db)
  return Number(rows[0]?.version ?? 0)
}
