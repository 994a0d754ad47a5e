import type { Dialect } from '../engine/engine.ts'

/** Destinations of the audit log, and the marks of entries that they have not taken. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table audit_stream (
      id text primary key,
      bit ${integer} not null unique,
      name text not null,
      url text not null,
      headers text,
      header_names text not null,
      created_at ${integer} not null,
      paused_at ${integer},
      ended_at ${integer},
      sent ${integer} not null,
      lost ${integer} not null,
      last_sent_at ${integer},
      failures ${integer} not null,
      failing_since ${integer},
      last_error text,
      next_attempt_at ${integer}
    )${table}`,
    `create table audit_stream_secret (
      audit_stream_id text not null references audit_stream (id) on delete cascade,
      secret text not null,
      hint text not null,
      created_at ${integer} not null,
      expires_at ${integer}
    )${table}`,
    `create index audit_stream_secret_stream on audit_stream_secret (audit_stream_id)`,
    // The bits of the streams that have not taken the entry; null: of none.
    `alter table audit add column unsent ${integer}`,
    `create index audit_unsent_1 on audit (id) where (unsent & 1) = 1`,
    `create index audit_unsent_2 on audit (id) where (unsent & 2) = 2`,
    `create index audit_unsent_4 on audit (id) where (unsent & 4) = 4`,
  ]
}
