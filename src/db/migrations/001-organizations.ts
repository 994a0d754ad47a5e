import type { Dialect } from '../engine/engine.ts'

/** The tables of `organizations/`. */
export function statements({ integer, table, uniqueIndex }: Dialect): string[] {
  return [
    // Organizations. `flags` is JSON: modules that are on or off regardless of the plan.
    `create table organization (
      id text primary key,
      name text not null,
      plan text not null,
      created_at ${integer} not null,
      deleted_at ${integer},
      flags text not null default '{}',
      disabled_at ${integer}
    )${table}`,
    // A rename does not wait for transactions that write rows of the organization.
    uniqueIndex('organization', 'name'),
    // Few organizations have ended; their remaining work is looked up by these.
    `create index organization_disabled on organization (disabled_at) where disabled_at is not null`,
    `create index organization_deleted on organization (deleted_at) where deleted_at is not null`,
  ]
}
