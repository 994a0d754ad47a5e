import type { Dialect } from '../engine/engine.ts'

/** Requests of directories by SCIM, and how they were answered. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table scim_exchange (
      organization_id text not null references organization (id) on delete cascade,
      id text not null,
      method text not null,
      path text not null,
      status ${integer} not null,
      code text,
      scim_type text,
      detail text,
      resource_id text,
      duration ${integer} not null,
      created_at ${integer} not null,
      primary key (organization_id, id)
    )${table}`,
    // Retention goes through all organizations by time.
    `create index scim_exchange_order on scim_exchange (id)`,
  ]
}
