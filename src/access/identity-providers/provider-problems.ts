import { sql } from 'kysely'
import { DAY, type Millis } from '../../core/clock.ts'
import { MOST_COUNTED, type ProblemSource, toCount } from '../../problems/problem.ts'

/** How long before its end a certificate is named: time to have the next one entered by another department. */
const WARNED: Millis = 30 * DAY

/** Active SAML identity providers whose last certificate ends soon, or has ended. */
export const identityProviderProblems: ProblemSource = {
  kind: 'identity_provider',
  permission: 'sign_in:read',
  async find(db, { organizationId }, { now }) {
    const rows = await db
      .selectFrom('identity_provider')
      .select(['id', 'name', 'certificates_end_at as endAt'])
      .where('organization_id', '=', organizationId)
      .where('status', '=', 'active')
      .where('certificates_end_at', '<=', now + WARNED)
      .orderBy('id')
      .execute()
    return rows.map(({ id, name, endAt }) => {
      const end = endAt ?? now
      return {
        ...{ id: `identity_provider:${id}`, kind: 'identity_provider' },
        state: end <= now ? 'expired' : 'expiring',
        ...{ subjectId: id, subject: name, reason: 'certificate' },
        ...{ since: end <= now ? end : end - WARNED, nextAt: end <= now ? null : end },
        ...{ waiting: null, failed: null, balance: null, exampleId: null },
      }
    })
  },
  async count(db, { now }) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from identity_provider
        where certificates_end_at is not null and certificates_end_at <= ${now + WARNED} and status = 'active'
        limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}
