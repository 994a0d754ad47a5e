import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import type { Engine } from './engine.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** What can be told of a database without changing it. */
export interface Inspection {
  engine: Engine['name']
  /** The schema's version; 0 where nothing was migrated yet. */
  version: number
  meta: Map<string, string>
  /** The moment of the newest entry of the audit log. */
  newestEntry: Millis | undefined
}

/**
 * Looks at a database, and migrates nothing.
 * @throws the engine's own error when it cannot be reached
 */
export async function inspectDatabase({
  dataDir,
  databaseUrl,
}: {
  dataDir: string
  databaseUrl: string | undefined
}): Promise<Inspection> {
  const engine = databaseUrl === undefined ? openSqlite(dataDir) : openPostgres(databaseUrl, () => {})
  try {
    const { name, db } = engine
    await sql`select 1 as one`.execute(db)
    const tables = new Set((await db.introspection.getTables()).map((table) => table.name))
    if (!tables.has('migration')) return { engine: name, version: 0, meta: new Map(), newestEntry: undefined }
    const { rows } = await sql<{
      version: number | null
    }>`select max(version) as version from migration`.execute(db)
    const meta = await db.selectFrom('meta').selectAll().execute()
    const newest = tables.has('audit')
      ? await db
          .selectFrom('audit')
          .select(({ fn }) => fn.max('created_at').as('at'))
          .executeTakeFirst()
      : undefined
    return {
      engine: name,
      version: Number(rows[0]?.version ?? 0),
      meta: new Map(meta.map(({ key, value }) => [key, value])),
      newestEntry: newest?.at ?? undefined,
    }
  } finally {
    await engine.close()
  }
}
