import { SqliteAdapter, sql } from 'kysely'
import type { Db, Tx } from './engine/handles.ts'
import type { Tables } from './tables/tables.ts'

/** The part of Kysely's select that locks rows. */
interface Rows {
  // biome-ignore lint/suspicious/noExplicitAny: a table of the query, which only its own type knows.
  forNoKeyUpdate(of?: any): unknown
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  forShare(of?: any): unknown
}

/**
 * Locks the rows that `query` finds until `tx` ends, so that what is written after it still rests on what was read: on PostgreSQL
 * another transaction may change rows without a lock between two statements. A transaction that waited for a row reads its new
 * values. SQLite has one writer and needs no lock.
 *
 * Locks are taken in one order, so that transactions do not wait in a circle: account → its links, organization → its event types,
 * organization → membership or platform key → API key → service account, invitation; webhook → its secrets, deliveries, captures
 * and replays → the events whose deliveries are made again; a job before its subject; knowledge base → file → document → credits; file → run → credits;
 * webhook → the inbound path that it takes; live stream → its changes;
 * organization → identity provider → its sessions and the sign-ins that wait for a second factor;
 * organization → checkout → credits → subscription; of credits the account first; several of a kind by their names. Where only
 * a later row names the first, the later one is read, the locks are taken in order, and it is read again (`lockCheckout`). An account
 * that `tx` will need and that does not exist is made where it would be locked, before the organization (`lockAccounts`).
 *
 * On PostgreSQL the writer of a reference to a row waits for a transaction that removes the row or changes a column that a foreign
 * key may name. Of an organization no column is one (`notReferable`), so that its rows can be written under any other lock.
 * @param of the table whose rows are locked, where the query reads several
 */
export function lock<Query extends Rows>(tx: Db | Tx, query: Query, of?: string): Query {
  return hasOneWriter(tx) ? query : (query.forNoKeyUpdate(of) as Query)
}

/** As `lock`, for a row that only has to stay as it is: many transactions may hold it at once, and none changes it. */
export function lockShared<Query extends Rows>(tx: Db | Tx, query: Query, of?: string): Query {
  return hasOneWriter(tx) ? query : (query.forShare(of) as Query)
}

/**
 * Locks a whole table against other writers until `tx` ends, where what is written rests on rows that are not there: no
 * row can be locked before there is one. Only for tables that are seldom written; reads do not wait.
 */
export async function lockTable(tx: Tx, table: keyof Tables): Promise<void> {
  if (!hasOneWriter(tx)) await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(tx)
}

/** Makes `tx` and a transaction that locks the table (`lockTable`) exclude each other, although `tx` writes no row of the table. */
export async function joinWriters(tx: Tx, table: keyof Tables): Promise<void> {
  if (!hasOneWriter(tx)) await sql`lock table ${sql.table(table)} in row exclusive mode`.execute(tx)
}

/** Whether the database has one writer, so that a transaction never waits for another. */
export function hasOneWriter(tx: Db | Tx): boolean {
  return tx.getExecutor().adapter instanceof SqliteAdapter
}
