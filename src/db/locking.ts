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
 * Locks the rows that `query` finds until `tx` ends, so that what is written after it still rests on what was read: on
 * PostgreSQL another transaction may change between two statements whatever nobody has locked. Who waited for a row
 * sees it as it has become. SQLite has one writer, which is lock enough.
 *
 * Locks are taken in one order, so that nobody waits in a circle: account → its links, organization → its event types,
 * organization → membership or API key → invitation; webhook → its secrets, deliveries, captures and replays → the events
 * of which deliveries are made again; a job before what it is about; knowledge base → file → document → credits; file → run → credits;
 * webhook → the inbound path that it takes; live stream → its changes;
 * organization → checkout → credits → subscription; of credits the account first; several of a kind by their names. Where only
 * a later row tells which the first is, it is read, the locks are taken in order, and it is read once more (`lockCheckout`).
 *
 * To write what refers to another row waits on PostgreSQL for whoever removes that, or changes a column by which it could be
 * referred to. Of an organization nobody does (`notReferable`): what belongs to it is written by whoever has whatever in hand.
 * @param of the table whose rows are locked, where the query reads several
 */
export function lock<Query extends Rows>(tx: Db | Tx, query: Query, of?: string): Query {
  return hasOneWriter(tx) ? query : (query.forNoKeyUpdate(of) as Query)
}

/** As `lock`, for a row that only has to stay as it is: many transactions may hold it at once, and none changes it. */
export function hold<Query extends Rows>(tx: Db | Tx, query: Query, of?: string): Query {
  return hasOneWriter(tx) ? query : (query.forShare(of) as Query)
}

/**
 * Locks a whole table against other writers until `tx` ends, where what is written rests on rows that are not there: no
 * row can be locked before there is one. Only for tables that hardly anybody writes; everybody may read meanwhile.
 */
export async function lockTable(tx: Tx, table: keyof Tables): Promise<void> {
  if (!hasOneWriter(tx)) await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(tx)
}

/** Whether the database has one writer, who waits for no other transaction. */
export function hasOneWriter(tx: Db | Tx): boolean {
  return tx.getExecutor().adapter instanceof SqliteAdapter
}
