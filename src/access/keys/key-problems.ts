import { sql } from 'kysely'
import { DAY, type Millis } from '../../core/clock.ts'
import { MOST_COUNTED, OPEN_FOR, type ProblemSource, toCount } from '../../problems/problem.ts'

/** An API key that expires within this time is a problem. */
const SOON: Millis = 7 * DAY
/** Most keys in one answer. */
const MOST_NAMED = 1_000

/** API keys that expire within 7 days, or have expired within the last 7 days. */
export const keyProblems: ProblemSource = {
  kind: 'api_key',
  permission: 'keys:read',
  async find(db, { organizationId }, { now }) {
    const rows = await db
      .selectFrom('api_key')
      .select(['id', 'name', 'expires_at'])
      .where('organization_id', '=', organizationId)
      .where('expires_at', '>', now - OPEN_FOR)
      .where('expires_at', '<=', now + SOON)
      .orderBy('expires_at')
      .limit(MOST_NAMED)
      .execute()
    return rows.map(({ id, name, expires_at }) => {
      const end = expires_at ?? now
      return {
        ...{ id: `api_key:${id}`, kind: 'api_key', state: end <= now ? 'expired' : 'expiring' },
        ...{ subjectId: id, subject: name, reason: null },
        ...{ since: end <= now ? end : end - SOON, nextAt: end <= now ? null : end },
        ...{ waiting: null, failed: null, balance: null, exampleId: null },
      }
    })
  },
  async count(db, { now }) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from api_key where expires_at > ${now - OPEN_FOR} and expires_at <= ${now + SOON}
        limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
