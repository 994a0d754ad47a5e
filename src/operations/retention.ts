import { type RawBuilder, sql } from 'kysely'
import { type Clock, HOUR, MINUTE, type Millis, pause, SECOND, stopwatch } from '../core/clock.ts'
import { createLoop, type Loop } from '../core/loop.ts'
import type { Database, Tx } from '../db/database.ts'
import { type Retention, type RetentionRule, retentionRules } from './retention-rules.ts'

const EVERY: Millis = MINUTE
/** A sweep continues where the last one ended. After this long it begins anew, for rows before that place that a rule covers since. */
const ANEW: Millis = HOUR

/** How long one step should take: on the embedded database all other writers wait for it. */
const STEP: Millis = 8
/** Between two steps others have their turn for so many times as long as the step took. */
const REST = 3
/** The longest rest, as the end of the process waits for it. */
const LONGEST_REST: Millis = 2 * SECOND
/** Rows that are looked at in one step: at first and at most. */
const [FIRST_ROWS, MOST_ROWS] = [50, 1_000]
/**
 * Rows of one step at least. PostgreSQL stops no other writer for a step, and on a busy machine or far away a statement takes longer
 * than `STEP` whatever its rows are: steps of ten rows would remove fewer than are published.
 */
const FEWEST_ROWS = { alone: 10, shared: 100 }
/** A step grows and shrinks by as much at most. */
const [SHRINK, GROW] = [0.25, 2]
/** The large columns of one step's rows hold about so many bytes. */
const MOST_BYTES = 1024 * 1024

/** How far a rule has come. */
interface Sweep {
  rule: RetentionRule
  /** The last place that was looked at; undefined at the beginning. */
  place: Millis | string | undefined
  begunAt: Millis
  /** Rows of the next step. */
  rows: number
}

/** Keeps the database from growing for ever (decisions: running it, retention). */
export function createHousekeeping(deps: {
  database: Database
  clock: Clock
  retention: Retention
  /** What else is due from time to time. */
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

  /** An error in one rule or chore does not keep the others from their run. */
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

  // The first run waits, so that a start has the processor for what must be ready soon.
  return createLoop({ clock, every: EVERY, first: EVERY, run: sweep, log, name: 'housekeeping' })
}

/**
 * Looks at the next few rows, removes those that fall under the rule, and lets the next step be as large as fits the time.
 * @returns how long it took; undefined when there is nothing left to look at
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

/** How long others have their turn after a step that took so long, in milliseconds. */
export function restAfter(took: Millis): Millis {
  return Math.min(took * REST, LONGEST_REST)
}

/** How many rows the next step looks at, at least `fewest`, so that it takes its time and not more. */
export function nextRows(rows: number, took: Millis, fewest = FEWEST_ROWS.alone): number {
  const change = Math.min(Math.max(STEP / took, SHRINK), GROW)
  return Math.round(Math.min(Math.max(rows * change, fewest), MOST_ROWS))
}

/**
 * Removes rows without a lock of another transaction, and waits for none. Rows are locked by one statement and checked again by
 * another, which sees what was committed until then: else a delivery that was made in between would be deleted with its event.
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
