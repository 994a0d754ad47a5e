import type { Dialect } from '../engine/engine.ts'

/** Secrets of API keys whose overlap has an end, so that requests with them after it are found; an index of replaced keys for SAML providers. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table retired_secret (
      organization_id text not null references organization (id) on delete cascade,
      api_key_id text not null references api_key (id) on delete cascade,
      key_hash text not null,
      ended_at ${integer} not null,
      refused_at ${integer},
      primary key (organization_id, api_key_id, key_hash)
    )${table}`,
    `create unique index retired_secret_hash on retired_secret (key_hash)`,
    `create index retired_secret_api_key on retired_secret (api_key_id)`,
    `create index retired_secret_end on retired_secret (ended_at)`,
    // Problems are counted over all organizations.
    `create index retired_secret_refused on retired_secret (refused_at) where refused_at is not null`,
    `create index saml_key_end on saml_key (ends_at) where ends_at is not null`,
  ]
}
