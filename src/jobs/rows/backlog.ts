import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Database, Db } from '../../db/database.ts'
import { isUnclaimed } from '../queue/queue-rows.ts'

/** The jobs of a kind that have not ended. */
export interface JobBacklog {
  /** Due and unclaimed. */
  due: number
  /** Unclaimed and due later. */
  scheduled: number
  /** Claimed: in the memory of a worker, or under way. */
  claimed: number
  /** When the oldest due job was due. */
  oldestDueAt: Millis | undefined
}

/** Rows beyond this number are not counted, because a long count delays other statements. */
const MOST_COUNTED = 10_000

/** Counts the jobs of each kind that have not ended. */
export async function readJobs(
  { db }: Database,
  kinds: string[],
  now: Millis,
): Promise<Map<string, JobBacklog>> {
  const claimed = await countClaimed(db)
  const backlogs = new Map<string, JobBacklog>()
  for (const kind of kinds) {
    const unclaimed = await countUnclaimed(db, kind, now)
    backlogs.set(kind, { ...unclaimed, claimed: claimed.get(kind) ?? 0 })
  }
  return backlogs
}

async function countUnclaimed(db: Db, kind: string, now: Millis): Promise<Omit<JobBacklog, 'claimed'>> {
  const { rows } = await sql<{ all: number; due: number | null; oldest: Millis | null }>`
    select count(*) as "all", sum(case when due_at <= ${now} then 1 else 0 end) as due, min(due_at) as oldest
    from (
      select due_at from job where kind = ${kind} and ${isUnclaimed({ table: 'job' })} limit ${MOST_COUNTED}
    ) as waiting`.execute(db)
  const [row] = rows
  const [all, due] = [Number(row?.all ?? 0), Number(row?.due ?? 0)]
  return { due, scheduled: all - due, oldestDueAt: due === 0 ? undefined : Number(row?.oldest ?? now) }
}

/** Counts claimed jobs by kind; workers hold some thousands at most. */
async function countClaimed(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select kind, count(*) as count from job where claim_id is not null group by kind`.execute(db)
  return new Map(rows.map(({ kind, count }) => [kind, Number(count)]))
}
