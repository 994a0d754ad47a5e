import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts'
import { RAW_FILE } from './raw-store.ts'

export type EngineName = 'sqlite' | 'postgres'
export const ENGINE_NAMES: EngineName[] = ['sqlite', 'postgres']

/** An empty store, with queries that bypass the server. */
export interface Store {
  engine: EngineName
  /** Where the server finds it. */
  env: Record<string, string>
  query<Row>(text: string): Promise<Row[]>
  /** Writes many rows directly, without waiting for the disk. */
  seed(statements: Iterable<string>): Promise<void>
  remove(): Promise<void>
}

const folders = new Set<string>()
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** One server for all stores; it flushes, as a user's does. */
let postgres: Promise<PostgresServer> | undefined
let made = 0

export async function createStore(engine: EngineName): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  chmodSync(folder, 0o700)
  folders.add(folder)
  const store = engine === 'sqlite' ? sqliteStore(folder) : await postgresStore()
  return {
    engine,
    ...store,
    env: { DATA_DIR: folder, ...store.env },
    async remove() {
      await store.remove()
      folders.delete(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Ends what the stores shared. */
export async function endStores(): Promise<void> {
  await (await postgres)?.stop()
}

function sqliteStore(folder: string): Omit<Store, 'engine'> {
  const open = (readOnly: boolean) => {
    const file = ['postern.db', RAW_FILE].map((name) => join(folder, name)).find(existsSync)
    return new DatabaseSync(file ?? '', { readOnly, timeout: 10_000 })
  }
  return {
    env: {},
    async query(text) {
      const database = open(true)
      try {
        return database.prepare(text).all() as never[]
      } finally {
        database.close()
      }
    },
    async seed(statements) {
      const database = open(false)
      database.exec('pragma synchronous=off; pragma cache_size=-256000; begin')
      for (const statement of statements) database.exec(statement)
      database.exec('commit; pragma wal_checkpoint(truncate)')
      database.close()
      // Else the system would write it out while something is measured.
      execFileSync('sync')
    },
    remove: async () => {},
  }
}

async function postgresStore(): Promise<Omit<Store, 'engine'>> {
  postgres ??= startPostgres({ isDurable: true, counts: true })
  const { url } = await postgres
  made += 1
  const name = `bench_${made}`
  const within = async <T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: `${url}/${database}` })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  await within('postgres', (client) => client.query(`create database ${name}`))
  await within(name, (client) => client.query('create extension pg_stat_statements'))
  // Kept open: a connection costs PostgreSQL more than most of the measured work.
  const asking = new pg.Client({ connectionString: `${url}/${name}` })
  // A bench that ends by an error ends the server first.
  asking.on('error', () => {})
  await asking.connect()
  return {
    env: { DATABASE_URL: `${url}/${name}` },
    query: async (text) => (await asking.query(text)).rows,
    seed: (statements) =>
      within(name, async (client) => {
        // In this role PostgreSQL does not check the references of each row.
        await client.query('set session_replication_role = replica; set synchronous_commit = off; begin')
        for (const statement of statements) await client.query(statement)
        await client.query('commit')
        await client.query('vacuum analyze')
        await client.query('checkpoint')
        execFileSync('sync')
      }),
    async remove() {
      await asking.end()
      await within('postgres', (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}
