import { sql } from 'kysely'
import { clearUnsent, findUnsent, STREAM_BITS } from '../audit/unsent.ts'
import { DAY, type Millis } from '../core/clock.ts'
import type { Database } from '../db/database.ts'

/** Days after `AUDIT_DAYS` for which an entry waits for a stream that has not taken it. */
const KEPT_UNSENT_DAYS = 30

/** Entries in one transaction. */
const STEP = 500

interface GiveUpDeps {
  database: Database
  auditDays: number
  log: { warn(data: object, message: string): void }
}

/**
 * Removes obsolete marks: of entries that are too old, which the stream then counts as lost, and marks without a
 * stream, which an entry gets when it is written while its stream is deleted.
 */
export async function expireMarks({ database, auditDays, log }: GiveUpDeps, now: Millis): Promise<void> {
  const before = now - (auditDays + KEPT_UNSENT_DAYS) * DAY
  for (const bit of STREAM_BITS) {
    const stream = await database.db
      .selectFrom('audit_stream')
      .select(['id', 'ended_at'])
      .where('bit', '=', bit)
      .executeTakeFirst()
    // The job of a deleted stream removes all of its marks.
    if (stream !== undefined && stream.ended_at !== null) continue
    let lost = 0
    for (let isWhole = false; !isWhole; ) {
      const ids = await findUnsent(database.db, bit, STEP, stream === undefined ? undefined : before)
      isWhole = ids.length < STEP
      if (ids.length === 0) break
      await database.tx(async (tx) => {
        const cleared = await clearUnsent(tx, bit, ids)
        lost += cleared
        if (stream === undefined) return
        await tx
          .updateTable('audit_stream')
          .set({ lost: sql<number>`lost + ${cleared}` })
          .where('id', '=', stream.id)
          .execute()
      })
    }
    if (lost > 0 && stream !== undefined)
      log.warn({ auditStreamId: stream.id, lost }, 'audit entries not streamed')
  }
}
