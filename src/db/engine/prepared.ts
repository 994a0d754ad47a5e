import { type Compilable, CompiledQuery } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import { checkedExecute } from './guard.ts'
import type { Db, Tx } from './handles.ts'

/** A placeholder for a value of each execution. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Makes a placeholder, with the type of its value. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => P[K]

/** The names of prepared queries, by text. */
const names = new Map<string, string>()

/** The name of a prepared statement, so that a connection parses it once; undefined for other queries. */
export function statementName(text: string): string | undefined {
  return names.get(text)
}

export type Built<Row> = Compilable<Row> | CompiledQuery<Row>

/**
 * Queries that select all columns. PostgreSQL refuses a prepared statement whose result columns have changed, as when a later version
 * adds a column while this process runs. So these are not prepared.
 */
const ALL_COLUMNS = /^\s*select (\* from "|"\w{1,63}"\.\*)|\breturning \*\s*$/

/** Compiles a query once per open database. */
function compiledOnce<Row>(build: (db: Db) => Built<Row>): (db: Db | Tx) => CompiledQuery<Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  return (db) => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known !== undefined) return known
    // Without the guards, which check executed queries.
    const built = build(db.withoutPlugins())
    const { sql, parameters } = 'compile' in built ? built.compile() : built
    // The syntax tree is dropped: it is a hundred times as large as the text.
    const query = CompiledQuery.raw(sql, [...parameters]) as CompiledQuery<Row>
    compiled.set(adapter, query)
    if (!names.has(query.sql) && !ALL_COLUMNS.test(query.sql))
      names.set(query.sql, `postern_${names.size + 1}`)
    return query
  }
}

const READS = /^\s*select\b/

/** @param parameters a list that no other execution uses; it is emptied afterwards */
async function execute<Row>(db: Db | Tx, query: CompiledQuery<Row>, parameters: unknown[]): Promise<Row[]> {
  const atOnce = checkedExecute(db, () => READS.test(query.sql))
  if (atOnce !== undefined) return atOnce(query.sql, parameters) as Row[]
  try {
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  } finally {
    // The driver may keep a reference to the list; emptying it frees the values.
    parameters.length = 0
  }
}

/**
 * Makes a query of the hot path, which is built and compiled once per engine. Building a query costs several times its execution on
 * SQLite.
 * @param build uses `parameter('name')` in place of each value
 * @returns executes the query and returns the rows
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

/** Rows of one statement, at most: engines limit the number of parameters. */
const MOST_ROWS = 50

const asMany = (rows: number) => Math.min(rows, MOST_ROWS)

/**
 * Makes a query over a list of rows, compiled once for each length of the list.
 * @param build receives the number of rows; its parameters are the `fixed` ones, then those of each row in turn
 * @param cut the number of rows of the next statement, for a number of remaining rows
 * @returns executes the query in as many statements as needed, and returns all rows
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
      answers.push(await execute(db, statement(some.length)(db), fixed.concat(...some)))
      start += some.length
    }
    return answers.length === 1 ? (answers[0] ?? []) : answers.flat()
  }
}

/**
 * Makes an insert into one table, with statements that are compiled once for each number of rows.
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
