import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import type { Engine } from '#src/db/engine/engine.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import { MIGRATIONS } from '#src/db/migrate.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { openSqlite } from '#src/db/sqlite/sqlite.ts'
import { type EngineName, freshStore } from './postern.ts'

/** The bare engine of a store, which no server has open; to be closed. */
export function openEngine(store: Record<string, string>): Engine {
  const { dataDir, databaseUrl } = readConfig(store).store
  return databaseUrl === undefined
    ? openSqlite(dataDir)
    : openPostgres(databaseUrl, { clock: systemClock, onConnectionError: () => {} })
}

/** A store as the program of an earlier schema version left it, with what `fill` has put into it. */
export async function olderStore(
  name: EngineName,
  version: number,
  fill: (tx: Tx) => Promise<void>,
): Promise<Record<string, string>> {
  const store = await freshStore(name)
  const engine = openEngine(store)
  const { integer, table } = engine.dialect
  await engine.exclusively(async (tx) => {
    const run = (statement: string) => sql.raw(statement).execute(tx)
    await run(
      `create table migration (version ${integer} primary key, name text not null, applied_at ${integer} not null)${table}`,
    )
    await run(`create table meta (key text primary key, value text not null)${table}`)
    for (const [index, read] of MIGRATIONS.slice(0, version).entries()) {
      const { name, statements } = await read()
      await sql`insert into migration (version, name, applied_at) values (${index + 1}, ${name}, 0)`.execute(
        tx,
      )
      for (const statement of statements(engine.dialect)) await run(statement)
    }
    await fill(tx)
  })
  await engine.close()
  return store
}
