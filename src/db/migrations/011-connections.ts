import type { Dialect } from '../engine/engine.ts'

/** The tables of `connections/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Connections of organizations to services of others. `tokens` is sealed JSON. `claim_id` is the refresh under way.
    `create table connection (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      provider text not null,
      subject text,
      status text not null check (status in ('active', 'expired', 'revoked', 'error')),
      scopes text not null,
      tokens text,
      refreshable ${integer} not null,
      expires_at ${integer},
      not_before ${integer},
      refusals ${integer} not null,
      version ${integer} not null,
      outcome text,
      outcome_reason text,
      claim_id text,
      claim_until ${integer},
      created_by text,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      refreshed_at ${integer},
      unique (organization_id, provider, subject)
    )${table}`,
    `create index connection_organization on connection (organization_id, id)`,
    `create index connection_expiry on connection (expires_at) where refreshable = 0 and status = 'active'`,
    `create index connection_broken on connection (organization_id, id) where status <> 'active'`,
    // Tokens of deleted connections, sealed, until their provider has revoked them.
    `create table ended_connection (
      id text primary key,
      organization_id text not null references organization (id),
      provider text not null,
      tokens text not null,
      created_at ${integer} not null
    )${table}`,
  ]
}
