import { sql } from 'kysely'
import { MOST_COUNTED, type ProblemSource, toCount } from '../../problems/problem.ts'

/** Most domains in one answer. */
const MOST_NAMED = 100

/** Domains whose record is missing, and those whose proof is lost. */
export const domainProblems: ProblemSource = {
  kind: 'domain',
  permission: 'sign_in:read',
  async find(db, { organizationId }, { now }) {
    const rows = await db
      .selectFrom('domain')
      .selectAll()
      .where('organization_id', '=', organizationId)
      // The condition of the index.
      .where(sql<boolean>`status in ('failing', 'lost')`)
      .orderBy('id')
      .limit(MOST_NAMED)
      .execute()
    return rows.map(({ id, name, status, reason, failing_since }) => ({
      ...{ id: `domain:${id}`, kind: 'domain', state: status === 'lost' ? 'lost' : 'failing' },
      ...{ subjectId: id, subject: name, reason },
      ...{ since: failing_since ?? now, nextAt: null },
      ...{ waiting: null, failed: null, balance: null, exampleId: null },
    }))
  },
  async count(db) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from domain where status in ('failing', 'lost') limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
