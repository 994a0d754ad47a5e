import { DAY, type Millis, repeat, SECOND, systemClock } from '../core/clock.ts'
import type { DevClock } from '../core/dev-clock.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { lock } from '../db/locking.ts'
import { endFact, findFact, keepFact } from './facts.ts'

/** The row of `meta` with the offset of the moved clock of a development installation. */
export const CLOCK_AHEAD = 'clock_ahead'

/** The row of `meta` that exists where the server that started last follows the moved clock. */
const CLOCK_FOLLOWED = 'clock_followed'

/** The largest offset. */
export const FURTHEST: Millis = 4_000 * DAY

/** How often processes read the offset. */
const POLL: Millis = SECOND / 2

/** @returns how far the clock of this database is ahead of the machine's, in milliseconds */
export async function readAhead(db: Db | Tx): Promise<Millis> {
  return Number((await findFact(db, CLOCK_AHEAD)) ?? 0)
}

/** @returns the time of a database with its offset. @throws Error where it has one, and the settings do not allow it */
export async function timeOf(db: Db | Tx, isMovable: boolean): Promise<Millis> {
  const ahead = await readAhead(db)
  if (ahead > 0 && !isMovable) throw new Error(MOVED)
  return systemClock.now() + ahead
}

/**
 * Moves the clock of all processes on a database.
 * @returns the new offset
 * @throws Error in plain words where no server follows the clock, or the offset would be too large
 */
export function moveClock(database: Database, by: Millis): Promise<Millis> {
  return database.tx(async (tx) => {
    // A wrong DATABASE_URL could name a database in production.
    if ((await findFact(tx, CLOCK_FOLLOWED)) === undefined) throw new Error(NOT_FOLLOWED)
    await tx
      .insertInto('meta')
      .values({ key: CLOCK_AHEAD, value: '0' })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute()
    await lock(tx, tx.selectFrom('meta').select('value').where('key', '=', CLOCK_AHEAD)).execute()
    const ahead = (await readAhead(tx)) + by
    if (ahead > FURTHEST)
      throw new Error(
        `The clock of this database would be ${Math.floor(ahead / DAY)} days ahead, and ${FURTHEST / DAY} are the most: begin with another database.`,
      )
    await tx
      .updateTable('meta')
      .set({ value: String(ahead) })
      .where('key', '=', CLOCK_AHEAD)
      .execute()
    return ahead
  })
}

/**
 * Keeps the clock of a process at the offset of its database.
 * @throws Error where an offset exists and the process has no movable clock
 */
export async function followClock(
  database: Database,
  clock: DevClock | undefined,
  log: { info(data: object, message: string): void; error(data: object, message: string): void },
): Promise<() => void> {
  const ahead = await readAhead(database.db)
  if (clock === undefined) {
    if (ahead > 0) throw new Error(MOVED)
    if ((await findFact(database.db, CLOCK_FOLLOWED)) !== undefined) await endFact(database, CLOCK_FOLLOWED)
    return () => {}
  }
  await keepFact(database, CLOCK_FOLLOWED, 'true')
  clock.setAhead(ahead)
  let isReading = false
  async function follow(following: DevClock): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      const next = await readAhead(database.db)
      if (next <= following.ahead()) return
      following.setAhead(next)
      log.info({ aheadMs: next }, 'the clock was moved')
    } catch (error) {
      log.error({ err: error }, 'the clock of the database')
    } finally {
      isReading = false
    }
  }
  return repeat(systemClock, POLL, () => void follow(clock))
}

const NOT_FOLLOWED =
  'The server that was started last on this database was not started with DEV_CLOCK=on, so its clock is not moved: start it with that first.'

/** The error of a start or command without `DEV_CLOCK` on a database whose clock was moved. */
export const MOVED =
  'The clock of this database was moved ahead (postern clock --advance), and what it holds has moments that have not come: set DEV_CLOCK=on, or begin with another database.'
