import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { QueueRows } from './queue-rows.ts'

/** The state that a row must still have for an attempt to change it. */
export interface Guard {
  claim_id: string
  attempts_before: number
}

/**
 * Whether the attempts of a list of `id` and `Guard` may still change their rows. The claim must hold, because a worker that has lost it
 * must not overwrite the result of the next one. No later attempt may have begun, so a result that is written twice changes nothing.
 */
export function isClaimedAs({ table }: Pick<QueueRows, 'table'>, list: string): RawBuilder<SqlBool> {
  const own = (name: string) => sql.ref(`${table}.${name}`)
  const listed = (name: string) => sql.ref(`${list}.${name}`)
  // The concatenation keeps PostgreSQL from the index of claims, by which it would read all claims of the worker.
  return sql<SqlBool>`${own('id')} = ${listed('id')} and ${own('claim_id')} || '' = ${listed('claim_id')}
    and ${own('attempts')} = ${listed('attempts_before')}`
}
