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
import { CONNECT_TIMEOUT, type Hosts, isHostFailure } from './hosts.ts'
import { beginSession, ownsSession, withSettings } from './session.ts'

/** A wait for a connection of the owner's own share is longer by this factor: as long as the statements that use up the share may take. */
const OWN_TIMES = 6
/** The timeout of an answer. It is longer than the server's statement timeout, so the answer is lost, and the connection is closed. */
const ANSWER_TIMEOUT: Millis = 40 * SECOND
/** How long an idle connection is kept open; its cached plans are lost with it. */
const [IDLE, IDLE_WITH_PLANS]: [Millis, Millis] = [10 * SECOND, MINUTE]

/** The connections for one purpose, independent of those for other purposes. */
export interface ConnectionPool {
  connections: Kysely<Tables>
  /** Opens a connection; its release also frees its place in the shares. */
  connect(): Promise<pg.PoolClient>
  /** Streams the rows of a query in binary; the bytes are only valid during `onRow`. */
  copyOut(query: CompiledQuery, onRow: OnRow): Promise<void>
  /** Whether every session so far belongs to its connection alone and has our settings. */
  ownsSessions(): boolean
  /** The number of queries that wait for a connection. */
  waiting(): number
}

interface Reserve {
  pool: Pick<ConnectionPool, 'connect'>
  /** The largest number of its connections, so that it keeps some for its own work. */
  most: number
}

interface PoolOptions {
  /** The purpose of the connections, for messages. */
  name: string
  /** The largest number of connections; they are opened on demand. */
  size: number
  /** Set for statements without a timeout. */
  isPatient?: boolean
  /** The timeout of an answer, where it is shorter than usual. */
  answerTimeout?: Millis
  /** The pool that has the connection for the current query; undefined: this one. */
  elsewhere?: () => Pick<ConnectionPool, 'connect'> | undefined
  /** Connections of another pool that finish partly committed work if this pool has no free connection in time; undefined: none. */
  reserve?: Reserve | undefined
  /** Set for connections that run few kinds of statements, whose plans are then cached. */
  keepsPlans?: boolean
  /** Called with the error of an idle connection. */
  onConnectionError: (error: Error) => void
}

export function openPool(
  hosts: Hosts,
  { name, size, isPatient = false, keepsPlans = false, ...more }: PoolOptions,
): ConnectionPool {
  const { answerTimeout = ANSWER_TIMEOUT, elsewhere = () => undefined, reserve, onConnectionError } = more
  let ownsSessions = true
  const pool = new pg.Pool({
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    // Each client connects to the host that is in use at that time.
    Client: class extends Connection {
      constructor(options?: pg.ClientConfig) {
        super({ ...options, ...hosts.settings() }, hosts)
      }
    },
    max: size,
    idleTimeoutMillis: keepsPlans ? IDLE_WITH_PLANS : IDLE,
    ...(isPatient ? {} : { query_timeout: answerTimeout }),
    // By a statement and not by startup parameters, because poolers refuse unknown ones.
    onConnect: async (client: pg.ClientBase) => {
      // A caller may open this connection for another caller, so it must not be interrupted with the first one.
      if (
        !(await runWithoutOwner(() =>
          (client as Connection).begin({ isPatient, keepsPlans, target: hosts.target }),
        ))
      )
        ownsSessions = false
    },
    types: {
      // Moments and counts are bigint in PostgreSQL and safe integers here.
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === pg.types.builtins.INT8
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // The server closed an idle connection; the next query opens another one.
  pool.on('error', (error) => onConnectionError(withoutClient(error)))
  // For a connection in use, the query or transaction reports the error. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const shares = createConnectionShares({ most: size, patience: CONNECT_TIMEOUT, times: OWN_TIMES })
  const borrowing = reserve && {
    ...reserve,
    shares: createConnectionShares({ most: reserve.most, patience: CONNECT_TIMEOUT, times: 1 }),
  }

  async function placeOf(whose: string | undefined): Promise<() => void> {
    try {
      return await shares.take(whose)
    } catch (error) {
      throwExplained(error, name, size)
    }
  }

  async function connect(): Promise<pg.PoolClient> {
    const other = elsewhere()
    if (other !== undefined) return other.connect()
    let leave: () => void
    try {
      leave = await placeOf(currentOwner())
    } catch (error) {
      return borrow(error)
    }
    // The opened connection serves later callers as well, so it must not have this owner.
    try {
      return await leaving(leave, () => runWithoutOwner(() => hosts.reach(() => pool.connect())))
    } catch (error) {
      throw explainConnect(error)
    }
  }

  /** @throws `late`, except for partly committed work, which a repetition could not undo */
  async function borrow(late: unknown): Promise<pg.PoolClient> {
    if (borrowing === undefined || !(late instanceof BusyError) || late.isUntouched) throw late
    const { pool, shares } = borrowing
    let leave: () => void
    try {
      leave = await shares.take(currentOwner())
    } catch {
      throw late
    }
    return leaving(leave, () => pool.connect())
  }

  const dialect = new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } })
  return {
    connections: new Kysely<Tables>({ dialect }),
    connect,
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
        throw explainStatement(error, isPatient)
      } finally {
        // After a failure the connection is closed, because a late answer would be taken for that of the next query.
        client.release(failure)
      }
    },
    ownsSessions: () => ownsSessions,
    waiting: () => shares.waiting() + (borrowing?.shares.waiting() ?? 0),
  }
}

/** Opens a connection whose release calls `leave`, as its failure does. */
async function leaving(leave: () => void, open: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
  try {
    const client = await open()
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

/** PostgreSQL's code for a connection beyond `max_connections`. */
const TOO_MANY_CONNECTIONS = '53300'

/** A failed connection as a `BusyError`, unless a working server refuses the user or the database. */
function explainConnect(error: unknown): unknown {
  return isHostFailure(error) || codeOf(error) === TOO_MANY_CONNECTIONS
    ? busy(error, (error as Error).message, false)
    : error
}

/** `query_canceled` (by the statement timeout), `deadlock_detected` and `serialization_failure`: the statement wrote nothing. */
const ENDED: ReadonlySet<string | undefined> = new Set(['57014', '40P01', '40001'])

/** A failed statement as a `BusyError` where PostgreSQL has ended it. A patient caller decides by the code itself. */
function explainStatement(error: unknown, isPatient: boolean): unknown {
  return !isPatient && ENDED.has(codeOf(error)) ? busy(error, 'PostgreSQL ended a statement', true) : error
}

function busy(cause: unknown, message: string, hasBegun: boolean): BusyError {
  return new BusyError(message, {
    ...{ isUsedUp: true, isUntouched: !hasWritten(), hasBegun, cause },
  })
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

/** Removes the client from an error of the pool, which must not be logged as a whole. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client
  return error
}

/** PostgreSQL's code for a write where only reading is allowed. */
const READ_ONLY = '25006'

/**
 * Whether an error makes a connection unusable: its next query would wait behind a missing answer, or its server takes no writes any
 * more, and another one may be the primary.
 */
function isUseless(error: unknown): boolean {
  return (error as { message?: string }).message === 'Query read timeout' || isReadOnly(error)
}

function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

/** The statements by which Kysely begins a transaction. */
const BEGINS = /^(begin|start transaction)\b/

type Begin = Required<Pick<PoolOptions, 'isPatient' | 'keepsPlans'>> & { target: HostTarget }

/**
 * The wait of a commit for a synchronous standby was cancelled, as by an administrator. The commit is local, and a failover may undo it.
 */
class UnreplicatedError extends Error {
  override readonly name = 'UnreplicatedError'
}

/** The function of PostgreSQL that emits the warning. It identifies the warning in every language of the server. */
const SYNC_REPLICATION_WAIT = 'SyncRepWaitForLSN'

/**
 * A connection, which is closed after it broke. Where its session is its own, statements are prepared once; behind a pooler nothing is
 * prepared, because other clients use the same session.
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

  /** Sets up the session, before any other query. @returns whether its session is its own @throws UnfitHostError */
  async begin({ isPatient, keepsPlans, target }: Begin): Promise<boolean> {
    this.#isPatient = isPatient
    this.#isOwn = await (isPatient ? ownsSession(this, target) : beginSession(this, { target, keepsPlans }))
    return this.#isOwn
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's signature has a dozen forms, and two are used.
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
        if (isReadOnly(error)) this.#hosts.markUnfit(this)
        if (isUseless(error)) void this.end().catch(() => {})
        throw explainStatement(error, this.#isPatient)
      },
    )
  }

  /** Turns a result into an error where a warning reported that no standby has the commit. */
  #replicated<T>(result: T): T {
    if (!this.#isUnreplicated) return result
    this.#isUnreplicated = false
    throw new UnreplicatedError('the commit was told to wait no longer for a standby of PostgreSQL')
  }

  /** Cuts the connection when the work is interrupted. The statement fails at once; the server ends it by its timeouts and commits nothing. */
  #untilInterrupted<T>(answer: Promise<T>): Promise<T> {
    const signal = currentInterruption()
    if (signal === undefined) return answer
    const cut = () => void this.connection.stream.destroy()
    if (signal.aborted) cut()
    signal.addEventListener('abort', cut, { once: true })
    return answer.finally(() => signal.removeEventListener('abort', cut))
  }

  /** Whether a query begins a transaction on a session without our settings. */
  #mustSet(query: unknown): query is string {
    return !this.#isOwn && !this.#isPatient && typeof query === 'string' && BEGINS.test(query)
  }
}
