import { type SqlBool, sql } from 'kysely'
import type { Millis } from '../core/clock.ts'
import { type Id, idFloor } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import { lock } from '../db/locking.ts'
import type { Tables } from '../db/tables/tables.ts'

/** The bits of streams: an entry has the bit of each stream that has not taken it. */
export const STREAM_BITS = [1, 2, 4] as const

/** Most entries that are counted; a longer count delays other statements. */
const MOST_COUNTED = 10_000

/** The marks of a new entry, as a subquery of the insert, so that they cost no statement. */
export const marksForNewEntry = sql<
  number | null
>`(select cast(sum(bit) as integer) from audit_stream where ended_at is null)`

/** The condition of the partial index of a bit. */
function isMarked(bit: number) {
  return sql<SqlBool>`(unsent & ${literal(bit)}) = ${literal(bit)}`
}

/** The next entries that a stream has not taken, by id. */
export function readUnsent(db: Db, bit: number, take: number): Promise<Tables['audit'][]> {
  return db.selectFrom('audit').selectAll().where(isMarked(bit)).orderBy('id').limit(take).execute()
}

/**
 * Removes the marks of a stream.
 * @returns how many of these entries had one
 */
export async function clearUnsent(tx: Tx, bit: number, ids: Id<'audit'>[]): Promise<number> {
  if (ids.length === 0) return 0
  // Locked in one order, because two streams may take the same entries at the same time.
  await lock(tx, tx.selectFrom('audit').select('id').where('id', 'in', ids).orderBy('id')).execute()
  const { numUpdatedRows } = await tx
    .updateTable('audit')
    .set({ unsent: sql<number | null>`nullif(unsent - ${literal(bit)}, 0)` })
    .where('id', 'in', ids)
    .where(isMarked(bit))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The backlog of a stream. */
export interface StreamLag {
  count: number
  /** The count is a lower bound. */
  atLeast: boolean
  /** The time of the oldest one. */
  oldestAt: Millis | undefined
}

export async function countUnsent(db: Db, bit: number): Promise<StreamLag> {
  const some = db.selectFrom('audit').select('created_at').where(isMarked(bit)).orderBy('id')
  const { count } = await db
    .selectFrom(some.limit(MOST_COUNTED + 1).as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const oldest = await some.limit(1).executeTakeFirst()
  return {
    count: Math.min(Number(count), MOST_COUNTED),
    atLeast: Number(count) > MOST_COUNTED,
    oldestAt: oldest?.created_at,
  }
}

/** The ids of entries that a stream has not taken, oldest first. @param before only entries before this moment */
export async function findUnsent(db: Db, bit: number, take: number, before?: Millis): Promise<Id<'audit'>[]> {
  const rows = await db
    .selectFrom('audit')
    .select('id')
    .where(isMarked(bit))
    .$if(before !== undefined, (query) => query.where('id', '<', idFloor('audit', before ?? 0)))
    .orderBy('id')
    .limit(take)
    .execute()
  return rows.map(({ id }) => id)
}
