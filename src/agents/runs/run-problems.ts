import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { MOST_COUNTED, type ProblemSource, toCount } from '../../problems/problem.ts'

interface Found {
  count: number
  since: Millis | null
  first: Id<'run'> | null
}

/** Runs that wait for a person; members see their own. Each fails when its deadline passes. */
export const runProblems: ProblemSource = {
  kind: 'run',
  permission: 'runs:read',
  async find(db, { organizationId, actorId, permissions }) {
    const whose = permissions.has('runs:all') ? sql`` : sql`and owner_id = ${actorId}`
    const { rows } = await sql<Found>`
      select count(*) as count, min(updated_at) as since, min(id) as first from (
        select id, updated_at from run
        where status = 'waiting' and organization_id = ${organizationId} ${whose}
        order by id limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    const [found] = rows
    if (found === undefined || found.since === null) return []
    return [
      {
        ...{ id: 'run', kind: 'run', state: 'waiting', subjectId: null, subject: null, reason: null },
        ...{ since: Number(found.since), nextAt: null, waiting: toCount(found.count) },
        ...{ failed: null, balance: null, exampleId: found.first },
      },
    ]
  },
  async count(db) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select id from run where status = 'waiting' limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
