import { type Expression, type RawBuilder, sql } from 'kysely'
import { LENGTH_WEIGHT, SATURATION, USUAL_LENGTH } from '../../core/text/bm25.ts'
import type { Tx } from './handles.ts'

/** A row of the index, within a group. Terms and groups consist of letters and digits. */
interface IndexedRow {
  id: number
  group: string
  terms: string[]
  /** Its length in terms. */
  length: number
}

/** A sought term and its weight. */
export interface WeightedTerm {
  term: string
  weight: number
}

interface TextQuery {
  /** The row is in one of these groups. */
  groups: string[]
  /** The row has at least one of these terms. */
  terms: WeightedTerm[]
  /** The largest number of rows. */
  limit: number
}

/** As `TextQuery`, before the terms are weighed. */
interface UnweightedQuery extends Omit<TextQuery, 'terms'> {
  terms: string[]
  /** The number of rows in the groups. */
  all: number
}

/** The number of rows that have a term, which is named by its index in the list of terms. */
interface TermCount {
  place: number
  rows: number
}

/**
 * A full-text index: finds rows by the terms of their texts, with each engine's own index. Terms contain no syntax of the engine's
 * query language. A row's score is the sum of its terms' weights by BM25: higher for repeated terms and for short texts.
 */
export interface TextIndex {
  add(tx: Tx, rows: IndexedRow[]): Promise<void>
  remove(tx: Tx, ids: number[]): Promise<void>
  /** Removes all rows. */
  clear(tx: Tx): Promise<void>
  /** A query for the number of rows of the groups that have each term. At least one term is needed. */
  countRows(groups: string[], terms: string[]): RawBuilder<TermCount>
  /**
   * `countRows` and `findRows` in one query, for groups of few rows, on an engine where counting is hardly faster than finding. The
   * counts set the weights of the terms, and are in each row as text, separated by commas.
   */
  countAndFind?: (wanted: UnweightedQuery) => RawBuilder<{ id: number; weight: number; counts: string }>
  /** A subquery for the best rows: the lowest `weight` is the best. At least one term is needed. */
  findRows(wanted: TextQuery): RawBuilder<{ id: number; weight: number }>
}

/** The term of BM25's denominator that depends on the row's length. */
export function lengthNorm(length: Expression<unknown>): RawBuilder<number> {
  const [fixed, each] = [SATURATION * (1 - LENGTH_WEIGHT), (SATURATION * LENGTH_WEIGHT) / USUAL_LENGTH]
  return sql`(${sql.lit(fixed)} + ${sql.lit(each)} * ${length})`
}
