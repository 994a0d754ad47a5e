import type { Dialect } from '../engine/engine.ts'

export const name = 'rates and levels of webhooks'

export function statements({ integer, real, table }: Dialect): string[] {
  return [
    `alter table webhook add column max_per_second ${real}`,
    `create table lane (
      webhook_id text primary key references webhook (id) on delete cascade,
      level ${integer} not null,
      parked_at ${integer},
      updated_at ${integer} not null
    )${table}`,
    `create index lane_updated on lane (updated_at)`,
  ]
}
