import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Db } from '../../db/database.ts'
import { hold } from '../../db/locking.ts'
import type { UsedShare } from '../job-store.ts'

/** Of one worker no more are written down: those of which most waits. */
const MOST_SHARES = 1_000

/** It is written again with each heartbeat; what is older than a few of them was true of a process that has ended. */
const USED_FOR: Millis = MINUTE

/** Writes down which organizations wait for their share at a worker, in the place of those that did. */
export async function saveShares(
  database: Database,
  workerId: string,
  used: UsedShare[],
  now: Millis,
): Promise<void> {
  const rows = [...used]
    .sort((a, b) => b.waiting - a.waiting)
    .slice(0, MOST_SHARES)
    .map(({ organizationId, places, held, waiting }) => ({
      worker_id: workerId,
      organization_id: organizationId,
      ...{ places, held, waiting },
      updated_at: now,
    }))
  await database.relaxed(async (tx) => {
    // Before anything else: whoever ends the worker takes the same way.
    const workers = tx.selectFrom('worker').select('id').where('id', '=', workerId)
    if ((await hold(tx, workers).executeTakeFirst()) === undefined) return
    await tx.deleteFrom('used_share').where('worker_id', '=', workerId).execute()
    if (rows.length === 0) return
    await tx
      .insertInto('used_share')
      .values(rows)
      // Written twice at the same moment, it was the same.
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}

/** What an organization waits for in all processes together; undefined where nothing waits for its share. */
export async function findShare(
  db: Db,
  queue: string,
  organizationId: Id<'organization'>,
  now: Millis,
): Promise<Omit<UsedShare, 'organizationId'> | undefined> {
  const { places, held, waiting } = await db
    .selectFrom('used_share')
    .innerJoin('worker', 'worker.id', 'used_share.worker_id')
    .select(({ fn }) => [
      fn.sum<number | null>('places').as('places'),
      fn.sum<number | null>('held').as('held'),
      fn.sum<number | null>('waiting').as('waiting'),
    ])
    .where('used_share.organization_id', '=', organizationId)
    .where('used_share.updated_at', '>', now - USED_FOR)
    .where('worker.queue', '=', queue)
    .executeTakeFirstOrThrow()
  if (waiting === null) return undefined
  return { places: Number(places), held: Number(held), waiting: Number(waiting) }
}
