import type { Dialect } from '../engine/engine.ts'

/** The tables of `db/`; `migration` and `meta` are made before any migration runs. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Processes that serve the database through a pooler, where a lock of a session cannot show that they are alive. By the
    // database's clock.
    `create table presence (
      id text primary key,
      alive_until ${integer} not null
    )${table}`,
  ]
}
