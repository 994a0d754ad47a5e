import type { Millis } from '../../core/clock.ts'
import type { Db, Tx } from './handles.ts'
import type { Reader } from './reader.ts'
import type { TextIndex } from './text-index.ts'

/** The parts of DDL that differ between the engines; migrations use them. */
export interface Dialect {
  integer: string
  bytes: string
  /** A column type for numbers with a fraction, at double precision. */
  real: string
  /** A primary key that the database counts up. */
  serial: string
  /** The end of every `create table`. */
  table: string
  /** The keyword for a table whose rows may be lost in a crash, where the engine has one. */
  volatile: string
  /** Statements that make a table append-only: rows can be added, and neither changed nor removed. */
  appendOnly: (table: string) => string[]
  /**
   * The foreign key of a column that refers to `parent`, with `on delete cascade`. Empty where the check of each written row is
   * expensive; there `follows` deletes the rows.
   */
  unchecked: (parent: string) => string
  /** Statements for a trigger that deletes rows with their parent, for a column that `unchecked` leaves without a foreign key. */
  follows: (reference: Reference) => string[]
  /**
   * A unique index for a column that no foreign key refers to. On PostgreSQL it cannot be the target of one, so a change of the column
   * does not wait for transactions that write references to its row.
   */
  uniqueIndex: (table: string, column: string) => string
  /** Statements that create the tables of a `TextIndex`. */
  textIndex: (table: string) => string[]
}

/** A column that refers to another table. */
export interface Reference {
  table: string
  column: string
  parent: string
}

/** The part of Kysely's select that locks rows. */
export interface Lockable {
  forUpdate(): Lockable
  skipLocked(): Lockable
}

/** It is unknown whether the transaction was committed: the connection was lost before the answer, or the disk refused the commit. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'
}

interface Busy extends ErrorOptions {
  isUsedUp: boolean
  isUntouched: boolean
  hasBegun?: boolean
}

/** The database could not do the work in time, and certainly has not done it: no connection was free, or it ended a statement. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
  /** Whether the server as a whole was busy; otherwise the caller's owner had used up its share of the connections. */
  readonly isUsedUp: boolean
  /** Whether the caller may repeat its work, because nothing was written for it yet. */
  readonly isUntouched: boolean
  /** Whether a statement was ended, such as the victim of a deadlock; otherwise there was no connection. */
  readonly hasBegun: boolean
  constructor(message: string, { isUsedUp, isUntouched, hasBegun = false, ...options }: Busy) {
    super(message, options)
    this.isUsedUp = isUsedUp
    this.isUntouched = isUntouched
    this.hasBegun = hasBegun
  }
}

/** Reads and transactions. */
export interface Access {
  readonly db: Db
  /**
   * Runs `work` in a transaction, which commits before the promise resolves.
   * @throws UnknownOutcomeError where the commit failed and may still be on the disk (SQLite)
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * As `tx`, for work in which only the last statement writes. On PostgreSQL each statement is a separate transaction, which saves the
   * round trips of `begin` and `commit`.
   * @throws UnknownOutcomeError
   */
  brief<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** As `tx`, without a flush to the disk: only a power cut may undo the commit. */
  relaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** The listener of a channel. */
export interface Listener {
  onText: (text: string) => void
  /** Called when listening begins, also again after a lost connection; texts sent in between are lost. */
  onListening: () => void
}

/** Publish and subscribe of short texts among the processes on one database. A text only reaches processes that listen at that time. */
export interface Channel {
  /** Sends `text` to all listeners, those of this process included. */
  send(text: string): Promise<void>
  /** Begins to listen. Resolves after the first attempt, also where it failed. @returns a function that stops listening */
  listen(listener: Listener): Promise<() => Promise<void>>
}

/** Copies of the database that answer reads, some moments behind. */
export interface Standby {
  /** @returns the copy that can be used now; undefined where there is none */
  copy(): Promise<StandbyCopy | undefined>
}

/** A copy of the database at the time of its comparison. */
export interface StandbyCopy {
  /** The moment before which every acknowledged commit is in the copy. */
  asOf: Millis
  /** Runs `work`, whose reads by `db` outside transactions go to this copy. They fail where another copy has taken its place. */
  reading<T>(work: () => T): T
}

/** The host in use, of an address with several hosts. */
export interface HostInUse {
  /** Its number in the address, from 1. */
  place: number
  of: number
  since: Millis
}

/** The interface of an engine. Code outside `db/` does not know which engine it uses. */
export interface Engine extends Access {
  readonly name: 'sqlite' | 'postgres'
  readonly dialect: Dialect
  /** Whether other processes may work on the same data. */
  readonly shared: boolean
  /** The same data for background work, with connections that requests cannot use up; on SQLite the same connection. */
  readonly background: Access
  /** The same data for short statements that must not wait for others (heartbeats and results), with separate connections. */
  readonly reserved: Access
  /**
   * The same data for brief work of single callers, with the connections for requests, which owners share. The connections for brief
   * work are few, and are meant for commits that many owners share.
   */
  readonly requests: Pick<Access, 'brief'>
  /** The same data for background work that may wait for a locked row. It uses a share of the connections, never all. */
  readonly patient: Access
  /**
   * The same data for prepared queries that read a few rows by an index. Their plans are cached, because planning costs more than
   * execution.
   */
  readonly lookups: Db
  readonly textIndex: TextIndex
  /** Reads many rows without blocking the event loop. */
  readonly reader: Reader
  /** undefined where none is configured. */
  readonly standby: Standby | undefined
  /** undefined where only one process can serve the database. */
  readonly channel: Channel | undefined
  /** The host in use; undefined where the address has only one. */
  host(): HostInUse | undefined
  /** The number of queries that wait for a connection. */
  waiting(): number
  /** Adds `for update skip locked` to a query; unchanged on SQLite, which has one writer. */
  skipLocked<Query extends Lockable>(query: Query): Query
  /** The names of the tables in the search path. */
  tables(): Promise<Set<string>>
  /**
   * Joins statements without parameters, in order, into as few as one call of the driver takes: one on PostgreSQL, so that a new
   * schema does not take a round trip for each; on SQLite each is a call.
   */
  joined(statements: string[]): string[]
  /** Runs `work` while no other process migrates. */
  exclusively(work: (tx: Tx) => Promise<void>): Promise<void>
  /** Announces the schema version of this program to other servers; nothing on SQLite. @throws as `claimServer` */
  announce(): Promise<void>
  /** @returns the lowest schema version of the servers of this data; undefined where there are none */
  lowestServer(tx: Tx): Promise<number | undefined>
  /**
   * Claims the right to serve this data until `close`: exclusively on SQLite, together with other servers on PostgreSQL.
   * @throws Error in plain words, where a command has claimed the data, or another server on SQLite
   */
  claimServer(): Promise<void>
  /**
   * Claims this data exclusively: fails where a server runs, and prevents servers from starting.
   * @param command the command that claims the database, such as `postern move`; refusals of other processes name it
   * @throws Error in plain words
   */
  claimAlone(command: string): Promise<void>
  /** Whether a write failed because of a unique key. */
  isUniqueViolation(error: unknown): boolean
  /** Whether a statement failed because of the schema or its rows, and not because the engine was unavailable. */
  refusesStatement(error: unknown): boolean
  close(): Promise<void>
}
