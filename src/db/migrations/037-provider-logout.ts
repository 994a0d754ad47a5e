import type { Dialect } from '../engine/engine.ts'

/** Sign-outs that identity providers report: the session at the provider, and the reports that were followed. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Hash of the provider's session id; null: not given, or the provider did not begin the session.
    `alter table session add column provider_session_hash text`,
    `create index session_provider_session on session (identity_provider_id, provider_session_hash) where provider_session_hash is not null`,
    `alter table pending_sign_in add column provider_session_hash text`,
    `create table spent_logout (
      identity_provider_id text not null references identity_provider (id) on delete cascade,
      organization_id text not null,
      token_hash text not null,
      expires_at ${integer} not null,
      primary key (identity_provider_id, token_hash)
    )${table}`,
    `create index spent_logout_expires on spent_logout (expires_at)`,
    `create index spent_logout_organization on spent_logout (organization_id)`,
  ]
}
