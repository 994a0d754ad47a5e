import { type RawBuilder, SqliteAdapter, sql } from 'kysely'
import type { Db, Tx } from './engine/handles.ts'
import type { Tables } from './tables/tables.ts'

/** The part of Kysely's select that locks rows. */
interface Rows {
  // biome-ignore lint/suspicious/noExplicitAny: a table of the query, which only the query's type knows.
  forNoKeyUpdate(of?: any): unknown
  // biome-ignore lint/suspicious/noExplicitAny: a table of the query, which only the query's type knows.
  forShare(of?: any): unknown
}

/**
 * Locks the rows of a query until `tx` ends, so that later writes of `tx` agree with the values that it read. On PostgreSQL another
 * transaction may otherwise change the rows between two statements. A transaction that waited for a row reads its new values. SQLite
 * has one writer and needs no lock.
 *
 * Locks are taken in one order, to avoid deadlocks; several rows of a kind are locked in the order of their keys:
 * - account → its links
 * - organization → its event types
 * - organization → membership or platform key → API key → service account, invitation
 * - organization → identity provider → its sessions and the sign-ins that wait for a second factor
 * - organization → checkout → credits (the account first) → subscription
 * - webhook → its secrets, deliveries, captures and replays → the events whose deliveries are repeated
 * - webhook → the inbound path that it takes
 * - a job → its subject, such as a conversation → its runs
 * - knowledge base → file → document → credits
 * - file → run → credits
 * - live stream → its changes
 *
 * Where only a later row has the key of an earlier one, the later row is read, the locks are taken in order, and it is read again
 * (`lockCheckout`). A missing account that `tx` needs is inserted where it would be locked, before the organization (`lockAccounts`).
 *
 * On PostgreSQL a write of a foreign key waits for a transaction that deletes the referenced row or changes a column of a referable
 * unique key. An organization has no such key besides its id (`uniqueIndex`), so its rows can be written under any other lock.
 * @param of the table whose rows are locked, where the query reads several
 */
export function lock<Query extends Rows>(tx: Db | Tx, query: Query, of?: string): Query {
  return hasOneWriter(tx) ? query : (query.forNoKeyUpdate(of) as Query)
}

/** The clause of a `lock` for a statement in SQL. @param of the table whose rows are locked */
export function lockClause(db: Db | Tx, of: string): RawBuilder<unknown> {
  return hasOneWriter(db) ? sql`` : sql`for no key update of ${sql.table(of)}`
}

/** As `lock`, with a shared lock: several transactions may hold it at once, and no other transaction can change the row. */
export function lockShared<Query extends Rows>(tx: Db | Tx, query: Query, of?: string): Query {
  return hasOneWriter(tx) ? query : (query.forShare(of) as Query)
}

/**
 * Locks a whole table against other writers until `tx` ends, for writes that depend on the absence of rows, which cannot be locked. Only
 * for tables that are seldom written; reads do not wait.
 */
export async function lockTable(tx: Tx, table: keyof Tables): Promise<void> {
  if (!hasOneWriter(tx)) await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(tx)
}

/** Takes the table lock of a writer without writing, so that `tx` and a transaction with `lockTable` exclude each other. */
export async function joinWriters(tx: Tx, table: keyof Tables): Promise<void> {
  if (!hasOneWriter(tx)) await sql`lock table ${sql.table(table)} in row exclusive mode`.execute(tx)
}

/** Whether the database has one writer, so that a transaction never waits for another. */
export function hasOneWriter(tx: Db | Tx): boolean {
  return tx.getExecutor().adapter instanceof SqliteAdapter
}
