import { sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import { MOST_COUNTED, OPEN_FOR, type ProblemSource, toCount } from '../problems/problem.ts'
import { toFailure } from '../shared/failure.ts'
import type { FileRow } from './file-wire.ts'

interface Found {
  count: number
  since: Millis | null
}

/** Files whose last processing began within the last 7 days and failed. */
export const fileProblems: ProblemSource = {
  kind: 'file',
  permission: 'files:read',
  async find(db, { organizationId }, { now }) {
    const failed = sql`from file
      where status = 'failed' and organization_id = ${organizationId} and begun_at > ${now - OPEN_FOR}
      order by begun_at desc, id desc`
    const { rows } = await sql<Found>`
      select count(*) as count, min(begun_at) as since
      from (select begun_at ${failed} limit ${sql.lit(MOST_COUNTED + 1)}) as few`.execute(db)
    const since = rows[0]?.since ?? null
    if (since === null) return []
    const newest = await sql<Pick<FileRow, 'id' | 'error_code' | 'error_reason'>>`
      select id, error_code, error_reason ${failed} limit 1`.execute(db)
    const error = newest.rows[0] && toFailure(newest.rows[0])
    return [
      {
        ...{ id: 'file', kind: 'file', state: 'failed', subjectId: null, subject: null },
        ...{ reason: error?.reason ?? error?.code ?? null, ...(error && { message: error.message }) },
        ...{ since: Number(since), nextAt: null, waiting: null },
        ...{ failed: { ...toCount(rows[0]?.count), since: Number(since), until: now } },
        ...{ balance: null, exampleId: newest.rows[0]?.id ?? null },
      },
    ]
  },
  async count(db, { now }) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from file where status = 'failed' and begun_at > ${now - OPEN_FOR}
        limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
