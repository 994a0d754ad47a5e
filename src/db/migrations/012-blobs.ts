import type { Dialect } from '../engine/engine.ts'

/** The tables of `blobs/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Bytes that are stored outside the database under their id. An orphaned blob waits for its removal.
    `create table blob (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      state text not null check (state in ('pending', 'kept', 'orphaned')),
      size ${integer} not null,
      sha256 text not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index blob_swept on blob (state, updated_at) where state <> 'kept'`,
    `create index blob_organization on blob (organization_id, id)`,
    // How many bytes of each organization are stored.
    `create table storage (
      organization_id text primary key references organization (id) on delete cascade,
      bytes ${integer} not null
    )${table}`,
  ]
}
