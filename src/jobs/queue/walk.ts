import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { type Parameter, prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { isUnclaimed, type QueueRows } from './queue-rows.ts'

/** The position of a waiting job in the index. */
export interface Place {
  lane: string
  dueAt: Millis
  id: string
}

export const BEFORE_ALL: Place = { lane: '', dueAt: 0, id: '' }

/** The parts of statements that walk the index of waiting jobs in steps of a number of entries. */
export function createWalk(rows: QueueRows, step: number) {
  const lane = sql.ref(rows.lane)
  /** The columns of the index, in their order. */
  const place = sql`${lane}, due_at, id`
  /** Unclaimed jobs after a position. */
  const after = (value: Parameter<Place>) =>
    sql`from ${sql.table(rows.table)}
      where ${rows.kind === undefined ? sql`` : sql`kind = ${literal(rows.kind)} and`} ${isUnclaimed(rows)}
        and (${place}) > (${value('lane')}, ${value('dueAt')}, ${value('id')})`
  /** The position one step further; none where fewer entries remain. */
  const placeAfter = prepared<Place>()((db, value) =>
    sql<Place>`select ${lane} as lane, due_at as "dueAt", id ${after(value)}
      order by ${place} limit 1 offset ${sql.lit(step - 1)}`.compile(db),
  )
  return { place, after, placeAfter }
}
