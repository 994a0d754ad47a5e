import type { Dialect } from '../engine/engine.ts'

export const name = 'publishers of events'

/** Nobody knows any more who published what is there already. */
export function statements({ serial, table }: Dialect): string[] {
  return [
    `create table publisher (
      number ${serial},
      organization_id text not null references organization (id) on delete cascade,
      actor_id text not null,
      unique (organization_id, actor_id)
    )${table}`,
    // Four bytes, where the database has a choice; there are as many events of it as there may be.
    `alter table event add column publisher integer`,
    // What the platform itself publishes has none, and no entry.
    `create index event_publisher on event (publisher, id) where publisher is not null`,
  ]
}
