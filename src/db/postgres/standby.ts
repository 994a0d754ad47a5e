import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { hostsOf } from '../../config/database-url.ts'
import { type Clock, type Millis, pause, SECOND, stopwatch, systemClock, within } from '../../core/clock.ts'
import { onStandby, runWithoutOwner, standbyHost } from '../../core/context.ts'
import { withFailureBackoff } from '../../core/failure-backoff.ts'
import { memoizeFor } from '../../core/memoize.ts'
import type { Standby, StandbyCopy } from '../engine/engine.ts'
import type { Tables } from '../tables/tables.ts'
import { createHosts, type Hosts } from './hosts.ts'
import { type ConnectionPool, openPool } from './pool.ts'

/** The primary answers where the standby is further behind, and another standby is tried. */
const MOST_BEHIND: Millis = 10 * SECOND
/** How long a comparison with the primary is used. */
const KEPT: Millis = SECOND
/** The pause after a failed comparison. */
const LEFT_ALONE: Millis = 5 * SECOND
/** The time between two exchanges of standbys that are behind, in which the next one may be behind as well. */
const NEXT_EXCHANGE: Millis = 30 * SECOND
/** How long a request waits for the positions of both. */
const PATIENCE: Millis = SECOND
/** The timeout of the standby's answer to a list; the primary answers the request then. */
const ANSWER_TIMEOUT: Millis = 5 * SECOND
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
const ORIGIN = `(select system_identifier from pg_control_system()) || ' ' || current_database()`

/** Whether a server is a standby, up to which position it has replayed the log, and which server it is. */
const REPLAYED = `
  select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as position,
    ${ORIGIN} as origin, concat(inet_server_addr(), ' ', inet_server_port()) as server`

/** The position of a standby. */
interface Replayed {
  position: number
  /** The period of use of its host. */
  host: object | undefined
  client: pg.PoolClient
}

/** Connections to standbys. */
interface StandbyPool {
  pool: ConnectionPool
  hosts: Hosts
  /**
   * Opens a connection for work on a standby.
   * @throws Error where another standby is in use than the one that the work was given
   */
  connect(): Promise<pg.PoolClient>
}

interface StandbyPoolOptions {
  size: number
  onConnectionError: (error: Error) => void
  /** Called with the first standby in use of several, and with the new one at each change. */
  onHost?: ((name: string) => void) | undefined
}

/**
 * Opens the connections to a standby, on demand.
 * @param standbyUrl an address of one host or several; the pool uses the first host that is a standby and answers
 */
export function openStandbyPool(
  standbyUrl: string,
  { size, onConnectionError, onHost }: StandbyPoolOptions,
): StandbyPool {
  const hosts = createHosts(standbyUrl, { role: 'standby', onHost })
  const pool = openPool(hosts, {
    ...{ name: 'lists', size, answerTimeout: ANSWER_TIMEOUT, onConnectionError },
  })
  return {
    ...{ pool, hosts },
    async connect() {
      const client = await pool.connect()
      if (hosts.periodOf(client) === standbyHost()) return client
      client.release()
      throw new Error('another standby has taken its place')
    },
  }
}

interface StandbyOptions {
  clock: Clock
  primary: Kysely<Tables>
  standby: StandbyPool
  /** Called when the standby can be used, and with the reason when it cannot be used any more. */
  onStandby: ((trouble: string | undefined) => void) | undefined
}

/**
 * Compares the hot standby in use with the primary. Only a request for a list causes a comparison, so an idle server sends no queries.
 * The comparison reads the position of the primary first, because a standby that has replayed this position has every commit that was
 * acknowledged before.
 */
export function createStandby({ clock, primary, standby, onStandby: report }: StandbyOptions): Standby {
  const samples: Sample[] = []
  let trouble: string | undefined | null = null
  let before: { server: string; host: object | undefined } | undefined
  let sinceExchange = (): Millis => NEXT_EXCHANGE

  function say(text: string | undefined): void {
    if (trouble !== text) report?.(text)
    trouble = text
  }

  async function sample(): Promise<Sample> {
    const at = clock.now()
    const { rows } = await sql<Omit<Sample, 'at'>>`
      select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position,
        left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline, ${sql.raw(ORIGIN)} as origin`.execute(
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
  async function replayed(origin: string): Promise<Replayed> {
    const client = await standby.pool.connect()
    try {
      const { rows } = await client.query<{ position: string | null; origin: string; server: string }>(
        REPLAYED,
      )
      const [row] = rows
      if (row?.origin !== origin) throw new Error('is a standby of another database')
      if (row.position === null) throw new Error('is no standby')
      const host = standby.hosts.periodOf(client)
      const last = before
      before = { server: row.server, host }
      if (last !== undefined && last.host === host && last.server !== row.server)
        throw new Error('has become another server')
      return { position: Number(row.position), host, client }
    } catch (error) {
      standby.hosts.markUnfit(client)
      throw error
    } finally {
      client.release()
    }
  }

  /** Leaves a standby that is too far behind for the next one, which may be behind as well: then the primary answers until the next exchange. */
  function exchange(client: pg.Client): void {
    if (sinceExchange() < NEXT_EXCHANGE) return
    sinceExchange = stopwatch()
    standby.hosts.tryAnother(client)
  }

  /** @returns the copy, whether it is recent enough or not; undefined where it has none of the kept positions of the primary */
  async function compare(): Promise<StandbyCopy | undefined> {
    const { origin } = await sample()
    const { position, host, client } = await replayed(origin)
    say(undefined)
    const late = clock.now() - MOST_BEHIND
    if (samples.some((one) => one.at <= late && one.position > position)) exchange(client)
    const last = samples.findLast((one) => one.position <= position)
    return last && { asOf: last.at, reading: (work) => onStandby(work, host) }
  }

  const compared = withFailureBackoff(
    [LEFT_ALONE],
    memoizeFor(KEPT, () => within(PATIENCE, compare())),
  )

  return {
    async copy() {
      const now = clock.now()
      try {
        const copy = await runWithoutOwner(() => compared(now, 'stranger'))
        if (copy === undefined) return undefined
        const behind = clock.now() - copy.asOf
        return behind >= 0 && behind <= MOST_BEHIND ? copy : undefined
      } catch (error) {
        say((error as Error).message)
        return undefined
      }
    },
  }
}

/** The state of a standby. */
export interface StandbyAnswer {
  /** Why it cannot be used; undefined where it can. */
  trouble: string | undefined
  /** How far it is behind; undefined where it is more than 10 seconds behind. */
  behind: Millis | undefined
}

/** Compares a standby with its primary once; of several standbys each, if the first that answers is behind. */
export async function inspectStandby(databaseUrl: string, standbyUrl: string): Promise<StandbyAnswer> {
  const first = await inspectOne(databaseUrl, standbyUrl)
  const { urls } = hostsOf(standbyUrl, 'standby')
  if (urls.length === 1 || first.behind !== undefined || first.trouble !== undefined) return first
  const all = await Promise.all(urls.map((url) => inspectOne(databaseUrl, url)))
  return all.find(({ behind }) => behind !== undefined) ?? first
}

async function inspectOne(databaseUrl: string, standbyUrl: string): Promise<StandbyAnswer> {
  const options = { size: 1, onConnectionError() {} }
  const primary = openPool(createHosts(databaseUrl), { name: 'inspection', ...options })
  const standby = openStandbyPool(standbyUrl, options)
  let trouble: string | undefined
  try {
    const { copy } = createStandby({
      ...{ clock: systemClock, primary: primary.connections, standby },
      onStandby(text) {
        trouble = text
      },
    })
    let found = await copy()
    if (found === undefined && trouble === undefined) {
      // Under load it may be behind the position that was just read, and have it now.
      await pause(2 * KEPT)
      found = await copy()
    }
    return { trouble, behind: found && Math.max(0, systemClock.now() - found.asOf) }
  } finally {
    await Promise.all([primary, standby.pool].map(({ connections }) => connections.destroy()))
  }
}
