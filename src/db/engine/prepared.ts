import { type Compilable, CompiledQuery } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import { checkedExecute } from './guard.ts'
import type { Db, Tx } from './handles.ts'

/** A placeholder in a query for a value of each execution. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Makes the placeholder of a value, typed as the value. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => P[K]

/** The names of prepared queries, by text. */
const names = new Map<string, string>()

/** The name under which a connection keeps a query, so that it is parsed once; undefined for a query that was not prepared. */
export function statementName(text: string): string | undefined {
  return names.get(text)
}

export type Built<Row> = Compilable<Row> | CompiledQuery<Row>

/**
 * Queries that select all columns. PostgreSQL refuses a kept query whose columns have changed, which happens when a later version
 * adds a column while this process runs. So no connection keeps such a query.
 */
const ALL_COLUMNS = /^\s*select (\* from "|"\w{1,63}"\.\*)|\breturning \*\s*$/

/** Compiles once for each query compiler, which is one an open database. */
function compiledOnce<Row>(build: (db: Db) => Built<Row>): (db: Db | Tx) => CompiledQuery<Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  return (db) => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known !== undefined) return known
    // The guard of a transaction checks queries that are executed, not built.
    const built = build(db.withoutPlugins())
    const { sql, parameters } = 'compile' in built ? built.compile() : built
    // The tree that it was compiled from is not kept: it is a hundred times as large as the text.
    const query = CompiledQuery.raw(sql, [...parameters]) as CompiledQuery<Row>
    compiled.set(adapter, query)
    if (!names.has(query.sql) && !ALL_COLUMNS.test(query.sql))
      names.set(query.sql, `postern_${names.size + 1}`)
    return query
  }
}

const READS = /^\s*select\b/

/** @param parameters a list of this execution alone, which is emptied after it */
async function execute<Row>(db: Db | Tx, query: CompiledQuery<Row>, parameters: unknown[]): Promise<Row[]> {
  const atOnce = checkedExecute(db, () => READS.test(query.sql))
  if (atOnce !== undefined) return atOnce(query.sql, parameters) as Row[]
  try {
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  } finally {
    // The driver may keep the list, but not the values in it.
    parameters.length = 0
  }
}

/**
 * A query of the hot path: built and compiled once an engine, executed with other values each time. Building a
 * query costs several times what SQLite needs to answer it.
 * @param build gets `parameter('name')` wherever a value goes
 * @returns executes it and answers the rows
 */
export function prepared<P extends object>() {
  return <Row>(
    build: (db: Db, parameter: Parameter<P>) => Built<Row>,
  ): ((db: Db | Tx, values: P) => Promise<Row[]>) => {
    const compiled = compiledOnce((db) => build(db, (name) => new Slot(name) as never))
    return (db, values) => {
      const query = compiled(db)
      const parameters = query.parameters.map((value) =>
        value instanceof Slot ? values[value.name as keyof P] : value,
      )
      return execute(db, query, parameters)
    }
  }
}

/** Rows of one statement at most, because engines limit the number of parameters. */
const MOST_ROWS = 50

const asMany = (rows: number) => Math.min(rows, MOST_ROWS)

/**
 * A query over a list of rows, compiled once for each length of the list.
 * @param build gets how many rows there are; its parameters must be `fixed` ones first, then those of each row in turn
 * @param cut how many of so many rows the next statement takes
 * @returns executes it for as many rows at a time as a statement takes, and answers all their rows
 */
export function preparedForRows<Row>(build: (db: Db, rows: number) => Built<Row>, cut = asMany) {
  const statements = new Map<number, (db: Db | Tx) => CompiledQuery<Row>>()
  function statement(size: number) {
    const known = statements.get(size)
    if (known !== undefined) return known
    const compiled = compiledOnce((db) => build(db, size))
    statements.set(size, compiled)
    return compiled
  }
  return async (db: Db | Tx, rows: unknown[][], fixed: unknown[] = []): Promise<Row[]> => {
    const answers: Row[][] = []
    for (let start = 0; start < rows.length; ) {
      const some = rows.slice(start, start + cut(rows.length - start))
      answers.push(await execute(db, statement(some.length)(db), [...fixed, ...some.flat()]))
      start += some.length
    }
    return answers.length === 1 ? (answers[0] ?? []) : answers.flat()
  }
}

/**
 * Inserts rows of one table, some at a time, with statements that are built once for each number of rows.
 * @param columns every column of the table
 */
export function preparedInsert<Name extends keyof Tables>(
  table: Name,
  columns: (keyof Tables[Name] & string)[],
): (tx: Tx, rows: Tables[Name][]) => Promise<void> {
  const row = Object.fromEntries(columns.map((name) => [name, null]))
  const insert = preparedForRows((db, size) =>
    db.insertInto(table).values(Array.from({ length: size }, () => row) as never),
  )
  return async (tx, rows) => {
    await insert(
      tx,
      rows.map((one) => columns.map((name) => one[name])),
    )
  }
}
