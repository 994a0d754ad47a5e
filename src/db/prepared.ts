import type { Compilable, CompiledQuery } from 'kysely'
import type { Db, Tx } from './engine.ts'
import { checkUse } from './guard.ts'
import type { Tables } from './tables.ts'

/** Stands in a query for a value that each execution brings. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Names a value of the query; to the query's types it is that value. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => P[K]

/**
 * A query of the hot path: built and compiled once an engine, executed with other values each time. Building a
 * query costs several times what SQLite needs to answer it.
 * @param build gets `parameter('name')` wherever a value goes
 * @returns executes it and answers the rows
 */
export function prepared<P extends object>() {
  return <Row>(
    build: (db: Db, parameter: Parameter<P>) => Compilable<Row> | CompiledQuery<Row>,
  ): ((db: Db | Tx, values: P) => Promise<Row[]>) => {
    /** One a query compiler, which is one an open database. */
    const compiled = new WeakMap<object, CompiledQuery<Row>>()
    return async (db, values) => {
      checkUse(db)
      const { adapter } = db.getExecutor()
      let query = compiled.get(adapter)
      if (query === undefined) {
        const built = build(db, (name) => new Slot(name) as never)
        query = 'compile' in built ? built.compile() : built
        compiled.set(adapter, query)
      }
      const parameters = query.parameters.map((value) =>
        value instanceof Slot ? values[value.name as keyof P] : value,
      )
      const { rows } = await db.executeQuery<Row>({ ...query, parameters })
      return rows
    }
  }
}

/** Rows written by one statement at most; engines bound the number of parameters. */
const MOST_ROWS = 50

/**
 * Inserts rows of one table, some at a time, with statements that are built once for each number of rows.
 * @param columns every column of the table
 */
export function preparedInsert<Name extends keyof Tables>(
  table: Name,
  columns: (keyof Tables[Name] & string)[],
) {
  const statements = new Map<number, ReturnType<ReturnType<typeof prepared<Record<string, unknown>>>>>()
  function statement(size: number) {
    const known = statements.get(size)
    if (known !== undefined) return known
    const rows = Array.from({ length: size }, (_, index) => index)
    const built = prepared<Record<string, unknown>>()((db, value) =>
      db
        .insertInto(table)
        .values(
          rows.map((row) =>
            Object.fromEntries(columns.map((name) => [name, value(`${row}.${name}`)])),
          ) as never,
        ),
    )
    statements.set(size, built)
    return built
  }
  return async (tx: Tx, rows: Tables[Name][]): Promise<void> => {
    for (let start = 0; start < rows.length; start += MOST_ROWS) {
      const some = rows.slice(start, start + MOST_ROWS)
      const values: Record<string, unknown> = {}
      for (const [index, row] of some.entries())
        for (const name of columns) values[`${index}.${name}`] = row[name]
      await statement(some.length)(tx, values)
    }
  }
}
