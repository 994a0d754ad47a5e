import type { Dialect } from '../engine/engine.ts'

/** Identity providers of organizations, what was begun by their sign-ins, and the demand that members sign in by them. */
export function statements({ integer, table }: Dialect): string[] {
  const begunBy = (name: string) =>
    `alter table ${name} add column identity_provider_id text references identity_provider (id) on delete cascade`
  return [
    // `settings` is JSON by the kind; `role_rules` and `factor_values` are JSON lists.
    `create table identity_provider (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      kind text not null check (kind in ('oidc', 'saml')),
      name text not null,
      status text not null check (status in ('active', 'disabled')),
      settings text not null,
      secret text,
      creates_memberships ${integer} not null,
      manages_roles ${integer} not null,
      default_role text not null,
      role_rules text not null,
      factor_values text not null,
      created_by text,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      last_sign_in_at ${integer}
    )${table}`,
    `create index identity_provider_organization on identity_provider (organization_id, id)`,
    begunBy('session'),
    `create index session_identity_provider on session (identity_provider_id) where identity_provider_id is not null`,
    // The one organization that the session opens; null: all of the account.
    `alter table session add column bound_organization_id text`,
    begunBy('pending_sign_in'),
    `create index pending_sign_in_identity_provider on pending_sign_in (identity_provider_id) where identity_provider_id is not null`,
    begunBy('oauth_grant'),
    `create index oauth_grant_identity_provider on oauth_grant (identity_provider_id) where identity_provider_id is not null`,
    // 1: the identity provider vouched for a second factor when the grant was made.
    `alter table oauth_grant add column provider_factor ${integer} not null default 0`,
    // Since when members sign in by an identity provider of the organization.
    `alter table organization add column sign_in_required_at ${integer}`,
    // Since when a member is an exception from that.
    `alter table membership add column own_sign_in_at ${integer}`,
  ]
}
