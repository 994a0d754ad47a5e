import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Engine, Lockable, Tx } from './engine.ts'
import { guardDb, guardTx, insideTransaction, refuseNesting } from './guard.ts'
import type { Tables } from './tables.ts'

/** Any fixed number: every process that migrates asks for the same one. */
const MIGRATION_LOCK = 7_238_911_402

/** Connections of one process. */
const POOL_SIZE = 20

/** The scale-out engine: a PostgreSQL server, on which any number of processes work. */
export function openPostgres(databaseUrl: string, onConnectionError: (error: Error) => void): Engine {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'postern',
    types: {
      // Moments and counts are bigint there and safe integers here.
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === pg.types.builtins.INT8
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // An idle connection that the server closed: the next query opens another.
  pool.on('error', (error) => onConnectionError(withoutClient(error)))
  // One in use: its query or its transaction fails and tells. Unheard, this would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const connections = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

  const tx = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    refuseNesting()
    let committed = () => {}
    const value = await connections.transaction().execute(async (transaction) => {
      const guarded = guardTx(transaction)
      committed = guarded.committed
      try {
        return await insideTransaction(() => work(guarded.tx))
      } finally {
        guarded.end()
      }
    })
    committed()
    return value
  }

  return {
    name: 'postgres',
    dialect: { integer: 'bigint', bytes: 'bytea', table: '', volatile: 'unlogged', appendOnly },
    shared: true,
    db: guardDb(connections),
    tx,
    relaxed: (work) =>
      tx(async (tx) => {
        await sql`set local synchronous_commit = off`.execute(tx)
        return work(tx)
      }),
    skipLocked: <Query extends Lockable>(query: Query) => query.forUpdate().skipLocked() as Query,
    exclusively: (work) =>
      tx(async (tx) => {
        await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
        await work(tx)
      }),
    claimServer() {},
    async backup() {
      throw new Error(
        'PostgreSQL is backed up with its own tool: pg_dump --format=custom "$DATABASE_URL" > postern.dump',
      )
    },
    isUniqueViolation: (error) => (error as { code?: string } | null)?.code === '23505',
    close: () => connections.destroy(),
  }
}

function appendOnly(table: string): string[] {
  return [
    `create function ${table}_append_only() returns trigger language plpgsql
      as $$ begin raise exception '${table} is append-only'; end $$`,
    `create trigger ${table}_append_only before update or delete on ${table}
      for each row execute function ${table}_append_only()`,
  ]
}

/** The pool adds the whole connection to its error, with all that it holds: no line of a log. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client
  return error
}
