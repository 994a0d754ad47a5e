import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Execute } from '../engine/guard.ts'
import type { Db } from '../engine/handles.ts'

/** Prepared statements per connection: more than the program has. */
const MOST_STATEMENTS = 500

/** A prepared statement. Whether it returns rows is stored, because reading its columns costs as much as a small query. */
interface Prepared {
  statement: StatementSync
  answersRows: boolean
}

/**
 * Makes a statement return integers as `bigint`. SQLite returns the last insert id with every statement, and a text index has ids beyond
 * the safe integers: as a number, each later statement of the connection would throw.
 */
export function withBigInts(statement: StatementSync): StatementSync {
  statement.setReadBigInts(true)
  return statement
}

/** Kysely's connection over node:sqlite, with cached prepared statements. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements = createBoundedMap<string, Prepared>(MOST_STATEMENTS)

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, answersRows } = this.#prepare(sql)
    const values = parameters as SQLInputValue[]
    if (answersRows) return { rows: statement.all(...values) as Row[] }
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  readonly execute: Execute = (sql, parameters) => {
    const { statement, answersRows } = this.#prepare(sql)
    const values = parameters as SQLInputValue[]
    if (answersRows) return statement.all(...values) as object[]
    statement.run(...values)
    return []
  }

  // biome-ignore lint/correctness/useYield: Kysely requires the method, and nothing here streams.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('the embedded engine does not stream')
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    const answersRows = statement.columns().length > 0
    if (!answersRows) withBigInts(statement)
    const prepared = { statement, answersRows }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/** Disables Kysely's mutex: the writer's queue orders the writes, and reads need no mutex. */
class UnlockedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export function sqliteDialect(connection: SqliteConnection): Dialect {
  const refuse = async () => {
    throw new Error('transactions are opened by Engine.tx')
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    destroy: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
  }
  return {
    createAdapter: () => new UnlockedAdapter(),
    createDriver: () => driver,
    createIntrospector: (db: Db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}
