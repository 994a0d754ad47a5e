import { type Kysely, sql } from 'kysely'
import { type Clock, type Millis, pause, SECOND, systemClock, within } from '../../core/clock.ts'
import { onStandby, runWithoutOwner } from '../../core/context.ts'
import { withFailureBackoff } from '../../core/failure-backoff.ts'
import { memoizeFor } from '../../core/memoize.ts'
import type { Standby } from '../engine/engine.ts'
import type { Tables } from '../tables/tables.ts'
import { createHosts } from './hosts.ts'
import { type ConnectionPool, openPool } from './pool.ts'

/** The primary answers where the standby is further behind. */
const MOST_BEHIND: Millis = 10 * SECOND
/** How long a comparison with the primary is used. */
const KEPT: Millis = SECOND
/** The pause after a failed comparison. */
const LEFT_ALONE: Millis = 5 * SECOND
/** How long a request waits for the position of the standby. */
const PATIENCE: Millis = SECOND
/** Kept positions of the primary: one for each second of `MOST_BEHIND`, and some more. */
const MOST_SAMPLES = 16

/** Every commit that was acknowledged before `at` has a position of the log up to this one. */
interface Sample {
  at: Millis
  position: number
  timeline: string
  /** The cluster and its database. */
  origin: string
}

/** A standby has the identifier of the cluster that it copies. */
const ORIGIN = sql<string>`(select system_identifier from pg_control_system()) || ' ' || current_database()`

interface StandbyOptions {
  clock: Clock
  primary: Kysely<Tables>
  standby: Kysely<Tables>
  /** Called when the standby can be used, and with the reason when it cannot be used any more. */
  onStandby: ((trouble: string | undefined) => void) | undefined
}

/**
 * A hot standby for reads. Positions are read when they are needed, so that an idle server asks nothing. The position of the primary is
 * read first: a standby that has replayed it has every commit that was acknowledged before.
 */
export function createStandby({ clock, primary, standby, onStandby: report }: StandbyOptions): Standby {
  const samples: Sample[] = []
  let trouble: string | undefined | null = null
  let server: string | undefined

  function say(text: string | undefined): void {
    if (trouble !== text) report?.(text)
    trouble = text
  }

  async function sample(): Promise<Sample> {
    const at = clock.now()
    const { rows } = await sql<Omit<Sample, 'at'>>`
      select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position,
        left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline, ${ORIGIN} as origin`.execute(
      primary,
    )
    const [row] = rows
    if (row === undefined) throw new Error('cannot be compared with the primary')
    const taken = { ...row, at, position: Number(row.position) }
    const before = samples.at(-1)
    // After a failover, positions of the former primary are those of another log; after a correction of the clock, moments are too late.
    if (before !== undefined && (before.timeline !== taken.timeline || before.at > at)) samples.length = 0
    samples.push(taken)
    if (samples.length > MOST_SAMPLES) samples.shift()
    return taken
  }

  /**
   * @returns the position up to which the standby shows commits
   * @throws Error where it is no standby of that origin, or not the server of the last comparison: positions are those of one server
   */
  async function replayed(origin: string): Promise<number> {
    const { rows } = await sql<{ position: number | null; origin: string; server: string }>`
      select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as position,
        ${ORIGIN} as origin, concat(inet_server_addr(), ' ', inet_server_port()) as server`.execute(standby)
    const [row] = rows
    if (row?.origin !== origin) throw new Error('is a standby of another database')
    if (row.position === null) throw new Error('is no standby')
    const before = server
    server = row.server
    if (before !== undefined && before !== server) throw new Error('has become another server')
    return Number(row.position)
  }

  /** @returns the moment before which the standby has every acknowledged commit; undefined where it has none of the positions */
  async function compare(): Promise<Millis | undefined> {
    const { origin } = await sample()
    const position = await replayed(origin)
    say(undefined)
    return samples.findLast((one) => one.position <= position)?.at
  }

  const compared = withFailureBackoff(
    [LEFT_ALONE],
    memoizeFor(KEPT, () => within(PATIENCE, compare())),
  )

  return {
    async asOf() {
      const now = clock.now()
      try {
        const asOf = await runWithoutOwner(() => compared(now, 'stranger'))
        if (asOf === undefined) return undefined
        const behind = clock.now() - asOf
        return behind >= 0 && behind <= MOST_BEHIND ? asOf : undefined
      } catch (error) {
        say((error as Error).message)
        return undefined
      }
    },
    reading: onStandby,
  }
}

/** The state of a standby. */
export interface StandbyAnswer {
  /** Why it cannot be used; undefined where it can. */
  trouble: string | undefined
  /** How far it is behind; undefined where it is more than 10 seconds behind. */
  behind: Millis | undefined
}

/** Compares a standby with its primary once. */
export async function inspectStandby(databaseUrl: string, standbyUrl: string): Promise<StandbyAnswer> {
  const [primary, copy] = [databaseUrl, standbyUrl].map((url) =>
    openPool(createHosts(url), { name: 'inspection', size: 1, onConnectionError() {} }),
  ) as [ConnectionPool, ConnectionPool]
  let trouble: string | undefined
  try {
    const standby = createStandby({
      ...{ clock: systemClock, primary: primary.connections, standby: copy.connections },
      onStandby(text) {
        trouble = text
      },
    })
    let asOf = await standby.asOf()
    if (asOf === undefined && trouble === undefined) {
      // Under load it may be behind the position that was just read, and have it now.
      await pause(2 * KEPT)
      asOf = await standby.asOf()
    }
    return { trouble, behind: asOf === undefined ? undefined : Math.max(0, systemClock.now() - asOf) }
  } finally {
    await Promise.all([primary, copy].map(({ connections }) => connections.destroy()))
  }
}
