import type { Dialect } from '../engine/engine.ts'

/** Links by which a person without an account sets up how an organization signs in. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // `purposes` are names with spaces between; `test` is JSON of the last round trip.
    `create table setup_link (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      email text,
      language text,
      purposes text not null,
      activates ${integer} not null,
      creates_memberships ${integer} not null,
      status text not null check (status in ('pending', 'opened', 'finished', 'revoked')),
      token_hash text not null unique,
      cookie_hash text unique,
      identity_provider_id text not null,
      provider_changed_at ${integer},
      test text,
      api_key_id text,
      created_by text,
      key_id text,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      opened_at ${integer},
      ended_at ${integer}
    )${table}`,
    `create index setup_link_organization on setup_link (organization_id, id)`,
    `create index setup_link_expires on setup_link (expires_at)`,
    `create index setup_link_maker on setup_link (created_by) where status in ('pending', 'opened')`,
    `create index setup_link_key on setup_link (key_id) where status in ('pending', 'opened')`,
    `create index setup_link_provider on setup_link (identity_provider_id)`,
  ]
}
