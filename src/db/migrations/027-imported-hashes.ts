import type { Dialect } from '../engine/engine.ts'

/** The kinds of password hashes that were imported: each refused sign-in does the work of all, so that its time tells nothing. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table imported_hash_kind (
      kind text primary key,
      created_at ${integer} not null
    )${table}`,
  ]
}
