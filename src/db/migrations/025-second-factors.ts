import type { Dialect } from '../engine/engine.ts'

/** Second factors of accounts, recovery codes, sign-ins that wait for a factor, and challenges of passkeys. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table second_factor (
      id text primary key,
      account_id text not null references account (id) on delete cascade,
      kind text not null check (kind in ('totp', 'passkey')),
      name text not null,
      secret text,
      last_step ${integer},
      credential_id text unique,
      public_key text,
      counter ${integer},
      transports text,
      confirmed_at ${integer},
      created_at ${integer} not null,
      last_used_at ${integer}
    )${table}`,
    `create index second_factor_account on second_factor (account_id)`,
    `create table recovery_code (
      account_id text not null references account (id) on delete cascade,
      number text not null,
      code_hash text not null,
      created_at ${integer} not null,
      primary key (account_id, number)
    )${table}`,
    `create table pending_sign_in (
      token_hash text primary key,
      account_id text not null references account (id) on delete cascade,
      how text not null,
      return_to text,
      tries ${integer} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index pending_sign_in_account on pending_sign_in (account_id)`,
    `create index pending_sign_in_expiry on pending_sign_in (expires_at)`,
    `create table passkey_challenge (
      challenge_hash text primary key,
      purpose text not null,
      binding_hash text not null,
      account_id text references account (id) on delete cascade,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index passkey_challenge_account on passkey_challenge (account_id)`,
    `create index passkey_challenge_expiry on passkey_challenge (expires_at)`,
    // How many confirmed factors an account has: a sign-in and a token read it with the account.
    `alter table account add column second_factors ${integer} not null default 0`,
    // When the session last showed a second factor.
    `alter table session add column factor_at ${integer}`,
    // From then on members without a second factor get no token of the organization.
    `alter table organization add column second_factor_from ${integer}`,
  ]
}
