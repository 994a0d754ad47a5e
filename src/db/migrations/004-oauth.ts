import type { Dialect } from '../engine/engine.ts'

/** The tables of `oauth/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Sign-ins through an identity provider that have begun. `payload` is sealed JSON.
    `create table social_state (
      state_hash text primary key,
      provider text not null,
      binding_hash text not null,
      payload text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index social_state_expiry on social_state (expires_at)`,
    // Connections that have begun: the browser is at the provider. `payload` is sealed JSON.
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
