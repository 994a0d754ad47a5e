import type { Dialect } from '../engine/engine.ts'

/** The tables of `live/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Live streams of organizations that have readers. The lock of a row orders the changes of its organization.
    `create table stream (
      organization_id text primary key references organization (id) on delete cascade,
      last ${integer} not null,
      floor ${integer} not null,
      watched_until ${integer} not null
    )${table}`,
    `create index stream_watched on stream (watched_until)`,
    // The last change of each row that changed lately. `data` is the row as readers get it, as JSON.
    `create table stream_change (
      organization_id text not null references stream (organization_id) on delete cascade,
      subject_id text not null,
      sequence ${integer} not null,
      kind text not null,
      about text not null,
      data text not null,
      at ${integer} not null,
      primary key (organization_id, subject_id)
    )${table}`,
    `create index stream_change_sequence on stream_change (organization_id, sequence)`,
  ]
}
