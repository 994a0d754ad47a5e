import { sql } from 'kysely'
import { DAY, HOUR, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { MOST_COUNTED, OPEN_FOR, type Problem, type ProblemSource, toCount } from '../../problems/problem.ts'

/** An API key that expires within this time is a problem. */
const SOON: Millis = 7 * DAY
/** Most keys in one answer. */
const MOST_NAMED = 1_000
/** A former secret counts as used for two hours after its last recorded request, because at most one request an hour is recorded. */
const USED_LATELY: Millis = 2 * HOUR

/** API keys that expire within 7 days, or have expired within the last 7 days, and those whose former secret a directory still uses. */
export const keyProblems: ProblemSource = {
  kind: 'api_key',
  permission: 'keys:read',
  async find(db, { organizationId }, { now }) {
    return [...(await findEnding(db, organizationId, now)), ...(await findReplaced(db, organizationId, now))]
  },
  async count(db, { now }) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select id from api_key where expires_at > ${now - OPEN_FOR} and expires_at <= ${now + SOON}
        union
        select api_key.id from retired_secret join api_key on api_key.id = retired_secret.api_key_id
        where ${isStillUsed(now)}
        limit ${sql.lit(MOST_COUNTED + 1)}
      ) as few`.execute(db)
    return toCount(rows[0]?.count)
  },
}

async function findEnding(db: Db, organizationId: Id<'organization'>, now: Millis): Promise<Problem[]> {
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
      ...NOTHING_COUNTED,
    }
  })
}

/**
 * Whether a directory used a former secret after its overlap and seems to have no other: the last such request is recent, or
 * no later request has used the key.
 */
const isStillUsed = (now: Millis) => sql<boolean>`(retired_secret.refused_at > ${now - OPEN_FOR} and (
  retired_secret.refused_at > ${now - USED_LATELY}
  or api_key.last_used_at is null or api_key.last_used_at <= retired_secret.refused_at))`

async function findReplaced(db: Db, organizationId: Id<'organization'>, now: Millis): Promise<Problem[]> {
  const rows = await db
    .selectFrom('retired_secret')
    .innerJoin('api_key', 'api_key.id', 'retired_secret.api_key_id')
    .select(({ fn }) => ['api_key.id', 'api_key.name', fn.min<Millis>('retired_secret.ended_at').as('since')])
    .where('retired_secret.organization_id', '=', organizationId)
    .where(isStillUsed(now))
    .groupBy(['api_key.id', 'api_key.name'])
    .orderBy('api_key.id')
    .limit(MOST_NAMED)
    .execute()
  return rows.map(({ id, name, since }) => ({
    ...{ id: `api_key:${id}:former_secret`, kind: 'api_key', state: 'failing' },
    ...{ subjectId: id, subject: name, reason: 'former_secret' },
    message:
      'The directory still uses a replaced secret of this key, and is refused. Enter the present secret in the directory.',
    ...{ since: Number(since), nextAt: null },
    ...NOTHING_COUNTED,
  }))
}

const NOTHING_COUNTED = { waiting: null, failed: null, balance: null, exampleId: null }
