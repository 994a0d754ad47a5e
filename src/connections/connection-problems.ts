import { sql } from 'kysely'
import { MOST_COUNTED, type ProblemSource, toCount } from '../problems/problem.ts'

/** Most connections in one answer. */
const MOST_NAMED = 1_000

/** Connections that need a new authorization, or whose last refresh failed. */
export const connectionProblems: ProblemSource = {
  kind: 'connection',
  permission: 'connections:read',
  async find(db, { organizationId }) {
    const rows = await db
      .selectFrom('connection')
      .select(['id', 'provider', 'status', 'outcome', 'outcome_reason', 'not_before', 'updated_at'])
      .where('organization_id', '=', organizationId)
      // The condition of the partial index.
      .where(sql<boolean>`status <> 'active'`)
      .orderBy('id')
      .limit(MOST_NAMED)
      .execute()
    return rows.flatMap((row) =>
      row.status === 'active'
        ? []
        : {
            ...{ id: `connection:${row.id}`, kind: 'connection', state: row.status },
            ...{ subjectId: row.id, subject: row.provider, reason: row.outcome_reason ?? row.outcome },
            ...{ since: row.updated_at, nextAt: row.status === 'error' ? row.not_before : null },
            ...{ waiting: null, failed: null, balance: null, exampleId: row.id },
          },
    )
  },
  async count(db) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from connection where status <> 'active' limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
