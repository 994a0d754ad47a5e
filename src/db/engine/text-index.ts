import { type Expression, type RawBuilder, sql } from 'kysely'
import { LENGTH_WEIGHT, SATURATION, USUAL_LENGTH } from '../../core/text/bm25.ts'
import type { Tx } from './handles.ts'

/** What is to be found by its terms, within a group. Terms and groups are letters and digits. */
interface IndexedRow {
  id: number
  group: string
  terms: string[]
  /** How long it is, in terms. */
  length: number
}

/** A term that is looked for, and what it weighs. */
export interface WeightedTerm {
  term: string
  weight: number
}

interface TextQuery {
  /** It is in one of these. */
  groups: string[]
  /** It has at least one of these. */
  terms: WeightedTerm[]
  /** So many at most. */
  limit: number
}

/** As `Wanted`, before it is known how many rows have a term. */
interface UnweightedQuery extends Omit<TextQuery, 'terms'> {
  terms: string[]
  /** How many rows the groups have. */
  all: number
}

/** How many rows of some groups have a term, named by its place in the list of terms. */
interface TermCount {
  place: number
  rows: number
}

/**
 * Finds rows by the terms of their texts, by what each engine has for that. What it is given is terms alone: nothing in
 * them means anything to the engine's own language of queries. A row scores the weight of each term that it has as BM25
 * has it: more where it has the term often, and where it is short.
 */
export interface TextIndex {
  add(tx: Tx, rows: IndexedRow[]): Promise<void>
  remove(tx: Tx, ids: number[]): Promise<void>
  /** Removes all rows. */
  clear(tx: Tx): Promise<void>
  /** A query for how many rows of the groups have each term. There must be a term. */
  countRows(groups: string[], terms: string[]): RawBuilder<TermCount>
  /**
   * Where the engine counts hardly faster than it finds: as `having` and `matching` in one, for groups of few rows. The terms weigh what
   * their counts say; these stand in each row as text, with commas between them.
   */
  countAndFind?: (wanted: UnweightedQuery) => RawBuilder<{ id: number; weight: number; counts: string }>
  /** A query for the rows, to be a part of one that reads more: of the lowest `weight` are the best. There must be a term. */
  findRows(wanted: TextQuery): RawBuilder<{ id: number; weight: number }>
}

/** What BM25 adds to the times that a row has a term, by the row's length. */
export function lengthNorm(length: Expression<unknown>): RawBuilder<number> {
  const [fixed, each] = [SATURATION * (1 - LENGTH_WEIGHT), (SATURATION * LENGTH_WEIGHT) / USUAL_LENGTH]
  return sql`(${sql.lit(fixed)} + ${sql.lit(each)} * ${length})`
}
