import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Reads. On SQLite it is a separate read-only connection. */
export type Db = Kysely<Tables>

declare const writable: unique symbol
/** Reads and writes in one transaction. */
export type Tx = Kysely<Tables> & { readonly [writable]: true }
