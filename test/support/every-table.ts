import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { readConfig } from '#src/config/config.ts'
import { openSource } from '#src/db/copy-rows.ts'
import { createRowChecksum } from '#src/db/rows/row-checksum.ts'

/** Signs that a form of text has to escape, or that take several bytes. */
const AWKWARD = 'a\tb\\n\nc\r\b\f\v "q" \'s\' é 漢 🦊 \\N'
const BYTES = Uint8Array.from({ length: 300 }, (_, index) => index % 256)

interface Column {
  name: string
  type: string
  notnull: number
  pk: number
}

interface Reference {
  table: string
  from: string
  to: string | null
}

interface Table {
  name: string
  sql: string
  columns: Column[]
  references: Reference[]
}

/** Columns that are null where another one is not. */
const EITHER = new Set(['checkout.plan'])

/**
 * Writes two rows into every table of an embedded store, found by its schema: one with awkward values in every column, one with null
 * wherever it may be. References are to the rows of the same place.
 */
export function fillEveryTable(file: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const found = database
    .prepare(
      `select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'chunk_terms%'
        and name not in ('migration', 'schema_floor', 'meta', 'presence')`,
    )
    .all() as { name: string; sql: string }[]
  const tables = new Map(
    found.map(({ name, sql }): [string, Table] => [
      name,
      {
        ...{ name, sql },
        columns: database.prepare(`pragma table_info(${name})`).all() as unknown as Column[],
        references: database.prepare(`pragma foreign_key_list(${name})`).all() as unknown as Reference[],
      },
    ]),
  )
  database.exec('begin')
  for (const table of tables.values()) {
    const names = table.columns.map(({ name }) => `"${name}"`).join(', ')
    const insert = database.prepare(
      `insert into ${table.name} (${names}) values (${table.columns.map(() => '?').join(', ')})`,
    )
    for (const row of [1, 2])
      insert.run(...table.columns.map((column) => valueFor(column, table, row, tables)))
  }
  database.exec('commit')
  const broken = database.prepare('pragma foreign_key_check').all()
  database.close()
  if (broken.length > 0)
    throw new Error(`rows without the rows that they refer to: ${JSON.stringify(broken)}`)
}

function valueFor(
  column: Column,
  { name: table, sql, references }: Table,
  row: number,
  tables: ReadonlyMap<string, Table>,
): SQLInputValue {
  const { name, type, notnull, pk } = column
  if (EITHER.has(`${table}.${name}`)) return row === 2 ? `plan ${row}` : null
  if (row === 2 && notnull === 0 && pk === 0) return null
  const reference = references.find(({ from }) => from === name)
  const parent = reference && tables.get(reference.table)
  const referred = parent?.columns.find((one) =>
    reference?.to == null ? one.pk > 0 : one.name === reference.to,
  )
  if (parent !== undefined && referred !== undefined) return valueFor(referred, parent, row, tables)
  const [, choice] = new RegExp(String.raw`\b${name} in \('([^']+)'`).exec(sql) ?? []
  if (choice !== undefined) return choice
  switch (type) {
    case 'TEXT':
      return `${table} ${name} ${row} ${AWKWARD}`
    case 'REAL':
      return [0.000_001, 123_456_789.125][row - 1] ?? 0
    case 'BLOB':
      return BYTES
    default:
      // What a number of a row, or a number of 4 bytes on PostgreSQL, holds.
      return pk > 0 || name === 'publisher' ? 1_000 + row : Number.MAX_SAFE_INTEGER - row
  }
}

/** The sum of the rows of each table of a store. */
export async function everySum(env: Record<string, string>): Promise<Record<string, string>> {
  const source = await openSource(readConfig(env).store)
  const sums: Record<string, string> = {}
  for (const table of source.tables) {
    const sum = createRowChecksum()
    for await (const _ of source.read(table, sum));
    sums[table.name] = sum.text()
  }
  await source.close()
  return sums
}
