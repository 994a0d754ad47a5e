import { type Kysely, sql } from 'kysely'
import { type Clock, MINUTE, type Millis, pause, stopwatch } from '../../core/clock.ts'
import { insideTransaction, isOnStandby, onPrimary } from '../../core/context.ts'
import { type Access, BusyError, type Engine, type Lockable, UnknownOutcomeError } from '../engine/engine.ts'
import { guardDb, guardTx, refuseNesting } from '../engine/guard.ts'
import type { Tx } from '../engine/handles.ts'
import { SCHEMA_VERSION } from '../migrations/migrations.ts'
import type { Tables } from '../tables/tables.ts'
import { createHosts } from './hosts.ts'
import { listen } from './listener.ts'
import { type ConnectionPool, openPool } from './pool.ts'
import { createPresence } from './presence.ts'
import { createReader } from './reader.ts'
import { createStandby, openStandbyPool } from './standby.ts'
import { appendOnly, follows, uniqueIndex } from './table-rules.ts'
import { textIndex, textIndexStatements } from './text-index.ts'

/** The advisory lock of migrations: an arbitrary fixed number. */
const MIGRATION_LOCK = 7_238_911_402

/**
 * How long a migration waits for a table lock. It is shorter than PostgreSQL's `deadlock_timeout` (1 s), so that the migration gives up
 * and no request is cancelled as a deadlock.
 */
const LOCK_WAIT: Millis = 250
const LOCK_PAUSE: Millis = 500
const LOCK_PATIENCE: Millis = 10 * MINUTE
/** `lock_not_available` and `deadlock_detected`. */
const LOCKED: ReadonlySet<string> = new Set(['55P03', '40P01'])

/** The channel of notifications among the processes on one database. */
const CHANNEL = 'postern'

/** Connections of one process, by default. */
const DEFAULT_POOL = 20
/** Reserved connections, at most: for leases, results and health checks. */
const MOST_RESERVED = 2
/** With this many connections for requests, some cache their plans: to accept events, to claim, to write results, and for look-ups. */
const [ENOUGH, ACCEPTING, CLAIMING, SETTLING, LOOKING] = [8, 2, 1, 1, 2]

interface PostgresOptions {
  /** The address without a pooler, for connections that need their own session. */
  directUrl?: string | undefined
  /** The address of hot standbys for reads. */
  standbyUrl?: string | undefined
  clock: Clock
  /**
   * Connections of this process, at most: one listens, a third of the others is for background work, the rest for requests. One more
   * reads vectors during a search.
   */
  size?: number | undefined
  /** Called with the error of an idle connection. */
  onConnectionError: (error: Error) => void
  /** Called with the first host in use of several, and with the new one at each change. */
  onHost?: ((name: string, before: string | undefined) => void) | undefined
  /** Called when the standby can be used, and with the reason when it cannot be used any more. */
  onStandby?: ((trouble: string | undefined) => void) | undefined
  /** Called with the first standby in use of several, and with the new one at each change. */
  onStandbyHost?: ((name: string) => void) | undefined
}

/** The scale-out engine: a PostgreSQL server, which any number of processes use. */
export function openPostgres(
  databaseUrl: string,
  { directUrl = databaseUrl, standbyUrl, clock, size = DEFAULT_POOL, ...told }: PostgresOptions,
): Engine {
  const { onConnectionError, onHost, onStandby, onStandbyHost } = told
  const sizes = sharesOf(size)
  const hosts = createHosts(databaseUrl, { onHost })
  const directHosts = directUrl === databaseUrl ? hosts : createHosts(directUrl, { onHost })
  const open = (name: string, size: number, keepsPlans = false) =>
    openPool(hosts, { name, size, keepsPlans, onConnectionError })
  const standby =
    standbyUrl === undefined
      ? undefined
      : openStandbyPool(standbyUrl, { size: sizes.requests, onConnectionError, onHost: onStandbyHost })
  const background = open('sending', sizes.background)
  const pools = {
    requests: openPool(hosts, {
      ...{ name: 'requests', size: sizes.requests, onConnectionError },
      elsewhere: () => (isOnStandby() ? standby : undefined),
      reserve: reserveOf(background, sizes),
    }),
    ...(standby && { standby: standby.pool }),
    background,
    reserved: open('heartbeats', sizes.reserved),
    ...(sizes.isEnough && {
      accepting: open('accepting', ACCEPTING, true),
      claiming: open('claims', CLAIMING, true),
      settling: open('results', SETTLING, true),
      looking: open('look-ups', LOOKING, true),
    }),
  }
  const requests = accessBy(pools.requests, pools.accepting)
  const ofOwners = accessBy(pools.requests)
  const sending = accessBy(pools.background, pools.claiming)
  const reserved = accessBy(pools.reserved, pools.settling)
  // With a single background connection, a wait for a row would block all other background work. Brief work may wait as well, so it
  // does not use the few connections for claims.
  const patient = accessBy(sizes.background > 1 ? pools.background : pools.requests)
  const lookups = pools.looking === undefined ? sending.db : accessBy(pools.looking).db
  const reading = createReader(requests.db, databaseUrl)
  const presence = createPresence(directHosts, reserved, {
    ...{ clock, schema: SCHEMA_VERSION, onError: onConnectionError },
  })

  return {
    name: 'postgres',
    dialect: {
      integer: 'bigint',
      bytes: 'bytea',
      real: 'double precision',
      table: '',
      volatile: 'unlogged',
      appendOnly,
      // The foreign key check of a row, and its lock on the parent, cost more than the write of the row.
      unchecked: () => '',
      follows,
      uniqueIndex,
      serial: 'bigint generated always as identity primary key',
      textIndex: textIndexStatements,
    },
    shared: true,
    standby: standby && createStandby({ clock, primary: pools.background.connections, standby, onStandby }),
    ...requests,
    background: sending,
    reserved,
    requests: ofOwners,
    patient,
    lookups,
    textIndex,
    reader: reading,
    channel: {
      send: async (text) => void (await sql`select pg_notify(${CHANNEL}, ${text})`.execute(sending.db)),
      listen: (listener) => listen(directHosts, CHANNEL, { clock, onError: onConnectionError, ...listener }),
    },
    host: hosts.used,
    waiting: () => Object.values(pools).reduce((sum, { waiting }) => sum + waiting(), 0),
    skipLocked: <Query extends Lockable>(query: Query) => query.forUpdate().skipLocked() as Query,
    async tables() {
      const { rows } = await sql<{ name: string }>`
        select tablename as name from pg_catalog.pg_tables where schemaname = any(current_schemas(false))`.execute(
        requests.db,
      )
      return new Set(rows.map(({ name }) => name))
    },
    joined: (statements) => (statements.length === 0 ? [] : [statements.join(';\n')]),
    async exclusively(work) {
      // A migration of a large table, and the wait for another process that runs one, have no time limit.
      const pool = openPool(directHosts, {
        name: 'migrating',
        size: 1,
        isPatient: true,
        onConnectionError,
      })
      const once = () =>
        accessBy(pool).tx(async (tx) => {
          await sql`set local statement_timeout = 0`.execute(tx)
          await sql`set local synchronous_commit = on`.execute(tx)
          await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
          if (directUrl !== databaseUrl) await requireLocked(pools.requests.connections)
          await sql`select set_config('lock_timeout', ${String(LOCK_WAIT)}, true)`.execute(tx)
          await work(tx)
        })
      try {
        await untilUnlocked(once)
      } finally {
        await pool.connections.destroy()
      }
    },
    announce: presence.announce,
    lowestServer: presence.lowestServer,
    claimServer: presence.claimServer,
    claimAlone: presence.claimAlone,
    isUniqueViolation: (error) => (error as { code?: string } | null)?.code === '23505',
    // Classes 42 (syntax error or access rule violation) and 23 (integrity constraint violation).
    refusesStatement: (error) => /^(42|23)/.test((error as { code?: string } | null)?.code ?? ''),
    async close() {
      await presence.close()
      await reading.close()
      await Promise.all(Object.values(pools).map(({ connections }) => connections.destroy()))
    },
  }
}

/**
 * Repeats a migration that did not get a table lock in time. It pauses in between, because all other queries of the table wait behind
 * the waiting migration.
 * @throws Error in plain words after `LOCK_PATIENCE`
 */
async function untilUnlocked(work: () => Promise<void>): Promise<void> {
  const elapsed = stopwatch()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!LOCKED.has(code)) throw error
      if (elapsed() > LOCK_PATIENCE)
        throw new Error(
          'The schema could not be changed: a transaction that does not end (a backup, or a session that somebody has left open) holds a table. Nothing was changed.',
          { cause: error },
        )
      await pause(LOCK_PAUSE)
    }
  }
}

interface Sizes {
  requests: number
  background: number
  reserved: number
  /** Whether some connections cache their plans. */
  isEnough: boolean
}

/** Divides connections: one listens, a third of the others is for background work, including the reserved ones. */
function sharesOf(size: number): Sizes {
  const background = Math.max(2, Math.floor((size - 1) / 3))
  const reserved = background >= MOST_RESERVED * 3 ? MOST_RESERVED : 1
  const others = size - 1 - background
  const isEnough = others >= ENOUGH
  const requests = isEnough ? others - ACCEPTING - CLAIMING - SETTLING - LOOKING : others
  return { requests, background: background - reserved, reserved, isEnough }
}

/**
 * Lends half of the connections for background work to requests that have committed a part of their work. It never lends the only
 * connection, because a request that waits for a row would block all background work.
 */
function reserveOf(
  pool: ConnectionPool,
  { background }: Sizes,
): { pool: ConnectionPool; most: number } | undefined {
  const most = Math.floor(background / 2)
  return most === 0 ? undefined : { pool, most }
}

/**
 * Checks that `DATABASE_URL` sees the lock that was taken by `DATABASE_DIRECT_URL`, so that both are addresses of one database.
 */
async function requireLocked(connections: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as free`.execute(connections)
  if (rows[0]?.free !== false)
    throw new Error('DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Nothing was changed.')
}

/** @param forBrief the connections for brief work, where these are separate */
function accessBy(pool: ConnectionPool, forBrief = pool): Access {
  const { connections } = pool
  const tx = async <T>(work: (tx: Tx) => Promise<T>, by: Kysely<Tables> = connections): Promise<T> => {
    refuseNesting()
    let committed = () => {}
    let failure: { cause: unknown } | undefined
    try {
      const value = await onPrimary(() =>
        by.transaction().execute(async (transaction) => {
          const guarded = guardTx(transaction)
          committed = guarded.committed
          try {
            return await insideTransaction(() => work(guarded.tx))
          } catch (cause) {
            failure = { cause }
            throw cause
          } finally {
            guarded.end()
          }
        }),
      )
      committed()
      return value
    } catch (error) {
      // After a lost connection the rollback fails as well; the first error is more useful.
      throw failure === undefined ? error : failure.cause
    }
  }
  return {
    db: guardDb(connections),
    tx: (work) => tx(work),
    async brief(work) {
      refuseNesting()
      // A session behind a pooler has our settings only within a transaction.
      return onPrimary(() =>
        forBrief.connections
          .connection()
          .execute((connection) =>
            forBrief.ownsSessions() ? briefly(connection, work) : tx(work, connection),
          ),
      )
    },
    relaxed: (work) =>
      tx(async (tx) => {
        await sql`set local synchronous_commit = off`.execute(tx)
        return work(tx)
      }),
  }
}

async function briefly<T>(connection: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { tx, hasWritten, end, committed } = guardTx(connection, undefined, true)
  try {
    const value = await insideTransaction(() => work(tx))
    committed()
    return value
  } catch (error) {
    if (!hasWritten() || isRefusal(error)) throw error
    throw new UnknownOutcomeError('it is unknown whether it was committed', { cause: error })
  } finally {
    end()
  }
}

/**
 * SQLSTATE classes of a statement that a working server refused. Lost connections and stopping servers have other codes, and the texts
 * of errors depend on the language of the server.
 */
const REFUSALS = /^(2[0-9]|40(?!003)|42|44|53|54|55|P0)/

function isRefusal(error: unknown): boolean {
  return error instanceof BusyError || REFUSALS.test((error as { code?: string } | null)?.code ?? '')
}
