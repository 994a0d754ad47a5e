import type { Dialect } from '../engine/engine.ts'

/** Clients of the authorization server, what people grant them, and what is under way between the two. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Clients that have a row: registered ones, and those that registered themselves. `secret` is sealed.
    `create table oauth_client (
      id text primary key,
      organization_id text references organization (id) on delete cascade,
      origin text not null check (origin in ('registered', 'dynamic')),
      name text not null,
      metadata text not null,
      secret text,
      created_by text,
      created_at ${integer} not null,
      used_at ${integer},
      expires_at ${integer}
    )${table}`,
    `create index oauth_client_organization on oauth_client (organization_id, id)`,
    `create index oauth_client_expiry on oauth_client (expires_at) where expires_at is not null`,
    `create index oauth_client_unused on oauth_client (id) where origin = 'dynamic' and used_at is null`,
    // What a person has let a client do in one organization, at one resource. It ends with its session where it has one.
    `create table oauth_grant (
      id text primary key,
      account_id text not null references account (id) on delete cascade,
      organization_id text not null references organization (id) on delete cascade,
      session_id text references session (id) on delete cascade,
      client_id text not null,
      client_name text not null,
      client_host text not null,
      resource text not null,
      scopes text not null,
      identity_scopes text not null,
      created_at ${integer} not null,
      last_used_at ${integer},
      expires_at ${integer} not null
    )${table}`,
    `create index oauth_grant_account on oauth_grant (account_id, id)`,
    `create index oauth_grant_organization on oauth_grant (organization_id, id)`,
    `create index oauth_grant_session on oauth_grant (session_id) where session_id is not null`,
    `create index oauth_grant_expiry on oauth_grant (expires_at)`,
    // Requests for consent, codes and refresh tokens, by the hash of each. `payload` is sealed.
    `create table oauth_record (
      id_hash text primary key,
      kind text not null,
      grant_id text,
      user_code_hash text,
      payload text not null,
      created_at ${integer} not null,
      consumed_at ${integer},
      expires_at ${integer} not null
    )${table}`,
    `create index oauth_record_grant on oauth_record (grant_id) where grant_id is not null`,
    `create unique index oauth_record_user_code on oauth_record (user_code_hash) where user_code_hash is not null`,
    `create index oauth_record_expiry on oauth_record (expires_at)`,
  ]
}
