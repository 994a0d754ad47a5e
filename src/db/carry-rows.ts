import { join } from 'node:path'
import type { RowSource, RowTarget } from './rows/ends.ts'
import { createRowSum } from './rows/row-sum.ts'
import { matchTables } from './rows/table.ts'
import { sqliteSource, sqliteTarget } from './sqlite/rows.ts'
import { DATABASE_FILE } from './sqlite/sqlite.ts'

export { copySqlite, requireIntact } from './sqlite/rows.ts'

/** A database, as settings name it. */
interface Place {
  dataDir: string
  databaseUrl: string | undefined
  databaseDirectUrl?: string | undefined
}

/** The place that rows go to has rows, and they are not those of an earlier run from the same source. */
export class OccupiedError extends Error {
  override readonly name = 'OccupiedError'
}

/** The rows of a table that were carried. */
interface Carried {
  table: string
  rows: number
  /** Whether an earlier run has carried them. */
  isEarlier: boolean
}

/** Opens the file of an embedded database that nobody writes, such as a copy. */
export const openCopy = sqliteSource

/** Opens a database to be read whole; PostgreSQL as it is at this moment. */
export async function openSource({ dataDir, databaseUrl, databaseDirectUrl }: Place): Promise<RowSource> {
  if (databaseUrl === undefined) return sqliteSource(join(dataDir, DATABASE_FILE))
  const { postgresSource } = await import('./postgres/rows.ts')
  return postgresSource(databaseDirectUrl ?? databaseUrl)
}

/** Opens a database to be filled. */
export async function openTarget({ dataDir, databaseUrl, databaseDirectUrl }: Place): Promise<RowTarget> {
  if (databaseUrl === undefined) return sqliteTarget(join(dataDir, DATABASE_FILE))
  const { postgresTarget } = await import('./postgres/rows.ts')
  return postgresTarget(databaseDirectUrl ?? databaseUrl)
}

/**
 * Carries the rows of all tables into an empty database, each table in one transaction in which its sum is compared. After a run that
 * was cut off it continues with the first table that is missing. The caller concludes.
 * @param report called with each table once it is there
 * @throws OccupiedError, MismatchError
 */
export async function carryRows(
  source: RowSource,
  target: RowTarget,
  report: (carried: Carried) => void,
): Promise<void> {
  const begun = await target.findBegun()
  // The schema may be a later one by now.
  const isThere = begun !== undefined && source.tables.every(({ name }) => begun.sums.has(name))
  const tables = isThere ? source.tables : matchTables(source.tables, target.tables)
  if (begun === undefined) {
    const filled = await target.filled()
    if (filled.length > 0)
      throw new OccupiedError(`it has rows of its own (in ${filled.slice(0, 3).join(', ')})`)
    await target.begin(source.id)
  } else if (begun.source !== source.id) throw new OccupiedError('it holds a part of another installation')
  for (const table of tables) {
    const earlier = begun?.sums.get(table.name)
    const sum = createRowSum()
    if (earlier === undefined) await target.load(table, source.read(table, sum), sum)
    const rows = earlier === undefined ? sum.rows : Number.parseInt(earlier, 10)
    report({ table: table.name, rows, isEarlier: earlier !== undefined })
  }
}
