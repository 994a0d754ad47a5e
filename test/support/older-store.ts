import { sql } from 'kysely'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import type { Engine } from '#src/db/engine/engine.ts'
import type { Tx } from '#src/db/engine/handles.ts'
import { migrate } from '#src/db/migrate.ts'
import { MIGRATIONS } from '#src/db/migrations/migrations.ts'
import { openPostgres } from '#src/db/postgres/postgres.ts'
import { openSqlite } from '#src/db/sqlite/sqlite.ts'
import { type EngineName, freshStore } from './postern.ts'

/** The bare engine of a store that no server has open; to be closed. */
export function openEngine(store: Record<string, string>): Engine {
  const { dataDir, databaseUrl } = readConfig(store).store
  return databaseUrl === undefined
    ? openSqlite(dataDir)
    : openPostgres(databaseUrl, { clock: systemClock, onConnectionError: () => {} })
}

/** A store as the program of an earlier schema version left it, with the rows that `fill` writes. */
export async function olderStore(
  name: EngineName,
  version: number,
  fill: (tx: Tx) => Promise<void>,
): Promise<Record<string, string>> {
  const store = await freshStore(name)
  const engine = openEngine(store)
  await migrate(engine, { migrations: MIGRATIONS.slice(0, version), now: 0, report() {} })
  await engine.tx(fill)
  await engine.close()
  return store
}

/** A store with the migrations that programs from before the first release recorded, and a table of theirs. */
export async function storeBeforeRelease(name: EngineName, version: number): Promise<Record<string, string>> {
  const store = await freshStore(name)
  const engine = openEngine(store)
  const { integer, table } = engine.dialect
  await engine.exclusively(async (tx) => {
    for (const statement of [
      `create table migration (version ${integer} primary key, name text not null, applied_at ${integer} not null)${table}`,
      `create table meta (key text primary key, value text not null)${table}`,
      `create table organization (id text primary key, name text not null unique, plan text not null, deleted_at ${integer})${table}`,
      `insert into organization (id, name, plan) values ('org_1', 'Acme', 'free')`,
      `insert into meta (key, value) values ('version', '0.1.0')`,
    ])
      await sql.raw(statement).execute(tx)
    for (let step = 1; step <= version; step += 1) {
      const recorded = step === 1 ? 'foundation: access, mail and the delivery thread' : `step ${step}`
      await sql`insert into migration (version, name, applied_at) values (${step}, ${recorded}, 0)`.execute(
        tx,
      )
    }
  })
  await engine.close()
  return store
}
