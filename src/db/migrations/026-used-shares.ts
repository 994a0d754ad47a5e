import type { Dialect } from '../engine/engine.ts'

export const name = 'used shares'

export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table used_share (
      worker_id text not null references worker (id) on delete cascade,
      organization_id text not null,
      places ${integer} not null,
      held ${integer} not null,
      waiting ${integer} not null,
      updated_at ${integer} not null,
      primary key (worker_id, organization_id)
    )${table}`,
    'create index used_share_organization on used_share (organization_id)',
  ]
}
