import type pg from 'pg'
import { SCHEMA_VERSION } from '../migrations/migrations.ts'
import { formatCopyLine, parseCopyLine } from '../rows/copy-line.ts'
import { isOwnTable } from '../rows/own-tables.ts'
import { readAhead } from '../rows/read-ahead.ts'
import { createRowChecksum, type RowChecksum } from '../rows/row-checksum.ts'
import {
  identityOf,
  type LiveSource,
  MismatchError,
  PROGRESS,
  type RowSource,
  type RowTarget,
} from '../rows/source-target.ts'
import { type Column, type ColumnType, isCopied, type Table } from '../rows/table.ts'
import { copyLines, eachLine, sendLines } from './copy-lines.ts'
import { dropIndexes } from './drop-indexes.ts'
import { createHosts } from './hosts.ts'

const TYPES: Record<string, ColumnType> = {
  text: 'text',
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'real',
  bytea: 'bytes',
}

/** A table with at least this many bytes of rows gets its indexes after its rows. */
const MANY = 2 ** 20

/** The settings for a fixed text format of rows, and no timeouts. */
const SETTINGS = [
  "set client_encoding = 'UTF8'",
  "set bytea_output = 'hex'",
  'set extra_float_digits = 1',
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
].join('; ')

/** Opens a source in a snapshot, which the connection holds until it is closed. @param url the address without a pooler */
export async function postgresSource(url: string): Promise<LiveSource> {
  const client = await connect(url)
  try {
    let facts = await begin(client)
    const first = await oldestOpen(client)
    const about = await describe(client, facts)
    const { tables, others } = apart(await foundTables(client), about.schema)
    return {
      ...{ tables: tables.map(typed), others, ...about },
      get facts() {
        return facts
      },
      async renew() {
        await client.query('commit')
        facts = await begin(client)
      },
      async isUnchanged({ name }, rows) {
        // An insert and an update write a new row version; a delete lowers the count.
        const { rows: found } = await client.query<{ count: string; added: string }>(
          `select count(*) as count, count(*) filter (where age(xmin) <= age($1::xid)) as added from "${name}"`,
          [first],
        )
        return Number(found[0]?.added) === 0 && Number(found[0]?.count) === rows
      },
      async count({ name }) {
        const { rows } = await client.query<{ count: string }>(`select count(*) as count from "${name}"`)
        return Number(rows[0]?.count)
      },
      read: (table, sum) => readLines(client, table, sum),
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Begins a snapshot. @returns its rows of `meta`, by key */
async function begin(client: pg.Client): Promise<Map<string, string>> {
  await client.query('begin isolation level repeatable read read only')
  const { rows } = await client.query<{ key: string; value: string }>(
    'select key, value from meta order by key',
  )
  return new Map(rows.map(({ key, value }) => [key, value]))
}

/**
 * The oldest transaction that is open in the snapshot, or the next one. Every row version that is committed
 * after the snapshot is of that transaction or a later one.
 */
async function oldestOpen(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::xid::text as id',
  )
  return String(rows[0]?.id)
}

/** Opens a target. @param url the address without a pooler */
export async function postgresTarget(url: string): Promise<RowTarget> {
  const client = await connect(url)
  const tables = () => tablesOf(client)

  /** Sets the identity sequences of a table after the highest copied value. */
  async function advanceSequences({ name }: Table): Promise<void> {
    const { rows } = await client.query<{ column: string }>(
      `select attname as column from pg_attribute where attrelid = $1::regclass and attidentity <> '' and not attisdropped`,
      [`"${name}"`],
    )
    for (const { column } of rows)
      await client.query(
        `select setval(pg_get_serial_sequence($1, $2), coalesce(max("${column}"), 0) + 1, false) from "${name}"`,
        [`"${name}"`, column],
      )
  }

  return {
    names: () => tableNames(client),
    tables,
    schema: async () =>
      (await tableNames(client)).includes('migration') ? (await schemaOf(client)).version : 0,
    async findProgress() {
      const { rows: there } = await client.query<{ name: string | null }>('select to_regclass($1) as name', [
        PROGRESS,
      ])
      if (there[0]?.name == null) return undefined
      const { rows } = await client.query<{ name: string; sum: string }>(`select name, sum from ${PROGRESS}`)
      const sums = new Map(rows.map(({ name, sum }) => [name, sum]))
      const source = sums.get('') ?? ''
      sums.delete('')
      return { source, sums }
    },
    async filled(tables) {
      const names: string[] = []
      for (const name of tables) {
        const { rowCount } = await client.query(`select 1 from "${name}" limit 1`)
        if ((rowCount ?? 0) > 0) names.push(name)
      }
      return names
    },
    async begin(source) {
      await client.query('begin')
      await client.query(`create table ${PROGRESS} (name text primary key, sum text not null)`)
      await client.query(`insert into ${PROGRESS} values ('', $1)`, [source])
      await client.query('commit')
    },
    async load(table, pieces, sum) {
      await client.query('begin')
      try {
        const { isLonger, pieces: all } = await readAhead(pieces, MANY)
        const recreate = isLonger ? await dropIndexes(client, table.name) : undefined
        await sendLines(client, `copy "${table.name}" (${namesOf(table.columns)}) from stdin`, all)
        await recreate?.()
        const written = await sumOf(client, table)
        if (written.text() !== sum.text()) throw new MismatchError(table.name, sum.text(), written.text())
        await advanceSequences(table)
        await client.query(`insert into ${PROGRESS} values ($1, $2)`, [table.name, sum.text()])
        await client.query('commit')
      } catch (error) {
        // A lost connection has rolled back already.
        await client.query('rollback').catch(() => {})
        throw error
      }
    },
    async clear(tables) {
      await client.query('begin')
      try {
        // Unlike `delete`, `truncate` does not fire the triggers of append-only tables.
        await client.query(`truncate ${tables.map(({ name }) => `"${name}"`).join(', ')}`)
        await client.query(`delete from ${PROGRESS} where name = any($1)`, [tables.map(({ name }) => name)])
        await client.query('commit')
      } catch (error) {
        await client.query('rollback').catch(() => {})
        throw error
      }
    },
    sum: (table) => sumOf(client, table),
    async conclude() {
      for (const { name } of await tables()) await client.query(`analyze "${name}"`)
      await client.query(`drop table ${PROGRESS}`)
    },
    close: () => client.end(),
  }
}

async function connect(url: string): Promise<pg.Client> {
  // An error of the connection also fails the running query, so it needs no listener.
  const { client } = await createHosts(url).connect({ application_name: 'postern rows' })
  await client.query(SETTINGS)
  return client
}

/** The tables of the schema, except those of extensions. */
const TABLES = `relkind in ('r', 'p', 'f') and relnamespace = current_schema()::regnamespace
  and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`

async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where ${TABLES} order by relname`,
  )
  return rows.map(({ name }) => name)
}

/** A table in the catalogue, with its types unparsed, because only those of copied tables are known. */
interface FoundTable {
  name: string
  columns: { name: string; type: string }[]
  parents: string[]
}

/** Separates the tables of Postern from those of other programs. */
function apart(found: FoundTable[], schema: number): { tables: FoundTable[]; others: string[] } {
  const isOwn = isOwnTable(schema)
  const isOurs = ({ name }: FoundTable) => isOwn(name)
  return { tables: found.filter(isOurs), others: found.filter((one) => !isOurs(one)).map(({ name }) => name) }
}

function typed({ name, columns, parents }: FoundTable): Table {
  return { name, columns: columns.map((one) => ({ name: one.name, type: typeOf(name, one.type) })), parents }
}

async function tablesOf(client: pg.Client): Promise<Table[]> {
  return apart(await foundTables(client), SCHEMA_VERSION).tables.map(typed)
}

async function foundTables(client: pg.Client): Promise<FoundTable[]> {
  const { rows: columns } = await client.query<{ name: string; column: string; type: string }>(`
    select relname as name, attname as column, format_type(atttypid, atttypmod) as type
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where ${TABLES} and attnum > 0 and not attisdropped
    order by relname, attnum`)
  const { rows: references } = await client.query<{ name: string; parent: string }>(`
    select child.relname as name, parent.relname as parent
    from pg_constraint join pg_class as child on child.oid = conrelid join pg_class as parent on parent.oid = confrelid
    where contype = 'f' and child.relnamespace = current_schema()::regnamespace`)
  const byTable = Map.groupBy(columns, ({ name }) => name)
  return [...byTable]
    .filter(([name]) => isCopied(name) && name !== PROGRESS)
    .map(([name, found]) => ({
      name,
      columns: found.map(({ column, type }) => ({ name: column, type })),
      parents: references.filter((one) => one.name === name).map(({ parent }) => parent),
    }))
}

function typeOf(table: string, declared: string): ColumnType {
  const type = TYPES[declared]
  if (type === undefined) throw new Error(`${table} has a column of the unknown type ${declared}`)
  return type
}

async function describe(
  client: pg.Client,
  facts: ReadonlyMap<string, string>,
): Promise<Pick<RowSource, 'id' | 'schema'>> {
  const { version, begunAt } = await schemaOf(client)
  return { id: identityOf(facts, begunAt), schema: version }
}

async function schemaOf(client: pg.Client): Promise<{ version: number; begunAt: string }> {
  const { rows } = await client.query<{ version: string | null; at: string | null }>(
    'select max(version) as version, min(applied_at) as at from migration',
  )
  return { version: Number(rows[0]?.version ?? 0), begunAt: String(rows[0]?.at) }
}

async function sumOf(client: pg.Client, table: Table): Promise<RowChecksum> {
  const sum = createRowChecksum()
  await eachLine(client, copyOf(table), adder(table, sum))
  return sum
}

function readLines(client: pg.Client, table: Table, sum: RowChecksum): AsyncGenerator<Buffer> {
  return copyLines(client, copyOf(table), adder(table, sum))
}

function copyOf({ name, columns }: Table): string {
  return `copy (select ${namesOf(columns)} from "${name}") to stdout`
}

function adder(table: Table, sum: RowChecksum): (line: Uint8Array) => void {
  const hasReals = table.columns.some(({ type }) => type === 'real')
  return (line) => sum.add(hasReals ? withPlainReals(line, table) : line)
}

/** Formats a line as the embedded engine does, because the engines format fractions differently. */
function withPlainReals(line: Uint8Array, table: Table): string {
  return formatCopyLine(parseCopyLine(Buffer.from(line).toString(), table))
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}
