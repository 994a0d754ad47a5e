import { fdatasyncSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { backup, DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { SECOND, turn } from '../../core/clock.ts'
import { formatCopyLine, parseCopyLine, type Value } from '../rows/copy-line.ts'
import { isOwnTable } from '../rows/own-tables.ts'
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
import { explainSqliteError, hasNoRoom } from './errors.ts'

/** Characters of a piece. */
const PIECE = 256 * 1024

/** How long another process may lock the file while it recovers the log. */
const PATIENCE = 10 * SECOND

const TYPES: Record<string, ColumnType> = { TEXT: 'text', INTEGER: 'integer', REAL: 'real', BLOB: 'bytes' }

/** Pages of 4 KB that a copy writes before it flushes them. */
const STEP_PAGES = 1024

/**
 * Copies a snapshot of an embedded database to a file, while a server may write. It opens the database only by SQLite, so it may run in a
 * thread of the server: closing another descriptor of the file would release the server's locks. Each step is flushed, so that a commit of
 * the server, whose flush waits for the writes before it, waits for one step at most.
 * @param to an empty file
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  const written = await open(to, 'r+')
  try {
    await copyPages(from, to, () => fdatasyncSync(written.fd))
  } finally {
    await written.close()
  }
  const copy = new DatabaseSync(to)
  try {
    // One file, without a log beside it.
    copy.exec('pragma journal_mode=delete')
  } catch (error) {
    throw explainSqliteError(error, to)
  } finally {
    copy.close()
  }
}

/** @param flush called after each step */
async function copyPages(from: string, to: string, flush: () => void): Promise<void> {
  const database = openReading(from)
  try {
    // Without a transaction, a commit of the server between two steps would restart the copy, which would never end.
    database.exec('begin; select count(*) from sqlite_schema')
    await backup(database, to, { rate: STEP_PAGES, progress: flush })
  } catch (error) {
    throw explainSqliteError(error, hasNoRoom(error, to) ? to : from)
  } finally {
    database.close()
  }
}

/** Opens a file and reads a first page, which fails where the disk has no room for the shared memory. @throws Error in plain words */
function openReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE })
  try {
    database.prepare('select count(*) from sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    throw explainSqliteError(error, file)
  }
}

/** Opens a source in a snapshot, which a transaction holds until it is closed. @param file of the database */
export function sqliteSource(file: string): LiveSource {
  const database = openReading(file)
  let facts = begin(database)
  const first = commitOf(database)
  return {
    tables: tablesOf(database),
    others: [],
    get facts() {
      return facts
    },
    ...describe(database, facts),
    async renew() {
      database.exec('commit')
      facts = begin(database)
    },
    isUnchanged: async () => commitOf(database) === first,
    count: async ({ name }) => Number(database.prepare(`select count(*) as count from ${name}`).get()?.count),
    read: (table, sum) => readLines(database, table, sum),
    close: async () => database.close(),
  }
}

/** Begins a snapshot. @returns its rows of `meta`, by key */
function begin(database: DatabaseSync): Map<string, string> {
  database.exec('begin')
  const rows = database.prepare('select key, value from meta order by key').all()
  return new Map(rows.map(({ key, value }) => [String(key), String(value)]))
}

/** A number that differs between two snapshots of a connection if any other connection has committed in between. */
function commitOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma data_version').get()?.data_version)
}

/** Opens a target. No other process may have the database open. @param file of the database */
export function sqliteTarget(file: string): RowTarget {
  // Foreign keys are checked at the end (`conclude`).
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec('pragma synchronous=normal; pragma cache_size=-16000; pragma temp_store=memory')
  return {
    names: async () => tableNames(database),
    tables: async () => tablesOf(database),
    schema: async () => (tableNames(database).includes('migration') ? schemaOf(database).version : 0),
    async findProgress() {
      if (!tableNames(database).includes(PROGRESS)) return undefined
      const rows = database.prepare(`select name, sum from ${PROGRESS}`).all()
      const sums = new Map(rows.map(({ name, sum }) => [String(name), String(sum)]))
      const source = sums.get('') ?? ''
      sums.delete('')
      return { source, sums }
    },
    filled: async (tables) =>
      tables.filter((name) => database.prepare(`select 1 from ${name} limit 1`).get() !== undefined),
    async begin(source) {
      database.exec(`create table ${PROGRESS} (name text primary key, sum text not null) strict`)
      database.prepare(`insert into ${PROGRESS} values ('', ?)`).run(source)
    },
    async load(table, pieces, sum) {
      database.exec('begin immediate')
      try {
        await writeLines(database, table, pieces)
        const written = await sumOf(database, table)
        if (written.text() !== sum.text()) throw new MismatchError(table.name, sum.text(), written.text())
        database.prepare(`insert into ${PROGRESS} values (?, ?)`).run(table.name, sum.text())
        database.exec('commit')
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    async clear(tables) {
      inTransaction(database, () => {
        for (const { name } of tables) {
          // Append-only tables have triggers that refuse deletions.
          const triggers = database
            .prepare(`select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ?`)
            .all(name)
          for (const trigger of triggers) database.exec(`drop trigger ${trigger.name}`)
          database.exec(`delete from ${name}`)
          for (const trigger of triggers) database.exec(String(trigger.sql))
          database.prepare(`delete from ${PROGRESS} where name = ?`).run(name)
        }
      })
    },
    sum: (table) => sumOf(database, table),
    async conclude() {
      requireSound(database)
      database.exec(`pragma synchronous=full; pragma wal_checkpoint(truncate); drop table ${PROGRESS}`)
    },
    close: async () => database.close(),
  }
}

/** @throws Error where a foreign key refers to a missing row */
function requireSound(database: DatabaseSync): void {
  const [broken] = database.prepare('pragma foreign_key_check').all()
  if (broken !== undefined)
    throw new Error(`A row of ${broken.table} refers to a row of ${broken.parent} that is not there.`)
}

/**
 * Checks every page, index entry and foreign key of an embedded database.
 * @throws Error in plain words
 */
export function requireIntact(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const [found] = database.prepare('pragma integrity_check(1)').all()
    if (found?.integrity_check !== 'ok') throw new Error(`SQLite says of it: ${found?.integrity_check}.`)
    requireSound(database)
  } finally {
    database.close()
  }
}

function tableNames(database: DatabaseSync): string[] {
  return database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
    .all()
    .map(({ name }) => String(name))
}

function tablesOf(database: DatabaseSync): Table[] {
  const names = tableNames(database)
  const isOurs = isOwnTable(names.includes('migration') ? schemaOf(database).version : 0)
  // Programs that replicate the log may have their own tables.
  const tables = names.filter((name) => isCopied(name) && name !== PROGRESS && isOurs(name))
  return tables.map((name) => ({
    name,
    columns: database
      .prepare(`pragma table_info(${name})`)
      .all()
      .map(({ name: column, type }): Column => ({ name: String(column), type: typeOf(name, String(type)) })),
    parents: database
      .prepare(`pragma foreign_key_list(${name})`)
      .all()
      .map(({ table }) => String(table)),
  }))
}

function typeOf(table: string, declared: string): ColumnType {
  const type = TYPES[declared.toUpperCase()]
  if (type === undefined) throw new Error(`${table} has a column of the unknown type ${declared}`)
  return type
}

function describe(
  database: DatabaseSync,
  facts: ReadonlyMap<string, string>,
): Pick<RowSource, 'id' | 'schema'> {
  const { version, begunAt } = schemaOf(database)
  return { id: identityOf(facts, begunAt), schema: version }
}

function schemaOf(database: DatabaseSync): { version: number; begunAt: string } {
  const row = database.prepare('select max(version) as version, min(applied_at) as at from migration').get()
  return { version: Number(row?.version ?? 0), begunAt: String(row?.at) }
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate')
  try {
    work()
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

async function sumOf(database: DatabaseSync, table: Table): Promise<RowChecksum> {
  const sum = createRowChecksum()
  for await (const _ of readLines(database, table, sum));
  return sum
}

async function* readLines(
  database: DatabaseSync,
  { name, columns }: Table,
  sum: RowChecksum,
): AsyncGenerator<Buffer> {
  const statement = database.prepare(`select ${namesOf(columns)} from ${name}`)
  statement.setReturnArrays(true)
  let piece = ''
  for (const values of statement.iterate()) {
    const line = formatCopyLine(values as unknown as Value[])
    sum.add(line)
    piece += line
    if (piece.length < PIECE) continue
    yield Buffer.from(piece)
    piece = ''
    await turn()
  }
  if (piece !== '') yield Buffer.from(piece)
}

async function writeLines(
  database: DatabaseSync,
  table: Table,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  const { name, columns } = table
  const insert = database.prepare(
    `insert into ${name} (${namesOf(columns)}) values (${columns.map(() => '?').join(', ')})`,
  )
  for await (const piece of pieces) {
    const lines = piece.toString().split('\n')
    // Pieces are complete lines, so the text after the last line end is empty.
    lines.pop()
    for (const line of lines) insert.run(...(parseCopyLine(line, table) as SQLInputValue[]))
    await turn()
  }
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}
