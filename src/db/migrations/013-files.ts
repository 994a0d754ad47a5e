import type { Dialect } from '../engine/engine.ts'

/** The table of `files/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Uploaded files, and how far they are read. `reservation` and `warnings` are JSON.
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
      processed_at ${integer},
      charset text,
      warnings text
    )${table}`,
    `create index file_organization on file (organization_id, id)`,
    `create index file_failed on file (organization_id, begun_at, id) where status = 'failed'`,
    `create index file_failed_at on file (begun_at) where status = 'failed'`,
  ]
}
