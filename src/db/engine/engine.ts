import type { Millis } from '../../core/clock.ts'
import type { Db, Tx } from './handles.ts'
import type { Reader } from './reader.ts'
import type { TextIndex } from './text-index.ts'

/** Column types and endings that the engines name differently; migrations are written with these. */
export interface Dialect {
  integer: string
  bytes: string
  /** Numbers with a fraction, to their last digit. */
  real: string
  /** A primary key that the database counts up. */
  serial: string
  /** Ends every `create table`. */
  table: string
  /** Marks a table whose rows may be lost in a crash, where that makes it cheaper. */
  volatile: string
  /** Statements after which rows of a table can be added, and neither changed nor removed. */
  appendOnly: (table: string) => string[]
  /**
   * Ends the definition of a column that refers to `parent` and is deleted with its row. It is empty where the engine makes
   * a check of each written row expensive; `follows` does the deletion there.
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

/** It is not known whether it was committed: the connection was lost before the answer, or the disk has refused a commit. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'
}

/** Too many callers asked for the database at once, and no connection became free in time. */
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
   * As `tx`, for work that reads at most, and then writes with one statement, its last: where that saves journeys to begin
   * and to end, each statement is a transaction of its own.
   * @throws UnknownOutcomeError
   */
  brief<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** As `tx`, but does not wait for the disk: a power cut, and nothing less, may take it back. */
  relaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** The listener of a channel. */
export interface Listener {
  onText: (text: string) => void
  /** Called when listening begins, and each time that it begins again; what was said in between is lost. */
  onListening: () => void
}

/** Carries short texts between the processes on one database, as far as they are there to hear them. */
export interface Channel {
  /** Hands `text` to all that listen, its own process included. */
  send(text: string): Promise<void>
  /** Resolves when the first try to listen has ended, however it did; the answer stops it. */
  listen(listener: Listener): Promise<() => Promise<void>>
}

/** Which of the hosts is used that an address names. */
export interface HostInUse {
  /** Counted from 1. */
  place: number
  of: number
  since: Millis
}

/** What each engine does in its own way. Nothing outside `db/` knows which one it talks to. */
export interface Engine extends Access {
  readonly name: 'sqlite' | 'postgres'
  readonly dialect: Dialect
  /** Whether other processes may work on the same data. */
  readonly shared: boolean
  /** The same data, by connections that requests cannot use up; on SQLite there is nothing to share out. */
  readonly background: Access
  /** The same data, by connections for short statements that must wait for nothing else: heartbeats, and results. */
  readonly reserved: Access
  /** The same data, for background work that may wait for a row of an organization: it has a share of the connections, never all. */
  readonly patient: Access
  /**
   * The same data, for prepared queries that find a few rows by an index: where to plan one costs more than to answer it, that is
   * done once.
   */
  readonly lookups: Db
  readonly textIndex: TextIndex
  /** Reads much. */
  readonly reader: Reader
  /** undefined where no other process serves the database. */
  readonly channel: Channel | undefined
  /** The host in use; undefined where there are not several. */
  host(): HostInUse | undefined
  /** How many queries wait for a connection now. */
  waiting(): number
  /** Lets a claiming query pass over rows that another process has in hand; where there is one writer, nothing. */
  skipLocked<Query extends Lockable>(query: Query): Query
  /** The names of the tables that statements of Postern see. */
  tables(): Promise<Set<string>>
  /** Runs `work` while no other process migrates. */
  exclusively(work: (tx: Tx) => Promise<void>): Promise<void>
  /** Shows other programs for which schema the one is made that is about to serve this data, where that can be shown. @throws as `claimServer` */
  announce(): Promise<void>
  /** @returns the oldest schema that a program was made for which serves this data now, this one apart; undefined where there is none */
  lowestServer(tx: Tx): Promise<number | undefined>
  /**
   * Takes the right to serve this data: where there can be only one server, to be that; elsewhere, to be one of
   * them while no command has it alone. It is kept until the end. @throws Error in plain words
   */
  claimServer(): Promise<void>
  /** Takes the right to have this data alone: no server runs on it, and none can start. @throws Error in plain words */
  claimAlone(): Promise<void>
  /** Whether `error` is the engine's report of a unique key that a write ran into. */
  isUniqueViolation(error: unknown): boolean
  /** Whether `error` says that the schema or the rows do not allow a statement, and not that the engine could not work. */
  refusesStatement(error: unknown): boolean
  close(): Promise<void>
}
