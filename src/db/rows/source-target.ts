import { createHash } from 'node:crypto'
import type { RowChecksum } from './row-checksum.ts'
import type { Table } from './table.ts'

/** Where rows come from: a database as it was at one moment, whatever changes in it meanwhile. */
export interface RowSource {
  /** The tables whose rows are carried. */
  readonly tables: readonly Table[]
  /** The names of tables beside them, which are not of Postern: a database of PostgreSQL may be shared. */
  readonly others: readonly string[]
  /** What the database says of itself, by key. */
  readonly facts: ReadonlyMap<string, string>
  /** The version of its schema. */
  readonly schema: number
  /** What tells the installation from any other; its later states have the same. */
  readonly id: string
  /**
   * @param sum is given each row
   * @returns the rows of a table as pieces of whole lines (`copy-line.ts`)
   */
  read(table: Table, sum: RowChecksum): AsyncIterable<Buffer>
  count(table: Table): Promise<number>
  close(): Promise<void>
}

/** Where rows go: a database with this program's schema, or with none yet. */
export interface RowTarget {
  /** The names of all tables, also of those that are none of Postern. */
  names(): Promise<string[]>
  /** The tables whose rows are carried. */
  tables(): Promise<Table[]>
  /** The version of its schema. */
  schema(): Promise<number>
  /** The installation whose rows it is getting, and the sums of the tables that it has already; undefined where none has begun. */
  findBegun(): Promise<{ source: string; sums: Map<string, string> } | undefined>
  /** @returns those of the tables that have rows */
  filled(tables: readonly string[]): Promise<string[]>
  /** Notes whose rows come. Until `conclude` no server starts on it. */
  begin(source: string): Promise<void>
  /**
   * Writes the rows of a table, reads them back, and commits where the sums are the same.
   * @param sum of the rows of `pieces`, once they have ended
   * @throws MismatchError, the error of `pieces`, or the engine's; nothing of the table is written then
   */
  load(table: Table, pieces: AsyncIterable<Buffer>, sum: RowChecksum): Promise<void>
  /** Removes all rows of the tables, and what is noted of them. @param tables with all that refer to one of them */
  clear(tables: readonly Table[]): Promise<void>
  /** Reads the rows that are there. */
  sum(table: Table): Promise<RowChecksum>
  conclude(): Promise<void>
  close(): Promise<void>
}

/** What was written is not what was read. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError'
  constructor(table: string, read: string, written: string) {
    super(`The rows of ${table} differ after they were written (${read} was read, ${written} is there).`)
  }
}

/** The table in which a database that is getting its rows notes how far it is; it is there for that time alone. */
export const PROGRESS = 'moving'

/**
 * @param facts what a database says of itself
 * @param begunAt the moment of its first migration, which no other database has; later ones would change with an upgrade
 */
export function identityOf(facts: ReadonlyMap<string, string>, begunAt: string): string {
  return createHash('sha256')
    .update(`${facts.get('key_fingerprint') ?? ''}\n${begunAt}`)
    .digest('hex')
}
