import type { Dialect } from '../engine/engine.ts'

/** Keys of Postern's own for SAML identity providers. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table saml_key (
      organization_id text not null references organization (id) on delete cascade,
      identity_provider_id text not null references identity_provider (id) on delete cascade,
      purpose text not null check (purpose in ('encryption', 'signing')),
      fingerprint text not null,
      certificate text not null,
      private_key text not null,
      created_at ${integer} not null,
      ends_at ${integer},
      primary key (organization_id, identity_provider_id, purpose, fingerprint)
    )${table}`,
    // One of each purpose is the newest. A key that another one replaces has an end.
    `create unique index saml_key_newest on saml_key (identity_provider_id, purpose) where ends_at is null`,
    `create index saml_key_identity_provider on saml_key (identity_provider_id)`,
  ]
}
