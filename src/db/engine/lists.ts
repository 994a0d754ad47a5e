import { PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import type { Db, Tx } from './handles.ts'
import { type Built, type Parameter, prepared, preparedForRows } from './prepared.ts'

/** The type of a column of a list. */
type Kind = 'text' | 'integer' | 'bytes'

/** The columns of a list of rows, in order. */
export type Columns<Row> = { [Name in keyof Row & string]: Kind }

/** The names of columns, for the statement that inserts them. */
export function namesOf<Row>(columns: Columns<Row>): RawBuilder<unknown> {
  return sql.join(Object.keys(columns).map((name) => sql.ref(name)))
}

/** The SQL that selects the rows of a list, with the columns in order. */
type List = RawBuilder<unknown>

/** Whether a parameter may be an array, so that one statement serves lists of every length. */
function takesLists(db: Db | Tx): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Rows of a statement that spells out its list, at most. */
const LONGEST = 32

/**
 * Each length of a spelt-out list needs a separate statement, and SQLite keeps it compiled: up to a hundred kilobytes for a long list of
 * wide rows. So only powers of two are used.
 */
function inFewLengths(rows: number): number {
  return Math.min(2 ** Math.floor(Math.log2(rows)), LONGEST)
}

/**
 * Makes a query over a list of rows, which is compiled once. On PostgreSQL each column is an array parameter. On SQLite the list is
 * spelt out, and a long list takes several statements.
 */
export function preparedForList<Row extends object, Answer = never>(
  columns: Columns<Row>,
  build: (db: Db, list: List) => Built<Answer>,
): (db: Db | Tx, rows: Row[]) => Promise<Answer[]> {
  const names = Object.keys(columns) as (keyof Row & string)[]
  const whole = prepared<Record<string, unknown>>()<Answer>((db, value) =>
    build(db, listOf('', columns, value)),
  )
  const short = preparedForRows<Answer>(
    (db, size) =>
      build(db, sql`values ${sql.join(Array.from({ length: size }, () => sql`(${sql.join(names)})`))}`),
    inFewLengths,
  )
  return async (db, rows) => {
    if (rows.length === 0) return []
    if (takesLists(db)) return whole(db, valuesOf('', columns, rows))
    return short(
      db,
      rows.map((row) => names.map((name) => row[name])),
    )
  }
}

/** Makes a query for rows by their ids. @returns the existing rows, by id */
export function preparedByIds<Row extends { id: string }>(
  build: (db: Db, list: List) => Built<Row>,
): (db: Db | Tx, ids: Iterable<Row['id']>) => Promise<Map<Row['id'], Row>> {
  const select = preparedForList<{ id: string }, Row>({ id: 'text' }, build)
  return async (db, ids) => {
    const rows = await select(
      db,
      [...new Set(ids)].map((id) => ({ id })),
    )
    return new Map(rows.map((row) => [row.id, row]))
  }
}

/** Makes a statement that inserts a list of rows into one table. */
export function preparedListInsert<Name extends keyof Tables & string>(
  table: Name,
  columns: Columns<Tables[Name]>,
): (db: Db | Tx, rows: Tables[Name][]) => Promise<never[]> {
  return preparedForList(columns, (db, list) => insertInto(table, columns, list).compile(db))
}

function insertInto(table: string, columns: Columns<object>, list: List): RawBuilder<never> {
  return sql`insert into ${sql.table(table)} (${namesOf(columns)}) ${list}`
}

/** The `on conflict` clauses of tables whose inserts need one. */
type Endings<Name extends string> = { [Each in Name]?: List }

/**
 * Makes inserts into several tables, in the order of the tables; on PostgreSQL they are one statement. Tables without rows are skipped.
 * @param condition checked in that statement, where its values are given
 * @param endings the `on conflict` clauses
 * @returns executes the inserts; false where the condition did not hold and nothing was written
 */
export function preparedListInserts<Name extends keyof Tables & string, Values extends object = never>(
  tables: {
    [Each in Name]: Columns<Tables[Each]>
  },
  condition: (value: Parameter<Values>) => RawBuilder<boolean> = () => sql<boolean>`true`,
  endings: Endings<Name> = {},
): (db: Db | Tx, rows: { [Each in Name]: Tables[Each][] }, values?: Values) => Promise<boolean> {
  const names = Object.keys(tables) as Name[]
  const endingOf = (name: Name): List => endings[name] ?? sql``
  const alone = new Map(
    names.map((name) => [
      name,
      preparedForList(tables[name], (db, list) =>
        sql<never>`${insertInto(name, tables[name], list)} ${endingOf(name)}`.compile(db),
      ),
    ]),
  )
  const insertTogether = once((some: Name[]) =>
    prepared<Record<string, unknown>>()((db, value) => {
      const inserts = some.map((name) => {
        const insert = insertInto(name, tables[name], listOf(name, tables[name], value))
        return sql`${insert} ${endingOf(name)}`
      })
      const before = inserts
        .slice(0, -1)
        .map((insert, index) => sql`${sql.id(`list_${index}`)} as (${insert})`)
      return sql`with ${sql.join(before)} ${inserts.at(-1)}`.compile(db)
    }),
  )
  // The condition is evaluated once, on the rows as they were when the statement began.
  const insertIf = once((some: Name[]) =>
    prepared<Record<string, unknown>>()<{ holds: boolean }>((db, value) => {
      const inserts = some.map((name) => {
        const insert = insertInto(name, tables[name], listOf(name, tables[name], value))
        return sql`${sql.id(`list_${name}`)} as (${insert} where (select holds from condition) ${endingOf(name)})`
      })
      const holds = condition(((name) => value(`if_${name}`)) as Parameter<Values>)
      return sql<{ holds: boolean }>`
        with condition as materialized (select ${holds} as holds), ${sql.join(inserts)}
        select holds from condition`.compile(db)
    }),
  )
  return async (db, rows, values) => {
    const some = names.filter((name) => rows[name].length > 0)
    if (values === undefined && (some.length < 2 || !takesLists(db))) {
      for (const name of some) await alone.get(name)?.(db, rows[name])
      return true
    }
    const lists = Object.assign({}, ...some.map((name) => valuesOf(name, tables[name], rows[name])))
    if (values === undefined) {
      await insertTogether(some)(db, lists)
      return true
    }
    for (const [name, value] of Object.entries(values)) lists[`if_${name}`] = value
    const [answer] = await insertIf(some)(db, lists)
    return answer?.holds === true
  }
}

/** Memoizes a statement by its choice of tables. */
function once<Name extends string, Made>(make: (some: Name[]) => Made): (some: Name[]) => Made {
  const made = new Map<string, Made>()
  return (some) => {
    const key = some.join(' ')
    const one = made.get(key) ?? make(some)
    made.set(key, one)
    return one
  }
}

/** Selects a list from array parameters. A bytes column is one binary parameter with offsets and sizes, because arrays are sent as text. */
function listOf<Row>(prefix: string, columns: Columns<Row>, value: Parameter<Record<string, unknown>>): List {
  const [answered, lists, aliases]: [List[], List[], List[]] = [[], [], []]
  for (const [name, kind] of Object.entries<Kind>(columns)) {
    if (kind === 'bytes') {
      const [at, size] = [sql.ref(`${name}_at`), sql.ref(`${name}_size`)]
      answered.push(sql`substring(${value(prefix + name)}::bytea from ${at} for ${size})`)
      lists.push(sql`${value(`${prefix}${name}_at`)}::int[]`, sql`${value(`${prefix}${name}_size`)}::int[]`)
      aliases.push(at, size)
    } else {
      answered.push(sql.ref(name))
      lists.push(sql`${value(prefix + name)}::${sql.raw(kind === 'text' ? 'text[]' : 'bigint[]')}`)
      aliases.push(sql.ref(name))
    }
  }
  return sql`select ${sql.join(answered)} from unnest(${sql.join(lists)}) as list (${sql.join(aliases)})`
}

/** The parameters of `listOf`. */
function valuesOf<Row extends object>(
  prefix: string,
  columns: Columns<Row>,
  rows: Row[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries<Kind>(columns)) {
    const column = rows.map((row) => row[name as keyof Row])
    if (kind !== 'bytes') {
      values[prefix + name] = literalOf(column as (string | number | null)[])
      continue
    }
    const parts = column as (Uint8Array | null)[]
    let end = 1
    values[`${prefix}${name}_at`] = literalOf(
      parts.map((bytes) => {
        const at = end
        end += bytes?.length ?? 0
        return bytes === null ? null : at
      }),
    )
    values[`${prefix}${name}_size`] = literalOf(parts.map((bytes) => bytes?.length ?? null))
    values[prefix + name] = Buffer.concat(parts.filter((bytes) => bytes !== null))
  }
  return values
}

/** An array literal of PostgreSQL. The driver's own function reads each character of each item twice. */
function literalOf(items: (string | number | null)[]): string {
  return `{${items.map((item) => (typeof item === 'string' ? quoted(item) : (item ?? 'NULL'))).join()}}`
}

function quoted(item: string): string {
  const isPlain = !item.includes('"') && !item.includes('\\')
  return `"${isPlain ? item : item.replace(/["\\]/g, '\\$&')}"`
}
