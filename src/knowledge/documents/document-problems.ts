import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { MOST_COUNTED, OPEN_FOR, type Problem, type ProblemSource, toCount } from '../../problems/problem.ts'
import { type Failure, toFailure } from '../../shared/failure.ts'

interface Found {
  id: Id<'knowledgeBase'>
  name: string
  count: number
  since: Millis
  newest: Id<'document'>
}

function explained(error: Failure | null | undefined): Pick<Problem, 'reason' | 'message'> {
  if (!error) return { reason: null }
  return { reason: error.reason ?? error.code, message: error.message }
}

/** Documents whose last indexing failed within the last 7 days, by knowledge base. */
export const documentProblems: ProblemSource = {
  kind: 'document',
  permission: 'knowledge:read',
  async find(db, { organizationId }, { now }) {
    const { rows } = await sql<Found>`
      select knowledge_base.id, knowledge_base.name, count(*) as count, min(few.updated_at) as since, max(few.id) as newest
      from (
        select id, knowledge_base_id, updated_at from document
        where status = 'failed' and organization_id = ${organizationId} and updated_at > ${now - OPEN_FOR}
        order by updated_at desc limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few
      join knowledge_base on knowledge_base.id = few.knowledge_base_id and knowledge_base.deleted_at is null
      group by knowledge_base.id, knowledge_base.name`.execute(db)
    if (rows.length === 0) return []
    const reasons = await db
      .selectFrom('document')
      .select(['id', 'error_code', 'error_reason'])
      .where(
        'id',
        'in',
        rows.map(({ newest }) => newest),
      )
      .execute()
    const errors = new Map(reasons.map((row) => [row.id, toFailure(row)]))
    return rows.map(({ id, name, count, since, newest }) => ({
      ...{ id: `document:${id}`, kind: 'document', state: 'failed', subjectId: id, subject: name },
      ...explained(errors.get(newest)),
      ...{ since: Number(since), nextAt: null, waiting: null },
      ...{
        failed: { ...toCount(count), since: Number(since), until: now },
        balance: null,
        exampleId: newest,
      },
    }))
  },
  async count(db, { now }) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from document
        join knowledge_base on knowledge_base.id = document.knowledge_base_id
        where document.status = 'failed' and document.updated_at > ${now - OPEN_FOR} and knowledge_base.deleted_at is null
        limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
