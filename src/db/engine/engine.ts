import type { Millis } from '../../core/clock.ts'
import type { Db, Tx } from './handles.ts'
import type { Reader } from './reader.ts'
import type { TextIndex } from './text-index.ts'

/** Column types and endings that the engines name differently; migrations are written with these. */
export interface Dialect {
  integer: string
  bytes: string
  /** A column type for numbers with a fraction, at double precision. */
  real: string
  /** A primary key that the database counts up. */
  serial: string
  /** Ends every `create table`. */
  table: string
  /** Marks a table whose rows may be lost in a crash, where that makes it cheaper. */
  volatile: string
  /** Statements that make a table append-only: rows can be added, and neither changed nor removed. */
  appendOnly: (table: string) => string[]
  /**
   * Ends the definition of a column that refers to `parent` and is deleted with its row. Empty where the engine makes the check
   * of each written row expensive; there `follows` deletes the rows.
   */
  unchecked: (parent: string) => string
  /** Statements that delete the rows with their parent's row, for a column that `unchecked` leaves without a reference. */
  follows: (reference: Reference) => string[]
  /**
   * Makes a column unique that no other table refers to. Where the engine lets a change of a referable column wait for
   * transactions that write references to its row, the column is not referable.
   */
  uniqueIndex: (table: string, column: string) => string
  /** Statements that make the table of a `TextIndex`. */
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

/** Whether the transaction was committed is unknown: the connection was lost before the answer, or the disk refused the commit. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'
}

/** No connection became free in time, because too many callers use the database. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
  /** Whether all connections were in use; else only the caller's share was used up. */
  readonly isUsedUp: boolean
  /** Whether the caller may repeat its work: nothing has been written on the same behalf before. */
  readonly isUntouched: boolean
  constructor(message: string, { isUsedUp, isUntouched }: Pick<BusyError, 'isUsedUp' | 'isUntouched'>) {
    super(message)
    this.isUsedUp = isUsedUp
    this.isUntouched = isUntouched
  }
}

/** Reading and writing. */
export interface Access {
  readonly db: Db
  /**
   * Runs `work` in a transaction of its own, which commits before the promise resolves.
   * @throws UnknownOutcomeError where the commit failed otherwise than by a refusal that has done nothing (SQLite)
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * As `tx`, for work whose last statement is the only one that writes. On PostgreSQL each statement is a transaction of its own,
   * which saves the round trips of `begin` and `commit`.
   * @throws UnknownOutcomeError
   */
  brief<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** As `tx`, without waiting for the disk: a power cut, and nothing else, may undo the commit. */
  relaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** The listener of a channel. */
export interface Listener {
  onText: (text: string) => void
  /** Called when listening begins, also after a lost connection; texts sent in between are lost. */
  onListening: () => void
}

/** Sends short texts among the processes on one database. A text reaches only processes that listen at that time. */
export interface Channel {
  /** Sends `text` to all listeners, those of this process included. */
  send(text: string): Promise<void>
  /** Begins to listen. @returns a function that stops it; resolves after the first try, also where that failed */
  listen(listener: Listener): Promise<() => Promise<void>>
}

/** Which host of an address with several hosts is in use. */
export interface HostInUse {
  /** Counted from 1. */
  place: number
  of: number
  since: Millis
}

/** The contract of an engine. Code outside of `db/` does not know which engine it uses. */
export interface Engine extends Access {
  readonly name: 'sqlite' | 'postgres'
  readonly dialect: Dialect
  /** Whether other processes may work on the same data. */
  readonly shared: boolean
  /** The same data for background work, by connections that requests cannot use up; on SQLite the same connection. */
  readonly background: Access
  /** The same data, by connections for short statements that must not wait for others: heartbeats and results. */
  readonly reserved: Access
  /** The same data, for background work that may wait for a row of an organization: it has a share of the connections, never all. */
  readonly patient: Access
  /**
   * The same data, for prepared queries that find a few rows by an index. Their plans are kept, because planning one costs more
   * than answering it.
   */
  readonly lookups: Db
  readonly textIndex: TextIndex
  /** Reads many rows without blocking the event loop. */
  readonly reader: Reader
  /** undefined where one process alone serves the database. */
  readonly channel: Channel | undefined
  /** The host in use; undefined where the address names one. */
  host(): HostInUse | undefined
  /** The number of queries that wait for a connection now. */
  waiting(): number
  /** Makes a claiming query skip rows that another process has locked; unchanged where there is one writer. */
  skipLocked<Query extends Lockable>(query: Query): Query
  /** The names of the tables in the schemas that statements search. */
  tables(): Promise<Set<string>>
  /** Runs `work` while no other process migrates. */
  exclusively(work: (tx: Tx) => Promise<void>): Promise<void>
  /** Writes down the schema version of this program, for others that serve this data; nothing on SQLite. @throws as `claimServer` */
  announce(): Promise<void>
  /** @returns the lowest schema version of the other programs that serve this data now; undefined where there are none */
  lowestServer(tx: Tx): Promise<number | undefined>
  /**
   * Takes the right to serve this data, until `close`: alone on SQLite, and on PostgreSQL beside other servers, unless a command
   * has claimed the data for itself. @throws Error in plain words
   */
  claimServer(): Promise<void>
  /**
   * Takes the right to use this data alone: fails where a server runs, and keeps servers from starting.
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
