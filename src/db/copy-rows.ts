import { join } from 'node:path'
import { createRowChecksum, type RowChecksum } from './rows/row-checksum.ts'
import type { LiveSource, RowSource, RowTarget } from './rows/source-target.ts'
import { isCopied, matchTables, type Table, withChildren } from './rows/table.ts'
import { sqliteSource, sqliteTarget } from './sqlite/rows.ts'
import { DATABASE_FILE, findDatabaseFile } from './sqlite/sqlite.ts'

export { copySqlite, requireIntact } from './sqlite/rows.ts'

/** The settings of a database. */
interface DatabaseSettings {
  dataDir: string
  databaseUrl: string | undefined
  databaseDirectUrl?: string | undefined
}

/** The target has tables or rows that are not of an earlier run from the same installation. */
export class OccupiedError extends Error {
  override readonly name = 'OccupiedError'
}

/** A copied table. */
interface CopiedTable {
  table: string
  rows: number
  /** Whether an earlier run copied the rows, and they have not changed. */
  isEarlier: boolean
}

type Report = (carried: CopiedTable) => void

/** Opens the file of an embedded database, such as a backup, as a source. */
export const openCopy = sqliteSource

/** Opens a database as a source, in a snapshot of this moment. */
export async function openSource({
  dataDir,
  databaseUrl,
  databaseDirectUrl,
}: DatabaseSettings): Promise<LiveSource> {
  if (databaseUrl === undefined) return sqliteSource(join(dataDir, DATABASE_FILE))
  const { postgresSource } = await import('./postgres/rows.ts')
  return postgresSource(databaseDirectUrl ?? databaseUrl)
}

/** Opens a database as a target. */
export async function openTarget({
  dataDir,
  databaseUrl,
  databaseDirectUrl,
}: DatabaseSettings): Promise<RowTarget> {
  if (databaseUrl === undefined) return sqliteTarget(join(dataDir, DATABASE_FILE))
  const { postgresTarget } = await import('./postgres/rows.ts')
  return postgresTarget(databaseDirectUrl ?? databaseUrl)
}

/**
 * Checks that rows of `source` may be copied to a database, and changes nothing.
 * @returns whether an earlier run from the same source has begun
 * @throws OccupiedError, or the engine's error when it cannot be reached
 */
export async function requireEmptyTarget(source: RowSource, place: DatabaseSettings): Promise<boolean> {
  const file = place.databaseUrl === undefined ? findDatabaseFile(place.dataDir) : ''
  if (file === undefined) return false
  if (file !== '' && file !== join(place.dataDir, DATABASE_FILE))
    throw new OccupiedError(`it has a part of a database (${file})`)
  const target = await openTarget(place)
  try {
    const progress = await target.findProgress()
    if (progress !== undefined && progress.source !== source.id)
      throw new OccupiedError('it holds a part of another installation, or of this one under another key')
    if (progress !== undefined) return true
    const names = await target.names()
    const known = new Set(names.includes('migration') ? source.tables.map(({ name }) => name) : [])
    const others = names.filter((name) => isCopied(name) && !known.has(name))
    if (others.length > 0) throw new OccupiedError(`it has other tables (${listNames(others)})`)
    const filled = await target.filled([...known].filter((name) => names.includes(name)))
    if (filled.length > 0) throw new OccupiedError(`it has rows of its own (in ${listNames(filled)})`)
    return false
  } finally {
    await target.close()
  }
}

function listNames(names: readonly string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`
}

/**
 * Copies the rows of all tables, each table in one transaction in which its checksum is verified. After an interrupted run it keeps the
 * tables whose source rows have not changed, and copies all others again. The caller calls `conclude`.
 * @param present called once all tables are copied; it may renew the snapshot of the source, with which all tables are compared
 * @param report called with each copied table
 * @returns the number of rows in the target
 * @throws OccupiedError, MismatchError
 */
export async function copyRows(
  source: RowSource,
  target: RowTarget,
  { present, report }: { present: () => Promise<void>; report: Report },
): Promise<number> {
  const progress = await target.findProgress()
  if (progress === undefined) await target.begin(source.id)
  const noted = progress?.sums ?? new Map<string, string>()
  // The target's schema is later than the source's: the earlier run copied all rows and then migrated.
  if ((await target.schema()) !== source.schema && noted.size > 0)
    return confirm(source, noted, { present, report })
  const tables = matchTables(source.tables, await target.tables())
  const missing: Table[] = []
  const read = new Map<string, RowChecksum>()
  for (const table of tables) {
    const before = noted.get(table.name)
    const sum = before === undefined ? undefined : await sumOf(source, table)
    if (sum === undefined || sum.text() !== before) missing.push(table)
    else {
      read.set(table.name, sum)
      report({ table: table.name, rows: sum.rows, isEarlier: true })
    }
  }
  const copied = await copyTables(missing, { source, target, tables, report })
  await present()
  return compareAll(source, target, { tables, read: new Map([...read, ...copied]), copied, report })
}

/**
 * Compares all tables of source and target, and copies those that differ again.
 * @param read the checksums of the source's tables in its first snapshot; a table that is unchanged since is not read again
 * @param copied the checksums of the tables that were read back in this run, which are not read again
 */
async function compareAll(
  source: RowSource,
  target: RowTarget,
  {
    tables,
    read,
    copied,
    report,
  }: {
    tables: readonly Table[]
    read: ReadonlyMap<string, RowChecksum>
    copied: ReadonlyMap<string, RowChecksum>
    report: Report
  },
): Promise<number> {
  const written = new Map(copied)
  const differing: Table[] = []
  for (const table of tables) {
    const before = read.get(table.name)
    const isKnown = before !== undefined && (await source.isUnchanged(table, before.rows))
    const now = isKnown ? before : await sumOf(source, table)
    const there = copied.get(table.name) ?? (await target.sum(table))
    written.set(table.name, there)
    if (now.text() !== there.text()) differing.push(table)
  }
  for (const [name, sum] of await copyTables(differing, { source, target, tables, report }))
    written.set(name, sum)
  return [...written.values()].reduce((all, { rows }) => all + rows, 0)
}

/**
 * Copies tables. Tables that refer to a table with old rows are cleared and copied as well.
 * @returns the checksums of all copied tables
 */
async function copyTables(
  chosen: readonly Table[],
  {
    source,
    target,
    tables,
    report,
  }: { source: RowSource; target: RowTarget; tables: readonly Table[]; report: Report },
): Promise<Map<string, RowChecksum>> {
  const copied = new Map<string, RowChecksum>()
  const filled = new Set(await target.filled(chosen.map(({ name }) => name)))
  const cleared = withChildren(
    chosen.filter(({ name }) => filled.has(name)),
    tables,
  )
  if (cleared.length > 0) await target.clear(cleared)
  const loaded = new Set([...chosen, ...cleared].map(({ name }) => name))
  for (const table of tables.filter(({ name }) => loaded.has(name))) {
    const sum = createRowChecksum()
    await target.load(table, source.read(table, sum), sum)
    copied.set(table.name, sum)
    report({ table: table.name, rows: sum.rows, isEarlier: false })
  }
  return copied
}

/** For rows that later migrations have changed in the target: checks that the source still has the rows that were copied. */
async function confirm(
  source: RowSource,
  noted: ReadonlyMap<string, string>,
  { present, report }: { present: () => Promise<void>; report: Report },
): Promise<number> {
  let rows = 0
  for (const table of source.tables) {
    const sum = await sumOf(source, table)
    if (sum.text() !== noted.get(table.name))
      throw new OccupiedError('it holds other rows of this installation, in a later version of the schema')
    report({ table: table.name, rows: sum.rows, isEarlier: true })
    rows += sum.rows
  }
  await present()
  return rows
}

async function sumOf(source: RowSource, table: Table): Promise<RowChecksum> {
  const sum = createRowChecksum()
  for await (const _ of source.read(table, sum));
  return sum
}
