import pg from 'pg'
import type { Postern } from './postern.ts'
import { until } from './waits.ts'

/** The condition of a row of `pg_stat_activity`: a session of the test's database that waits for a lock. */
export const WAITS_FOR_LOCK = `datname = current_database() and wait_event_type = 'Lock'`

/** A connection to the database of a server, which the test ends. */
export async function connectTo({ env }: Pick<Postern, 'env'>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  return client
}

/**
 * The beginning of a query over `line`, the sessions that wait for a session or for another session in its line. Sessions that wait for
 * other locks are not in it.
 */
export function withLineOf(pid: number): string {
  return `with recursive others as materialized (
      select pid, pg_blocking_pids(pid) as waits_for from pg_stat_activity where ${WAITS_FOR_LOCK}
    ), line as (
      select pid from others where ${pid} = any (waits_for)
      union select others.pid from others join line on line.pid = any (others.waits_for)
    )`
}

/**
 * The number of statements that wait for a lock, without the record of an earlier request of a directory, which the background writes.
 * @param observer has no transaction: one would not see sessions that begin to wait after its first look at them
 */
export async function countLocked(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query(
    `select count(*)::int as count from pg_stat_activity where ${WAITS_FOR_LOCK} and query not like '%scim_exchange%'`,
  )
  return rows[0].count
}

/** Waits until so many statements wait for a lock. */
export async function untilLocked(observer: pg.Client, wanted: number): Promise<void> {
  await until(
    () => countLocked(observer),
    (count) => count === wanted,
    { what: `${wanted} statements that wait for a lock` },
  )
}
