import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '#src/core/clock.ts'
import { openDatabase } from '#src/db/database.ts'

/**
 * A store at this program's schema with nothing in it. To make one takes PostgreSQL as long as many a test takes; a copy is
 * made in a sixth of that. That an empty store is brought to the schema is what `migrations.test.ts` is about.
 */
const TEMPLATE = 'postern_template'

/** Where the run has kept both (`test/run.ts`). */
const MADE = process.env.POSTERN_TEST_TEMPLATES

/** Makes both, for all files of a run. @returns what the run tells its files */
export async function makeTemplates(server: string): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-template-'))
  await bringToSchema({ dataDir: folder, databaseUrl: undefined })
  await makeDatabase(server)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function bringToSchema(store: { dataDir: string; databaseUrl: string | undefined }): Promise<void> {
  const options = { clock: systemClock, report() {}, onConnectionError() {} }
  await (await openDatabase({ ...store, ...options })).close()
}

async function makeDatabase(server: string): Promise<void> {
  await onServer(server, `create database ${TEMPLATE}`)
  await bringToSchema({ dataDir: tmpdir(), databaseUrl: `${server}/${TEMPLATE}` })
}

/** Brings an empty folder to the schema. */
export async function copyFolder(dataDir: string): Promise<void> {
  if (MADE === undefined) return bringToSchema({ dataDir, databaseUrl: undefined })
  cpSync(MADE, dataDir, { recursive: true })
}

let own: Promise<void> | undefined

/** Makes a database of that name, at the schema. */
export async function copyDatabase(server: string, name: string): Promise<void> {
  if (MADE === undefined) {
    own ??= makeDatabase(server)
    await own
  }
  // As files: the other way writes each page to the log as well.
  await onServer(server, `create database ${name} template ${TEMPLATE} strategy file_copy`)
}

/** Drops those of some databases that nothing is connected to, so that a run needs the room of few at a time. */
export async function dropUnused(server: string, names: string[]): Promise<void> {
  await onServer(server, async (client) => {
    const unused = `select datname from pg_database where datname = any ($1)
      and not exists (select from pg_stat_activity where pg_stat_activity.datname = pg_database.datname)`
    for (const { datname } of (await client.query(unused, [names])).rows)
      await client.query(`drop database ${datname}`)
  })
}

/** Lets a server do something that concerns no database. */
export async function onServer(
  url: string,
  work: string | ((client: pg.Client) => Promise<void>),
): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  try {
    await (typeof work === 'string' ? client.query(work) : work(client))
  } finally {
    await client.end()
  }
}
