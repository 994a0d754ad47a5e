import { type RawBuilder, sql } from 'kysely'
import { type Millis, SKEW, turn } from '../../core/clock.ts'
import { currentInterruption } from '../../core/context.ts'
import type { Database } from '../../db/database.ts'
import { type Parameter, prepared } from '../../db/engine/prepared.ts'
import { changing, isUnclaimed, type QueueRows } from './queue-rows.ts'
import { BEFORE_ALL, createWalk, type Place } from './walk.ts'

/** Jobs of one step: on SQLite a step blocks all other work. */
const STEP = 500

type From = Place & { latest: Millis }
interface To {
  toLane: string
  toDueAt: Millis
  toId: string
}
type Wrong = Pick<Place, 'lane' | 'id'>

/**
 * Finds jobs that wait for a moment that a clock ahead of this one has written. No index holds the moment of writing, so all jobs
 * due later are scanned in steps: a step reads few entries of the index, and the rows of those that are not due.
 * @returns a function that makes such jobs due and returns their lanes
 */
export function createClockCorrection(database: Database, rows: QueueRows) {
  const { db } = database
  const lane = sql.ref(rows.lane)
  const { place, after, placeAfter } = createWalk(rows, STEP)
  /** Reads in the order of the index. Twice `STEP` leaves room for jobs that are added during the statement. */
  const wrong = (value: Parameter<From>, within: RawBuilder<unknown>) =>
    sql<Wrong>`select id, lane from (
        select id, ${lane} as lane, due_at, updated_at ${after(value)} ${within} order by ${place} limit ${sql.lit(2 * STEP)}
      ) as entry where due_at > ${value('latest')} and updated_at > ${value('latest')}`

  const wrongUntil = prepared<From & To>()((db, value) =>
    wrong(value, sql`and (${place}) <= (${value('toLane')}, ${value('toDueAt')}, ${value('toId')})`).compile(
      db,
    ),
  )
  const wrongToTheEnd = prepared<From>()((db, value) => wrong(value, sql``).compile(db))

  async function correctSome(some: Wrong[], now: Millis): Promise<void> {
    const ids = some.map(({ id }) => id)
    await database.tx((tx) =>
      changing(tx, rows)
        .set({ due_at: now, updated_at: now })
        .where('id', 'in', ids as never[])
        .where(isUnclaimed(rows))
        .where('due_at', '>', now + SKEW)
        .where('updated_at', '>', now + SKEW)
        .execute(),
    )
  }

  return async (now: Millis): Promise<string[]> => {
    const latest = now + SKEW
    const lanes = new Set<string>()
    for (let from: Place | undefined = BEFORE_ALL; from !== undefined; ) {
      currentInterruption()?.throwIfAborted()
      const [to]: Place[] = await placeAfter(db, from)
      const some: Wrong[] =
        to === undefined
          ? await wrongToTheEnd(db, { ...from, latest })
          : await wrongUntil(db, { ...from, latest, toLane: to.lane, toDueAt: to.dueAt, toId: to.id })
      if (some.length > 0) await correctSome(some, now)
      for (const one of some) lanes.add(one.lane)
      from = to && behindDue(to, latest)
      await turn()
    }
    return [...lanes]
  }
}

/** The position to go on from: within a lane, due jobs are skipped. */
function behindDue(place: Place, latest: Millis): Place {
  return place.dueAt > latest ? place : { lane: place.lane, dueAt: latest + 1, id: '' }
}
