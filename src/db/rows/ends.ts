import { createHash } from 'node:crypto'
import type { RowSum } from './row-sum.ts'
import type { Table } from './table.ts'

/** Where rows come from: a database that does not change meanwhile, or is read as it was at one moment. */
export interface RowSource {
  /** The tables whose rows are carried. */
  readonly tables: readonly Table[]
  /** What the database says of itself, by key. */
  readonly facts: ReadonlyMap<string, string>
  /** The version of its schema. */
  readonly schema: number
  /** What tells this database from any other. */
  readonly id: string
  /**
   * @param sum is given each row
   * @returns the rows of a table as pieces of whole lines (`line.ts`)
   */
  read(table: Table, sum: RowSum): AsyncIterable<Buffer>
  count(table: Table): Promise<number>
  close(): Promise<void>
}

/** Where rows go: a database with this program's schema. */
export interface RowTarget {
  readonly tables: readonly Table[]
  /** The source whose rows it is getting, and the sums of the tables that it has already; undefined where none has begun. */
  findBegun(): Promise<{ source: string; sums: Map<string, string> } | undefined>
  /** @returns the carried tables that have rows */
  filled(): Promise<string[]>
  /** Notes whose rows come. Until `conclude` no server starts on it. */
  begin(source: string): Promise<void>
  /**
   * Writes the rows of a table, reads them back, and commits where the sums are the same.
   * @param sum of the rows of `pieces`, once they have ended
   * @throws MismatchError, the error of `pieces`, or the engine's; nothing of the table is written then
   */
  load(table: Table, pieces: AsyncIterable<Buffer>, sum: RowSum): Promise<void>
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
 * @param migrations each with the moment at which it ran, which no other database has
 */
export function identityOf(facts: ReadonlyMap<string, string>, migrations: readonly string[]): string {
  return createHash('sha256')
    .update([facts.get('key_fingerprint') ?? '', ...migrations].join('\n'))
    .digest('hex')
}
