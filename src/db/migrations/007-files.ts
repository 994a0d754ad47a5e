import type { Dialect } from '../engine/engine.ts'

export const name = 'files'

export function statements({ integer, table }: Dialect): string[] {
  return [
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
    `create table storage (
      organization_id text primary key references organization (id) on delete cascade,
      bytes ${integer} not null
    )${table}`,
    `create table file (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      media_type text not null,
      size_bytes ${integer} not null,
      sha256 text not null,
      status text not null check (status in ('processing', 'processed', 'failed')),
      error_code text,
      error_reason text,
      blob_id text not null,
      text_blob_id text,
      text_chars ${integer},
      text_truncated ${integer} not null,
      job_id text,
      reservation text,
      created_by text not null,
      created_at ${integer} not null,
      begun_at ${integer} not null,
      processed_at ${integer}
    )${table}`,
    `create index file_organization on file (organization_id, id)`,
  ]
}
