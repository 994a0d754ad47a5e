import type { Dialect } from '../engine/engine.ts'

export const name = 'replays by filter'

/** Made anew, because neither what a column may hold nor that it must hold something can be changed in place on both engines. */
export function statements({ integer, table }: Dialect): string[] {
  const kept = 'id, organization_id, webhook_id, since, until, filter'
  const moved = 'status, position, total, replayed, created_at, updated_at'
  return [
    `create table filtered_replay (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      webhook_id text references webhook (id) on delete cascade,
      since ${integer} not null,
      until ${integer} not null,
      filter text not null check (filter in ('failed', 'delivered', 'all', 'pending', 'undelivered')),
      criteria text not null,
      status text not null check (status in ('running', 'completed', 'cancelled')),
      at_webhook_id text not null,
      position text not null,
      total ${integer} not null,
      replayed ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `insert into filtered_replay (${kept}, ${moved}, criteria, at_webhook_id)
      select ${kept}, ${moved}, '{}', webhook_id from replay`,
    `drop table replay`,
    `alter table filtered_replay rename to replay`,
    `create index replay_running on replay (id) where status = 'running'`,
    `create index replay_organization on replay (organization_id, id)`,
  ]
}
