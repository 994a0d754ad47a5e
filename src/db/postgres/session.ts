import type pg from 'pg'
import type { HostTarget } from '../../config/database-url.ts'
import { type Millis, SECOND } from '../../core/clock.ts'

/** A statement that takes longer is ended by PostgreSQL, which waits for locks and disks no longer than that. */
const STATEMENT_TIMEOUT: Millis = 30 * SECOND
/** A transaction in which nothing happens holds its locks no longer: its process hangs or is gone. */
const IDLE_TRANSACTION_TIMEOUT: Millis = 30 * SECOND

/** Every statement is written for it: any other would end transactions that are meant to wait for one another. */
const ISOLATION = 'read committed'

/**
 * What is set and not left to the defaults of the server, the database or the user. A commit that did not wait for the
 * disk would break every promise about a 202.
 */
const SETTINGS = {
  synchronous_commit: 'on',
  statement_timeout: String(STATEMENT_TIMEOUT),
  idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_TIMEOUT),
}

/**
 * For a session of our own beside those. A prepared query is parsed once and planned each time: a plan that was made
 * while a table was empty would be kept for minutes while that fills.
 */
const OF_SESSION = {
  ...SETTINGS,
  default_transaction_isolation: ISOLATION,
  plan_cache_mode: 'force_custom_plan',
}

/**
 * Settings of a session that repeats the same few statements, where planning would cost as much as running: each is planned once.
 * The tables may be empty at that time, so a plan must stay right when they fill: it reads by an index, row by row.
 */
const WITH_KEPT_PLANS = {
  ...OF_SESSION,
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}

/** The same for one transaction, in the round trip that begins it. */
const OF_TRANSACTION = Object.entries(SETTINGS)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ')

/** The host at the other end is not one that is asked for. */
export class UnfitHostError extends Error {
  override readonly name = 'UnfitHostError'
}

/** What tells whether a host is one that is asked for, as libpq asks it. */
const FITS: Record<HostTarget, string> = {
  any: 'true',
  'read-write': `current_setting('transaction_read_only') = 'off'`,
  primary: 'not pg_is_in_recovery()',
}

/**
 * Whether the session at the other end is this connection's own for as long as it lives. A pooler in between hands the
 * sessions of the server out, and each connection a process number of its own making, which is none of the server's.
 * @throws UnfitHostError
 */
export function ownsSession(client: pg.ClientBase, target: HostTarget = 'any'): Promise<boolean> {
  return ask(client, target, [])
}

/**
 * As `ownsSession`; where it is, the session is set up in the same round trip. A session of a pooler is left as it was.
 * @throws UnfitHostError
 */
export function beginSession(
  client: pg.ClientBase,
  { target, keepsPlans }: { target: HostTarget; keepsPlans: boolean },
): Promise<boolean> {
  const settings = Object.entries(keepsPlans ? WITH_KEPT_PLANS : OF_SESSION).map(
    ([name, value]) => `case when ${isOwn(client)} then set_config('${name}', '${value}', false) end`,
  )
  return ask(client, target, settings)
}

async function ask(client: pg.ClientBase, target: HostTarget, more: string[]): Promise<boolean> {
  const asked = [`${isOwn(client)} as own`, `${FITS[target]} as fits`, ...more]
  const { rows } = await client.query<{ own: boolean; fits: boolean }>(`select ${asked.join(', ')}`)
  if (rows[0]?.fits !== true)
    throw new UnfitHostError(target === 'primary' ? 'is a standby' : 'takes no writes')
  return rows[0].own
}

/** How a transaction begins on a session that is another's after it. */
export function withSettings(begin: string): string {
  return `${begin} isolation level ${ISOLATION}; ${OF_TRANSACTION}`
}

function isOwn(client: pg.ClientBase): string {
  // The driver keeps what it was told when it connected, and its types do not say so.
  const { processID } = client as pg.ClientBase & { processID?: number | null }
  return `coalesce(pg_backend_pid() = ${Number(processID ?? 0)}, false)`
}
