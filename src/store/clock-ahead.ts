import { type Millis, repeat, SECOND, systemClock } from '../core/clock.ts'
import type { DevClock } from '../core/dev-clock.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { lock } from '../db/locking.ts'
import { findFact } from './facts.ts'

/** The row of `meta` that says how far the clock of an installation under trial was moved. */
const CLOCK_AHEAD = 'clock_ahead'

/** How often processes read whether it was moved. */
const POLL: Millis = SECOND / 2

/** @returns how far the clock of this database is ahead of the machine's, in milliseconds */
export async function readAhead(db: Db | Tx): Promise<Millis> {
  return Number((await findFact(db, CLOCK_AHEAD)) ?? 0)
}

/** Moves the clock of all processes on a database. @returns how far it is ahead then */
export function moveClock(database: Database, by: Millis): Promise<Millis> {
  return database.tx(async (tx) => {
    await tx
      .insertInto('meta')
      .values({ key: CLOCK_AHEAD, value: '0' })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute()
    await lock(tx, tx.selectFrom('meta').select('value').where('key', '=', CLOCK_AHEAD)).execute()
    const ahead = (await readAhead(tx)) + by
    await tx
      .updateTable('meta')
      .set({ value: String(ahead) })
      .where('key', '=', CLOCK_AHEAD)
      .execute()
    return ahead
  })
}

/**
 * Lets the clock of a process follow that of its database.
 * @throws Error where the clock was moved and the process has none that can follow
 */
export async function followClock(
  database: Database,
  clock: DevClock | undefined,
  log: { info(data: object, message: string): void; error(data: object, message: string): void },
): Promise<() => void> {
  const ahead = await readAhead(database.db)
  if (clock === undefined) {
    if (ahead > 0) throw new Error(MOVED)
    return () => {}
  }
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

const MOVED =
  'The clock of this database was moved ahead (postern clock --advance), and what it holds has moments that have not come: set DEV_CLOCK=on, or begin with another database.'
