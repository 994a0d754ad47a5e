import { type RawBuilder, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { type Id, momentOf } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { plausibleMoment } from '../../db/plausible-time.ts'
import { LONGEST_WAIT } from '../../mail/mail-job.ts'
import { MOST_COUNTED, openFloor, type ProblemSource, toCount } from '../../problems/problem.ts'

interface Found {
  count: number
  oldest: Id<'mail'> | null
  newest: Id<'mail'> | null
  next: Millis | null
}

/** A mail without an invitation, or the latest mail of a pending invitation. */
const STILL_WANTED = sql`(
  mail.invitation_id is null or (
    exists (select 1 from invitation where invitation.id = mail.invitation_id and invitation.status = 'pending')
    and not exists (
      select 1 from mail later where later.invitation_id = mail.invitation_id and later.id > mail.id
    )
  )
)`

async function findMails(db: Db, which: RawBuilder<unknown>, now: Millis): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select count(*) as count, min(id) as oldest, max(id) as newest, min(next_at) as next from (
      select mail.id, ${plausibleMoment('next_attempt_at', now, LONGEST_WAIT)} as next_at from mail where ${which} and ${STILL_WANTED}
      limit ${sql.lit(MOST_COUNTED + 1)}
    ) as few`.execute(db)
  return rows[0]
}

/** Mails of the organization that failed for good within the last 7 days, or whose last attempt failed. */
export const mailProblems: ProblemSource = {
  kind: 'mail',
  permission: 'mails:read',
  async find(db, { organizationId }, { now }) {
    const floor = openFloor('mail', now)
    const failed = await findMails(
      db,
      sql`status = 'failed' and share = ${organizationId} and mail.id >= ${floor}`,
      now,
    )
    const waiting = await findMails(
      db,
      sql`status = 'queued' and share = ${organizationId} and attempts > 0`,
      now,
    )
    const oldest = [failed?.oldest, waiting?.oldest].flatMap((id) => id ?? []).sort()[0]
    if (oldest === undefined) return []
    const since = momentOf(oldest)
    return [
      {
        ...{ id: 'mail', kind: 'mail', state: waiting?.oldest ? 'failing' : 'failed' },
        ...{ subjectId: null, subject: null, reason: null, since },
        nextAt: waiting?.next ? Number(waiting.next) : null,
        waiting: waiting?.oldest ? toCount(waiting.count) : null,
        failed: failed?.oldest ? { ...toCount(failed.count), since, until: now } : null,
        ...{ balance: null, exampleId: failed?.newest ?? waiting?.newest ?? null },
      },
    ]
  },
  async count(db, { now }) {
    const floor = openFloor('mail', now)
    const failed = await findMails(db, sql`status = 'failed' and share <> '' and mail.id >= ${floor}`, now)
    const waiting = await findMails(db, sql`status = 'queued' and share <> '' and attempts > 0`, now)
    return toCount(Number(failed?.count ?? 0) + Number(waiting?.count ?? 0))
  },
}
