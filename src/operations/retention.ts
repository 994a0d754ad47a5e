import { type RawBuilder, sql } from 'kysely'
import { type Clock, HOUR, MINUTE, type Millis, pause, SECOND, stopwatch } from '../core/clock.ts'
import { createLoop, type Loop } from '../core/loop.ts'
import type { Database, Tx } from '../db/database.ts'
import { type Retention, type RetentionRule, retentionRules } from './retention-rules.ts'

const EVERY: Millis = MINUTE
/**
 * A sweep continues where the last one ended. After this time it starts from the beginning, for earlier rows that have become old since.
 */
const ANEW: Millis = HOUR

/** The intended time of a step, for which all other writers of the embedded database wait. */
const STEP: Millis = 8
/** The pause after a step, as a multiple of its time. */
const REST = 3
/** The longest pause, because the end of the process waits for it. */
const LONGEST_REST: Millis = 2 * SECOND
/** Rows of one step: first and most. */
const [FIRST_ROWS, MOST_ROWS] = [50, 1_000]
/**
 * Rows of one step at least. PostgreSQL stops no other writer for a step, and on a busy machine or far away a statement takes longer
 * than `STEP` whatever its rows are: steps of ten rows would remove fewer than are published.
 */
const FEWEST_ROWS = { alone: 10, shared: 100 }
/** The bounds for the change of a step's size. */
const [SHRINK, GROW] = [0.25, 2]
/** Approximate bytes of large columns in one step. */
const MOST_BYTES = 1024 * 1024

/** The progress of a rule. */
interface Sweep {
  rule: RetentionRule
  /** The last value that was read; undefined at the beginning. */
  place: Millis | string | undefined
  begunAt: Millis
  /** Rows of the next step. */
  rows: number
}

/** Removes old rows periodically (decisions: running it, retention). */
export function createHousekeeping(deps: {
  database: Database
  clock: Clock
  retention: Retention
  /** Other periodic work. */
  chores: (() => Promise<void>)[]
  log: { error(data: object, message: string): void }
}): Loop {
  const { database, clock, retention, chores, log } = deps
  const sweeps = retentionRules(retention).map(
    (rule): Sweep => ({ rule, place: undefined, begunAt: clock.now(), rows: FIRST_ROWS }),
  )
  async function sweep(isOver: () => boolean): Promise<void> {
    for (const chore of chores) if (!isOver()) await attend(chore)
    for (const one of sweeps) if (!isOver()) await attend(() => use(one, isOver))
  }

  /** An error in one rule or chore does not stop the others. */
  async function attend(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => log.error({ err: error }, 'housekeeping'))
  }

  async function use(sweep: Sweep, isOver: () => boolean): Promise<void> {
    const since = clock.now() - sweep.begunAt
    if (since >= ANEW || since < 0) Object.assign(sweep, { place: undefined, begunAt: clock.now() })
    while (!isOver()) {
      const took = await step(database, sweep, clock.now())
      if (took === undefined) return
      await pause(restAfter(took))
    }
  }

  // The first run waits for one interval, because a start needs the processor.
  return createLoop({ clock, every: EVERY, first: EVERY, run: sweep, log, name: 'housekeeping' })
}

/**
 * Reads the next rows, removes the old ones, and sets the size of the next step by the time taken.
 * @returns the time of the step; undefined at the end of the table
 */
async function step(database: Database, sweep: Sweep, now: Millis): Promise<Millis | undefined> {
  const { rule, place, rows } = sweep
  const [table, along] = [sql.ref(rule.table), sql.ref(rule.along)]
  const after = place === undefined ? sql`` : sql`and ${along} > ${place}`
  const until = rule.until === undefined ? sql`` : sql`and ${along} <= ${rule.until(now)}`
  const weight = rule.bytes === undefined ? sql`0` : sql`coalesce(length(${sql.ref(rule.bytes)}), 0)`
  const reading = stopwatch()
  const found = await sql<{ edge: Millis | string | null }>`
    select max(place) as edge from (
      select place, sum(weight) over (order by place rows unbounded preceding) - weight as before from (
        select ${along} as place, ${weight} as weight from ${table}
        where true ${after} ${until} order by ${along} limit ${rows}
      ) as few
    ) as weighed where before < ${MOST_BYTES}`.execute(database.db)
  let took = reading()
  const edge = found.rows[0]?.edge ?? undefined
  if (edge === undefined) return undefined
  await database.tx(async (tx) => {
    const removing = stopwatch()
    const where = rule.where === undefined ? sql`` : sql`and ${rule.where(now)}`
    const few = sql<boolean>`${along} <= ${edge} ${after} ${where}`
    if (rule.isPointedAt) await removeUnlocked(tx, database, rule.table as 'event', few)
    else await sql`delete from ${table} where ${few}`.execute(tx)
    took = Math.max(took, removing())
  })
  sweep.place = edge
  sweep.rows = nextRows(rows, took, database.shared ? FEWEST_ROWS.shared : FEWEST_ROWS.alone)
  return took
}

/** The pause after a step of a given time, in milliseconds. */
export function restAfter(took: Millis): Millis {
  return Math.min(took * REST, LONGEST_REST)
}

/** The rows of the next step, at least `fewest`, by the time of the last one. */
export function nextRows(rows: number, took: Millis, fewest = FEWEST_ROWS.alone): number {
  const change = Math.min(Math.max(STEP / took, SHRINK), GROW)
  return Math.round(Math.min(Math.max(rows * change, fewest), MOST_ROWS))
}

/**
 * Removes rows that no other transaction has locked, without waiting. One statement locks the rows and a second checks them again,
 * because it sees later commits: otherwise a delivery that was made in between would be deleted with its event.
 */
async function removeUnlocked(
  tx: Tx,
  { skipLocked }: Database,
  table: 'event',
  few: RawBuilder<boolean>,
): Promise<void> {
  const rows = await tx.selectFrom(table).select('id').where(few).$call(skipLocked).execute()
  if (rows.length === 0) return
  await tx
    .deleteFrom(table)
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where(few)
    .execute()
}
