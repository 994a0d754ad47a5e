import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'

/** The rows of a table that are the jobs of one store. */
export interface QueueRows {
  table: 'delivery' | 'job'
  /** The first column of the index of waiting jobs, before their moment and their id. */
  lane: 'webhook_id' | 'lane_id'
  /** The kind of the rows; undefined: all rows of the table. */
  kind?: string
  /** How claims begin that belong to no process, so that they outlive all of them. */
  foreign?: string
}

/** Whether a job waits for a worker. SQLite uses the partial indexes only where a query contains their condition without parameters. */
export function isUnclaimed({ table }: Pick<QueueRows, 'table'>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(`${table}.status`)} = 'pending' and ${sql.ref(`${table}.claim_id`)} is null`
}

/** A query of these rows, typed by the columns that `job` and the table share. */
export function reading(from: Db | Tx, { table, kind }: QueueRows) {
  return from
    .selectFrom(table as 'job')
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as string))
}

/** An update of these rows, as `reading`. */
export function changing(tx: Tx, { table, kind }: QueueRows) {
  return tx
    .updateTable(table as 'job')
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as string))
}
