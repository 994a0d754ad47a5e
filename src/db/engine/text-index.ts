import type { RawBuilder } from 'kysely'
import type { Tx } from './engine.ts'

/** What is to be found by its terms, within a group. Terms and groups are letters and digits. */
export interface Indexed {
  id: number
  group: string
  terms: string[]
}

export interface Wanted {
  /** It is in one of these. */
  groups: string[]
  /** It has at least one of these. */
  terms: string[]
  /** So many at most. */
  limit: number
}

/**
 * Finds rows by the terms of their texts, by what each engine has for that. What it is given is terms alone: nothing in
 * them means anything to the engine's own language of queries. Which ones are better is a first guess, of each engine's own.
 */
export interface TextIndex {
  add(tx: Tx, rows: Indexed[]): Promise<void>
  remove(tx: Tx, ids: number[]): Promise<void>
  /** A query for them, to be a part of one that reads more: of the lowest `weight` are the best. */
  matching(wanted: Wanted): RawBuilder<{ id: number; weight: number }>
}
