import type { Dialect } from '../engine/engine.ts'

export const name = 'external connections'

export function statements({ integer, table }: Dialect): string[] {
  return [
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
    `create table connection_state (
      state_hash text primary key,
      provider text not null,
      organization_id text not null references organization (id) on delete cascade,
      actor_id text not null,
      binding_hash text not null,
      payload text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index connection_state_expiry on connection_state (expires_at)`,
  ]
}
