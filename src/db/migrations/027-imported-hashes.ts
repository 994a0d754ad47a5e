import type { Dialect } from '../engine/engine.ts'

/**
 * The kinds of password hashes that were imported. Each refused sign-in computes a hash of every kind, so
 * that its time reveals nothing.
 */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table imported_hash_kind (
      kind text primary key,
      created_at ${integer} not null
    )${table}`,
  ]
}
