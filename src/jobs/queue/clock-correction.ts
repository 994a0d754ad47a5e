import { type RawBuilder, sql } from 'kysely'
import { type Millis, SKEW, turn } from '../../core/clock.ts'
import { currentInterruption } from '../../core/context.ts'
import type { Database } from '../../db/database.ts'
import { type Parameter, prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { changing, type QueueRows } from './queue-rows.ts'

/** Jobs of one step: on SQLite a step blocks all other work. */
const STEP = 500

/** The position of a waiting job in the index. */
interface Place {
  lane: string
  dueAt: Millis
  id: string
}

type From = Place & { latest: Millis }
interface To {
  toLane: string
  toDueAt: Millis
  toId: string
}
type Wrong = Pick<Place, 'lane' | 'id'>

const BEFORE_ALL: Place = { lane: '', dueAt: 0, id: '' }

/**
 * Finds jobs that wait for a moment that a clock ahead of this one has written. No index holds the moment of writing, so all jobs
 * due later are scanned in steps: a step reads few entries of the index, and the rows of those that are not due.
 * @returns a function that makes such jobs due and returns their lanes
 */
export function createClockCorrection(database: Database, rows: QueueRows) {
  const { db } = database
  const lane = sql.ref(rows.lane)
  const place = sql`${lane}, due_at, id`
  /** Unclaimed jobs after a position. */
  const waiting = (value: Parameter<Place>) =>
    sql`from ${sql.table(rows.table)}
      where ${rows.kind === undefined ? sql`` : sql`kind = ${literal(rows.kind)} and`} status = 'pending' and claim_id is null
        and (${place}) > (${value('lane')}, ${value('dueAt')}, ${value('id')})`
  /** Reads in the order of the index. Twice `STEP` leaves room for jobs that are added during the statement. */
  const wrong = (value: Parameter<From>, within: RawBuilder<unknown>) =>
    sql<Wrong>`select id, lane from (
        select id, ${lane} as lane, due_at, updated_at ${waiting(value)} ${within} order by ${place} limit ${sql.lit(2 * STEP)}
      ) as entry where due_at > ${value('latest')} and updated_at > ${value('latest')}`

  const placeAfter = prepared<Place>()((db, value) =>
    sql<Place>`select ${lane} as lane, due_at as "dueAt", id ${waiting(value)}
      order by ${place} limit 1 offset ${sql.lit(STEP - 1)}`.compile(db),
  )
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
        .where('status', '=', literal('pending'))
        .where('claim_id', 'is', null)
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
