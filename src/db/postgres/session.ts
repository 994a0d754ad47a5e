import type pg from 'pg'
import type { HostTarget } from '../../config/database-url.ts'
import { type Millis, SECOND } from '../../core/clock.ts'

/** The statement timeout, including waits for locks and disks. */
const STATEMENT_TIMEOUT: Millis = 30 * SECOND
/** An idle transaction is ended after this, because its process hangs or is gone. */
const IDLE_TRANSACTION_TIMEOUT: Millis = 30 * SECOND

/** All statements are written for this level. A higher one would abort transactions that should wait for each other. */
const ISOLATION = 'read committed'

/**
 * Settings that must not depend on the defaults of the server, the database or the user. Without `synchronous_commit` an accepted
 * request (202) could be lost.
 */
const SETTINGS = {
  synchronous_commit: 'on',
  statement_timeout: String(STATEMENT_TIMEOUT),
  idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_TIMEOUT),
}

/**
 * Settings of our own sessions. Prepared statements are parsed once and planned at each execution: a plan from an empty table would be
 * cached for minutes while the table fills.
 */
const OF_SESSION = {
  ...SETTINGS,
  default_transaction_isolation: ISOLATION,
  plan_cache_mode: 'force_custom_plan',
}

/**
 * Settings of a session that repeats few statements, for which planning costs as much as execution: each is planned once. The tables may
 * be empty at that time, so the plans are limited to index scans and nested loops, which stay good as the tables fill.
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

/** The settings of one transaction, in the round trip that begins it. */
const OF_TRANSACTION = Object.entries(SETTINGS)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ')

/** The host does not have the required role. */
export class UnfitHostError extends Error {
  override readonly name = 'UnfitHostError'
}

/** The condition of each required role, as in libpq, and the problem of a host that does not fulfil it. */
const FITS: Record<HostTarget, { condition: string; problem: string }> = {
  any: { condition: 'true', problem: 'does not answer' },
  'read-write': {
    condition: `current_setting('transaction_read_only') = 'off'`,
    problem: 'takes no writes',
  },
  primary: { condition: 'not pg_is_in_recovery()', problem: 'is a standby' },
  standby: { condition: 'pg_is_in_recovery()', problem: 'is no standby' },
}

/**
 * Whether the server session belongs to this connection alone. A pooler shares the sessions of the server, and gives each connection an
 * invented process id.
 * @throws UnfitHostError
 */
export function ownsSession(client: pg.ClientBase, target: HostTarget = 'any'): Promise<boolean> {
  return ask(client, target, [])
}

/**
 * As `ownsSession`, and sets up an own session in the same round trip. A session of a pooler stays unchanged.
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
  const { condition, problem } = FITS[target]
  const columns = [`${isOwn(client)} as own`, `${condition} as fits`, ...more]
  const { rows } = await client.query<{ own: boolean; fits: boolean }>(`select ${columns.join(', ')}`)
  if (rows[0]?.fits !== true) throw new UnfitHostError(problem)
  return rows[0].own
}

/** The statement that begins a transaction on a session of a pooler, with our settings. */
export function withSettings(begin: string): string {
  return `${begin} isolation level ${ISOLATION}; ${OF_TRANSACTION}`
}

function isOwn(client: pg.ClientBase): string {
  // The driver stores the process id from the connection's start; its types lack it.
  const { processID } = client as pg.ClientBase & { processID?: number | null }
  return `coalesce(pg_backend_pid() = ${Number(processID ?? 0)}, false)`
}
