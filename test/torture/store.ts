import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'

export type EngineName = 'sqlite' | 'postgres'

/** An empty store of a run's own, and what the table holds, read past the server. */
export interface Store {
  env: Record<string, string>
  /** The PostgreSQL server that can be killed; undefined for the embedded store. */
  postgres: PostgresServer | undefined
  query<Row>(text: string): Promise<Row[]>
  remove(): Promise<void>
}

/** @param dataDir instead of a temporary folder that is removed afterwards */
export async function createStore(engine: EngineName, dataDir?: string): Promise<Store> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'postern-torture-'))
  chmodSync(folder, 0o700)
  const removeFolder = () => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', removeFolder)
  if (engine === 'sqlite') {
    return {
      env: { DATA_DIR: folder },
      postgres: undefined,
      async query(text) {
        const database = new DatabaseSync(join(folder, 'postern.db'), { readOnly: true, timeout: 10_000 })
        try {
          return database.prepare(text).all() as never[]
        } finally {
          database.close()
        }
      },
      remove: async () => removeFolder(),
    }
  }
  // What survives the death of the server must be on its disk: this one flushes.
  const postgres = await startPostgres({ isDurable: true })
  const url = `${postgres.url}/postgres`
  return {
    env: { DATA_DIR: folder, DATABASE_URL: url },
    postgres,
    async query(text) {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
    async remove() {
      await postgres.stop()
      removeFolder()
    },
  }
}
