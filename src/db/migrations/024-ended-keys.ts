import type { Dialect } from '../engine/engine.ts'

/**
 * API keys that ended separately, by the account or API key that made a secret of them. The end of that maker
 * thus also finds what was made with these keys.
 */
export function statements({ table }: Dialect): string[] {
  return [
    `create table ended_key (
      id text not null,
      organization_id text not null references organization (id) on delete cascade,
      maker text not null,
      primary key (id, maker)
    )${table}`,
    `create index ended_key_maker on ended_key (maker)`,
    `create index api_key_made_with on api_key (key_id) where key_id is not null`,
  ]
}
