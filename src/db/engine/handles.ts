import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Reads. On SQLite it cannot write at all: it is a read-only connection of its own. */
export type Db = Kysely<Tables>

declare const writable: unique symbol
/** Writes, inside one transaction; a `Tx` reads as well as a `Db`, a `Db` is no `Tx`. */
export type Tx = Kysely<Tables> & { readonly [writable]: true }
