import { createHash } from 'node:crypto'
import type { RowChecksum } from './row-checksum.ts'
import type { Table } from './table.ts'

/** The source of a copy: a snapshot of a database. */
export interface RowSource {
  /** The tables whose rows are copied. */
  readonly tables: readonly Table[]
  /** The names of tables of other programs, in a shared database of PostgreSQL. */
  readonly others: readonly string[]
  /** The rows of `meta`, by key. */
  readonly facts: ReadonlyMap<string, string>
  /** Its schema version. */
  readonly schema: number
  /** Identifies the installation; stays the same as it changes. */
  readonly id: string
  /**
   * @param sum receives each row
   * @returns the rows of a table as pieces of complete lines (`copy-line.ts`)
   */
  read(table: Table, sum: RowChecksum): AsyncIterable<Buffer>
  count(table: Table): Promise<number>
  /**
   * Whether a table certainly still has the rows of the first snapshot; false where that is not known. The
   * rows are not transferred.
   * @param rows the number of rows in the first snapshot
   */
  isUnchanged(table: Table, rows: number): Promise<boolean>
  close(): Promise<void>
}

/** The database of an installation as a source. */
export interface LiveSource extends RowSource {
  /** Replaces the snapshot by one of this moment. */
  renew(): Promise<void>
}

/** The target of a copy: a database with this program's schema, or an empty one. */
export interface RowTarget {
  /** The names of all tables, including those of other programs. */
  names(): Promise<string[]>
  /** The tables whose rows are copied. */
  tables(): Promise<Table[]>
  /** Its schema version. */
  schema(): Promise<number>
  /** The source of an unfinished copy, and the checksums of the copied tables; undefined without one. */
  findProgress(): Promise<{ source: string; sums: Map<string, string> } | undefined>
  /** @returns the names of tables that have rows */
  filled(tables: readonly string[]): Promise<string[]>
  /** Records the source. No server starts on the database until `conclude`. */
  begin(source: string): Promise<void>
  /**
   * Writes the rows of a table, reads them back, and commits where the checksums are equal.
   * @param sum the checksum of `pieces`, complete at their end
   * @throws MismatchError, the error of `pieces`, or the engine's; nothing of the table is written then
   */
  load(table: Table, pieces: AsyncIterable<Buffer>, sum: RowChecksum): Promise<void>
  /** Deletes all rows of the tables, and their recorded checksums. @param tables including all tables that refer to one of them */
  clear(tables: readonly Table[]): Promise<void>
  /** Reads all rows of a table. */
  sum(table: Table): Promise<RowChecksum>
  conclude(): Promise<void>
  close(): Promise<void>
}

/** The written rows differ from the rows that were read. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError'
  constructor(table: string, read: string, written: string) {
    super(`The rows of ${table} differ after they were written (${read} was read, ${written} is there).`)
  }
}

/** The table with the progress of a copy into the database; it exists only during the copy. */
export const PROGRESS = 'moving'

/**
 * Identifies an installation.
 * @param facts the rows of its `meta`
 * @param begunAt the moment of its first migration, which is unique; those of later ones change with an upgrade
 */
export function identityOf(facts: ReadonlyMap<string, string>, begunAt: string): string {
  return createHash('sha256')
    .update(`${facts.get('key_fingerprint') ?? ''}\n${begunAt}`)
    .digest('hex')
}
