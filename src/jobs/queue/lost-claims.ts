import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Millis, SKEW } from '../../core/clock.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { changing, type QueueRows, reading } from './queue-rows.ts'

/** Claims freed by one statement. */
const MOST_FREED = 500

/**
 * Selects jobs whose claiming process has no row; there are hardly ever any. The caller uses a connection with kept plans and
 * forced indexes: on a growing table PostgreSQL estimates that most rows are claimed, and would scan it.
 */
export function lostClaims(from: Db | Tx, rows: QueueRows) {
  return reading(from, rows).select('id').where(isLost(rows)).orderBy('claim_id').limit(MOST_FREED)
}

/** Whether the process that has claimed a job has no row. */
function isLost({ foreign }: QueueRows): RawBuilder<SqlBool> {
  const isForeign = foreign === undefined ? sql`false` : sql`claim_id like ${`${foreign}%`}`
  return sql<SqlBool>`claim_id is not null and claim_id not in (select id from worker) and not (${isForeign})`
}

/** Frees the claims of processes without a row, also claims that a process made after its row was removed. */
export async function freeLost(database: Database, rows: QueueRows, now: Millis): Promise<void> {
  for (let isWhole = false; !isWhole; ) {
    const lost = await lostClaims(database.lookups, rows).execute()
    isWhole = lost.length < MOST_FREED
    if (lost.length === 0) return
    const ids = lost.map(({ id }) => id)
    await database.tx((tx) =>
      changing(tx, rows)
        .set({
          claim_id: null,
          // A claimed job was due, so a moment ahead of now was written by a wrong clock.
          due_at: sql`case when due_at > ${now + SKEW} then ${now} else due_at end`,
        })
        .where('id', 'in', ids)
        .where(isLost(rows))
        .execute(),
    )
  }
}
