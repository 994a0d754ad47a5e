import { type Kysely, sql } from 'kysely'
import { type Clock, MINUTE, type Millis, pause, stopwatch } from '../../core/clock.ts'
import { insideTransaction } from '../../core/context.ts'
import { type Access, type Engine, type Lockable, UnknownOutcomeError } from '../engine/engine.ts'
import { guardDb, guardTx, refuseNesting } from '../engine/guard.ts'
import type { Tx } from '../engine/handles.ts'
import { SCHEMA_VERSION } from '../migrations/migrations.ts'
import type { Tables } from '../tables/tables.ts'
import { createHosts } from './hosts.ts'
import { listen } from './listener.ts'
import { type ConnectionPool, openPool } from './pool.ts'
import { createPresence } from './presence.ts'
import { createReader } from './reader.ts'
import { appendOnly, follows, uniqueIndex } from './table-rules.ts'
import { textIndex, textIndexStatements } from './text-index.ts'

/** Any fixed number: every process that migrates asks for the same one. */
const MIGRATION_LOCK = 7_238_911_402

/**
 * How long a step of the schema waits for a table that servers use. Less than PostgreSQL waits before it looks for deadlocks (1 s): the
 * step gives up, and no request is ended for it.
 */
const LOCK_WAIT: Millis = 250
const LOCK_PAUSE: Millis = 500
const LOCK_PATIENCE: Millis = 10 * MINUTE
/** `lock_not_available` and `deadlock_detected`. */
const LOCKED: ReadonlySet<string> = new Set(['55P03', '40P01'])

/** The channel on which the processes on one database hear of each other. */
const CHANNEL = 'postern'

/** Connections of one process unless the settings give a number. */
const DEFAULT_POOL = 20
/** Of these, how many are reserved at most: for leases, for results, and for checks of the process's health. */
const MOST_RESERVED = 2
/** From so many connections for requests on, some keep their plans: to accept events, to claim, to write results, and for look-ups. */
const [ENOUGH, ACCEPTING, CLAIMING, SETTLING, LOOKING] = [8, 2, 1, 1, 2]

interface PostgresOptions {
  /** Past the pooler, where there is one: for what needs a session of its own. */
  directUrl?: string | undefined
  clock: Clock
  /** Connections of this process at most: one listens, a third of the others sends, the rest answers requests.
   * One more reads vectors while they are searched. */
  size?: number | undefined
  /** Called with the error of a connection that broke while it was idle. */
  onConnectionError: (error: Error) => void
  /** Called with the host that is used first, of several, and with each that is used instead of another. */
  onHost?: ((name: string, before: string | undefined) => void) | undefined
}

/** The scale-out engine: a PostgreSQL server, on which any number of processes work. */
export function openPostgres(
  databaseUrl: string,
  { directUrl = databaseUrl, clock, size = DEFAULT_POOL, onConnectionError, onHost }: PostgresOptions,
): Engine {
  const sizes = sharesOf(size)
  const hosts = createHosts(databaseUrl, { onHost })
  const directHosts = directUrl === databaseUrl ? hosts : createHosts(directUrl, { onHost })
  const open = (name: string, size: number, keepsPlans = false) =>
    openPool(hosts, { name, size, keepsPlans, onConnectionError })
  const pools = {
    requests: open('requests', sizes.requests),
    background: open('sending', sizes.background),
    reserved: open('heartbeats', sizes.reserved),
    ...(sizes.isEnough && {
      accepting: open('accepting', ACCEPTING, true),
      claiming: open('claims', CLAIMING, true),
      settling: open('results', SETTLING, true),
      looking: open('look-ups', LOOKING, true),
    }),
  }
  const requests = accessBy(pools.requests, pools.accepting)
  const sending = accessBy(pools.background, pools.claiming)
  const reserved = accessBy(pools.reserved, pools.settling)
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
      // A check of each row, and a lock on the row that it refers to, cost more than writing the row.
      unchecked: () => '',
      follows,
      uniqueIndex,
      serial: 'bigint generated always as identity primary key',
      textIndex: textIndexStatements,
    },
    shared: true,
    ...requests,
    background: sending,
    reserved,
    // A small pool has a single connection for these: one that waited for a row would keep all others from it.
    patient: sizes.background > 1 ? sending : requests,
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
 * Repeats what has waited for a lock of a table too long: meanwhile all that others ask of the table waits behind it.
 * @throws Error in plain words, once that has taken long
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
  /** Whether there are enough for some that keep their plans. */
  isEnough: boolean
}

/** One connection listens; of the others a third works in the background, and of those some are reserved. */
function sharesOf(size: number): Sizes {
  const behind = Math.max(2, Math.floor((size - 1) / 3))
  const reserved = behind >= MOST_RESERVED * 3 ? MOST_RESERVED : 1
  const others = size - 1 - behind
  const isEnough = others >= ENOUGH
  const requests = isEnough ? others - ACCEPTING - CLAIMING - SETTLING - LOOKING : others
  return { requests, background: behind - reserved, reserved, isEnough }
}

/**
 * Proves that a lock taken by `DATABASE_DIRECT_URL` is seen by `DATABASE_URL`: both must be addresses of one database, or the
 * tables would be made in another one.
 */
async function requireLocked(connections: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as free`.execute(connections)
  if (rows[0]?.free !== false)
    throw new Error('DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Nothing was changed.')
}

/** @param forBrief for work that is brief, where that has connections of its own */
function accessBy(pool: ConnectionPool, forBrief = pool): Access {
  const { connections } = pool
  const tx = async <T>(work: (tx: Tx) => Promise<T>, by: Kysely<Tables> = connections): Promise<T> => {
    refuseNesting()
    let committed = () => {}
    let failure: { cause: unknown } | undefined
    try {
      const value = await by.transaction().execute(async (transaction) => {
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
      })
      committed()
      return value
    } catch (error) {
      // After a lost connection the rollback fails as well; the first error says more.
      throw failure === undefined ? error : failure.cause
    }
  }
  return {
    db: guardDb(connections),
    tx: (work) => tx(work),
    async brief(work) {
      refuseNesting()
      // Another's session has none of our settings but what a transaction brings with it.
      return forBrief.connections
        .connection()
        .execute((connection) => (forBrief.ownsSessions() ? briefly(connection, work) : tx(work, connection)))
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
    throw new UnknownOutcomeError('nobody knows whether it was committed', { cause: error })
  } finally {
    end()
  }
}

/**
 * Classes of PostgreSQL's codes by which it says that it has not done a statement, and lives; its words for that depend on the
 * language of the server. Connections that end and servers that stop have others.
 */
const REFUSALS = /^(2[0-9]|40(?!003)|42|44|53|54|55|57014|P0)/

function isRefusal(error: unknown): boolean {
  return REFUSALS.test((error as { code?: string } | null)?.code ?? '')
}
