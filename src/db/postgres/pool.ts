import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { HostTarget } from '../../config/database-url.ts'
import { MINUTE, type Millis, SECOND } from '../../core/clock.ts'
import { currentInterruption, currentOwner, hasWritten, runWithoutOwner } from '../../core/context.ts'
import { BusyError } from '../engine/engine.ts'
import { statementName } from '../engine/prepared.ts'
import type { Tables } from '../tables/tables.ts'
import { createConnectionShares, LateError } from './connection-shares.ts'
import { CopyOut, type OnRow } from './copy-out.ts'
import { CONNECT_TIMEOUT, type Hosts } from './hosts.ts'
import { beginSession, ownsSession, withSettings } from './session.ts'

/** Multiple of that wait for a connection of the owner's own share: as long as the statements that use the share up may take. */
const OWN_TIMES = 6
/** No answer at all, not even the one above: the network has swallowed it, and the connection is given up. */
const ANSWER_TIMEOUT: Millis = 40 * SECOND
/** How long an idle connection is kept; its kept plans are lost with it. */
const [IDLE, IDLE_WITH_PLANS]: [Millis, Millis] = [10 * SECOND, MINUTE]

/** Connections of one purpose: waiting for one of them does not depend on those of other purposes. */
export interface ConnectionPool {
  connections: Kysely<Tables>
  /** Hands on the rows of a query as they come, in the server's own bytes, which are there until `onRow` returns. */
  copyOut(query: CompiledQuery, onRow: OnRow): Promise<void>
  /** Whether every session so far was its connection's own, and is set up as ours. */
  ownsSessions(): boolean
  /** How many queries wait for a connection now. */
  waiting(): number
}

interface PoolOptions {
  /** Says in messages what the connections are for. */
  name: string
  /** Connections at most; they are opened when they are asked for. */
  size: number
  /** Set where statements may take as long as they take. */
  isPatient?: boolean
  /** Set where connections run few kinds of statements, whose plans are then made once. */
  keepsPlans?: boolean
  /** Called with the error of a connection that broke while it was idle. */
  onConnectionError: (error: Error) => void
}

export function openPool(
  hosts: Hosts,
  { name, size, isPatient = false, keepsPlans = false, onConnectionError }: PoolOptions,
): ConnectionPool {
  let ownsSessions = true
  const pool = new pg.Pool({
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    // Each is made for the host that is in use when it is made.
    Client: class extends Connection {
      constructor(options?: pg.ClientConfig) {
        super({ ...options, ...hosts.settings() }, hosts)
      }
    },
    max: size,
    idleTimeoutMillis: keepsPlans ? IDLE_WITH_PLANS : IDLE,
    ...(isPatient ? {} : { query_timeout: ANSWER_TIMEOUT }),
    // By a statement and not at the start of the connection, where poolers refuse what they do not know.
    onConnect: async (client: pg.ClientBase) => {
      // The caller that gives up a broken connection opens this one for another caller, so it must not be interrupted with the first.
      if (
        !(await runWithoutOwner(() =>
          (client as Connection).begin({ isPatient, keepsPlans, target: hosts.target }),
        ))
      )
        ownsSessions = false
    },
    types: {
      // Moments and counts are bigint there and safe integers here.
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === pg.types.builtins.INT8
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // An idle connection that the server closed: the next query opens another.
  pool.on('error', (error) => onConnectionError(withoutClient(error)))
  // One in use: its query or its transaction fails and tells. Unheard, this would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const shares = createConnectionShares({ most: size, patience: CONNECT_TIMEOUT, times: OWN_TIMES })

  async function placeOf(whose: string | undefined): Promise<() => void> {
    try {
      return await shares.take(whose)
    } catch (error) {
      throwExplained(error, name, size)
    }
  }

  /** A connection whose place is given back with it. */
  async function connect(): Promise<pg.PoolClient> {
    const leave = await placeOf(currentOwner())
    try {
      // A connection that is opened serves later callers as well.
      const client = await runWithoutOwner(() => hosts.reach(() => pool.connect()))
      const { release } = client
      client.release = (failure) => {
        release.call(client, failure)
        leave()
      }
      return client
    } catch (error) {
      leave()
      throw error
    }
  }

  const dialect = new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } })
  return {
    connections: new Kysely<Tables>({ dialect }),
    async copyOut(query, onRow) {
      const client = await connect()
      let failure: Error | undefined
      try {
        await new Promise<void>((resolve, reject) =>
          client.query(
            new CopyOut(query, onRow, (error) => (error === undefined ? resolve() : reject(error))),
          ),
        )
      } catch (error) {
        failure = error as Error
        throw error
      } finally {
        // After an answer that did not come, the answer of the next query would be taken for it.
        client.release(failure)
      }
    },
    ownsSessions: () => ownsSessions,
    waiting: shares.waiting,
  }
}

function throwExplained(error: unknown, name: string, size: number): never {
  if (!(error instanceof LateError)) throw error
  const { isUsedUp } = error
  const inUse = isUsedUp ? `all ${size}` : `one caller's share of the ${size}`
  const patience = isUsedUp ? CONNECT_TIMEOUT : OWN_TIMES * CONNECT_TIMEOUT
  throw new BusyError(
    `${inUse} database connections for ${name} were in use for ${patience / SECOND} s: raise DATABASE_POOL, or look for what is slow`,
    { isUsedUp, isUntouched: !hasWritten() },
  )
}

/** The pool adds the whole connection to its error, with all that it holds: no line of a log. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client
  return error
}

/** PostgreSQL's code for a write where only reading is allowed. */
const READ_ONLY = '25006'

/**
 * Whether a connection is not to be used again: whatever came next would wait behind an answer that does not come, or the
 * server at its end takes no writes any more, while another one may have become the primary.
 */
function isUseless(error: unknown): boolean {
  return (error as { message?: string }).message === 'Query read timeout' || isReadOnly(error)
}

function isReadOnly(error: unknown): boolean {
  return (error as { code?: string }).code === READ_ONLY
}

/** How Kysely begins a transaction. */
const BEGINS = /^(begin|start transaction)\b/

type Begin = Required<Pick<PoolOptions, 'isPatient' | 'keepsPlans'>> & { target: HostTarget }

/**
 * A commit that was told to wait no longer for a standby: it is done here, and a failover may take it back. An administrator cancels
 * such waits.
 */
class UnreplicatedError extends Error {
  override readonly name = 'UnreplicatedError'
}

/** The function of PostgreSQL that warns of it; the words depend on the language of the server. */
const SYNC_REPLICATION_WAIT = 'SyncRepWaitForLSN'

/**
 * A connection that is not used again after it broke. Where its session is its own, PostgreSQL gets the text of a prepared query
 * only once; behind a pooler nothing is prepared, because another client gets the session next.
 */
class Connection extends pg.Client {
  readonly #hosts: Hosts
  #isPatient = false
  #isOwn = false
  #isUnreplicated = false

  constructor(settings: pg.ClientConfig, hosts: Hosts) {
    super(settings)
    this.#hosts = hosts
    hosts.track(this)
    this.on('notice', ({ routine }) => {
      if (routine === SYNC_REPLICATION_WAIT) this.#isUnreplicated = true
    })
  }

  /** Before anything else is asked of it. @returns whether its session is its own @throws UnfitHostError */
  async begin({ isPatient, keepsPlans, target }: Begin): Promise<boolean> {
    this.#isPatient = isPatient
    this.#isOwn = await (isPatient ? ownsSession(this, target) : beginSession(this, { target, keepsPlans }))
    return this.#isOwn
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has a dozen forms, of which two are used.
  override query(...[query, values, ...rest]: any[]): any {
    const name = this.#isOwn && typeof query === 'string' ? statementName(query) : undefined
    const call = super.query as (...args: unknown[]) => unknown
    const answer =
      name !== undefined
        ? call.call(this, { name, text: query, values }, ...rest)
        : this.#mustSet(query)
          ? call.call(this, withSettings(query))
          : call.call(this, query, values, ...rest)
    if (!(answer instanceof Promise)) return answer
    return this.#untilInterrupted(answer).then(
      (result) => this.#replicated(result),
      (error: unknown) => {
        if (isReadOnly(error)) this.#hosts.markReadOnly(this)
        if (isUseless(error)) void this.end().catch(() => {})
        throw error
      },
    )
  }

  /** What was answered after a warning that no standby has it is no success: nobody may be told so. */
  #replicated<T>(result: T): T {
    if (!this.#isUnreplicated) return result
    this.#isUnreplicated = false
    throw new UnreplicatedError('the commit was told to wait no longer for a standby of PostgreSQL')
  }

  /** Cut off, the statement fails here at once. The server ends it with its lock's or its own time, and commits nothing. */
  #untilInterrupted<T>(answer: Promise<T>): Promise<T> {
    const signal = currentInterruption()
    if (signal === undefined) return answer
    const cut = () => void this.connection.stream.destroy()
    if (signal.aborted) cut()
    signal.addEventListener('abort', cut, { once: true })
    return answer.finally(() => signal.removeEventListener('abort', cut))
  }

  /** Whether it begins a transaction on a session that has none of our settings. */
  #mustSet(query: unknown): query is string {
    return !this.#isOwn && !this.#isPatient && typeof query === 'string' && BEGINS.test(query)
  }
}
