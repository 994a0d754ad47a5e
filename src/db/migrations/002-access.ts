import type { Dialect } from '../engine/engine.ts'

/** The tables of `access/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // People who sign in. `password_hash` is null for an account without a password.
    `create table account (
      id text primary key,
      email text not null unique,
      first_name text,
      last_name text,
      status text not null check (status in ('inactive', 'active', 'disabled')),
      email_verified_at ${integer},
      password_hash text,
      terms_accepted_at ${integer},
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    // Accounts at identity providers, each by the provider's own unchanging key.
    `create table identity (
      provider text not null,
      subject text not null,
      account_id text not null references account (id) on delete cascade,
      email text not null,
      created_at ${integer} not null,
      primary key (provider, subject)
    )${table}`,
    `create index identity_account on identity (account_id)`,
    // Which account belongs to which organization, and with which role.
    `create table membership (
      organization_id text not null references organization (id) on delete cascade,
      account_id text not null references account (id) on delete cascade,
      role text not null check (role in ('administrator', 'member')),
      created_at ${integer} not null,
      primary key (organization_id, account_id)
    )${table}`,
    `create index membership_account on membership (account_id)`,
    // Names of former members as they were when the membership ended.
    `create table former_member (
      organization_id text not null references organization (id) on delete cascade,
      account_id text not null references account (id) on delete cascade,
      name text not null,
      left_at ${integer} not null,
      primary key (organization_id, account_id)
    )${table}`,
    `create index former_member_account on former_member (account_id)`,
    // Invitations to organizations. An address has one pending invitation of an organization at most.
    `create table invitation (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      account_id text not null references account (id) on delete cascade,
      email text not null,
      role text not null check (role in ('administrator', 'member')),
      inviter_id text,
      status text not null check (status in ('pending', 'accepted', 'revoked', 'expired')),
      token_hash text not null unique,
      mailed ${integer} not null,
      created_at ${integer} not null,
      lifetime_ms ${integer} not null,
      expires_at ${integer} not null,
      accepted_at ${integer},
      revoked_at ${integer}
    )${table}`,
    `create index invitation_organization on invitation (organization_id, id)`,
    `create index invitation_pending on invitation (email) where status = 'pending'`,
    `create unique index invitation_one_pending on invitation (organization_id, email) where status = 'pending'`,
    // Single-use secrets that travel by mail: confirmations, password resets, sign-in links.
    `create table one_time_token (
      token_hash text primary key,
      purpose text not null,
      email text not null,
      account_id text not null references account (id) on delete cascade,
      payload text,
      binding_hash text,
      code_hash text,
      wrong_codes ${integer} not null default 0,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index one_time_token_account on one_time_token (account_id, purpose)`,
    `create index one_time_token_expiry on one_time_token (expires_at)`,
    // Sessions of browsers, by the hash of their token.
    `create table session (
      id text primary key,
      account_id text not null references account (id) on delete cascade,
      token_hash text not null unique,
      ip text not null,
      user_agent text not null,
      created_at ${integer} not null,
      last_seen_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index session_account on session (account_id)`,
    `create index session_expiry on session (expires_at)`,
    // Failed sign-ins of an address, with or without an account.
    `create table sign_in_throttle (
      email_hash text primary key,
      failures ${integer} not null,
      next_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    // API keys of organizations, by the hash of the key.
    `create table api_key (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      role text not null check (role in ('administrator', 'member')),
      key_hash text not null unique,
      hint text not null,
      created_by text,
      created_at ${integer} not null,
      expires_at ${integer},
      last_used_at ${integer}
    )${table}`,
    `create index api_key_organization on api_key (organization_id, id)`,
    // Keys that sign JWTs. `private_jwk` is sealed.
    `create table signing_key (
      kid text primary key,
      public_jwk text not null,
      private_jwk text not null,
      created_at ${integer} not null,
      active_at ${integer} not null,
      retired_at ${integer} not null,
      removed_at ${integer} not null
    )${table}`,
    // Requests for a mail to an address, answered before the account is looked up. `payload` is sealed.
    `create table mail_request (
      id text primary key,
      kind text not null,
      email text not null,
      binding_hash text,
      payload text not null,
      ip text not null,
      created_at ${integer} not null
    )${table}`,
  ]
}
