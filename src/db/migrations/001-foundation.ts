import type { Dialect } from '../engine.ts'

export const name = 'foundation: access, mail and the delivery thread'

export function statements({ integer, bytes, table, volatile }: Dialect): string[] {
  return [
    `create table organization (
      id text primary key,
      name text not null unique,
      plan text not null,
      created_at ${integer} not null
    )${table}`,
    `create table account (
      id text primary key,
      email text not null unique,
      first_name text,
      last_name text,
      status text not null check (status in ('inactive', 'active', 'disabled')),
      email_verified_at ${integer},
      password_hash text,
      terms_accepted_at ${integer},
      last_organization_id text references organization (id) on delete set null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create table identity (
      provider text not null,
      subject text not null,
      account_id text not null references account (id) on delete cascade,
      email text not null,
      created_at ${integer} not null,
      primary key (provider, subject)
    )${table}`,
    `create index identity_account on identity (account_id)`,
    `create table membership (
      organization_id text not null references organization (id) on delete cascade,
      account_id text not null references account (id) on delete cascade,
      role text not null check (role in ('administrator', 'member')),
      created_at ${integer} not null,
      primary key (organization_id, account_id)
    )${table}`,
    `create index membership_account on membership (account_id)`,
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
      expires_at ${integer} not null,
      unique (purpose, account_id)
    )${table}`,
    `create index one_time_token_expiry on one_time_token (expires_at)`,
    `create table social_state (
      state_hash text primary key,
      provider text not null,
      binding_hash text not null,
      payload text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index social_state_expiry on social_state (expires_at)`,
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
    `create table sign_in_throttle (
      email_hash text primary key,
      failures ${integer} not null,
      next_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create ${volatile} table rate_window (
      key text primary key,
      window_start ${integer} not null,
      count ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
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
    `create table signing_key (
      kid text primary key,
      public_jwk text not null,
      private_jwk text not null,
      created_at ${integer} not null,
      active_at ${integer} not null,
      retired_at ${integer} not null,
      removed_at ${integer} not null
    )${table}`,
    `create table audit (
      id text primary key,
      organization_id text references organization (id) on delete cascade,
      account_id text references account (id) on delete set null,
      actor_id text,
      action text not null,
      target_id text,
      details text not null,
      ip text not null,
      user_agent text not null,
      request_id text not null,
      created_at ${integer} not null
    )${table}`,
    `create index audit_organization on audit (organization_id, id)`,
    `create index audit_action on audit (organization_id, action, id)`,
    `create index audit_account on audit (account_id, id)`,
    `create table mail_request (
      id text primary key,
      kind text not null,
      email text not null,
      binding_hash text,
      payload text not null,
      ip text not null,
      created_at ${integer} not null
    )${table}`,
    `create table mail (
      id text primary key,
      recipient text not null,
      subject text not null,
      body text not null,
      invitation_id text references invitation (id) on delete set null,
      status text not null check (status in ('queued', 'sent', 'failed', 'not_configured')),
      attempts ${integer} not null,
      next_attempt_at ${integer} not null,
      last_attempt_at ${integer},
      last_error text,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index mail_due on mail (next_attempt_at) where status = 'queued'`,
    `create index mail_invitation on mail (invitation_id, id)`,
    `create table idempotency (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status ${integer} not null,
      answer text not null,
      created_at ${integer} not null,
      primary key (scope, key)
    )${table}`,
    `create index idempotency_age on idempotency (created_at)`,
    `create table webhook (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      url text not null,
      events text not null,
      endpoint_path text unique,
      description text,
      status text not null check (status in ('active', 'paused', 'disabled', 'deleted')),
      disabled_reason text,
      max_in_flight ${integer} not null,
      resumed_at ${integer},
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index webhook_organization on webhook (organization_id, id)`,
    `create table webhook_secret (
      webhook_id text not null references webhook (id) on delete cascade,
      secret text not null,
      hint text not null,
      created_at ${integer} not null,
      expires_at ${integer}
    )${table}`,
    `create index webhook_secret_webhook on webhook_secret (webhook_id)`,
    `create table event (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      type text not null,
      body ${bytes} not null,
      hops ${integer} not null default 0,
      created_at ${integer} not null
    )${table}`,
    `create index event_organization on event (organization_id, id)`,
    `create table delivery (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      webhook_id text not null references webhook (id) on delete cascade,
      event_id text not null references event (id) on delete cascade,
      event_type text not null,
      status text not null check (status in ('pending', 'delivered', 'failed')),
      reason text,
      attempts ${integer} not null,
      due_at ${integer},
      horizon_at ${integer} not null,
      claim_id text,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index delivery_due on delivery (webhook_id, due_at, id) where status = 'pending' and claim_id is null`,
    `create index delivery_horizon on delivery (webhook_id, horizon_at, due_at, id) where status = 'pending' and claim_id is null`,
    `create index delivery_claim on delivery (claim_id) where claim_id is not null`,
    `create index delivery_webhook on delivery (webhook_id, id)`,
    `create index delivery_event on delivery (event_id)`,
    `create table worker (
      id text primary key,
      alive_until ${integer} not null
    )${table}`,
    `create table presence (
      id text primary key,
      alive_until ${integer} not null
    )${table}`,
    `create table event_type (
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      description text not null,
      schema text not null,
      example text not null,
      created_at ${integer} not null,
      primary key (organization_id, name)
    )${table}`,
    `create table capture (
      id text primary key,
      webhook_id text not null references webhook (id) on delete cascade,
      status text not null check (status in ('open', 'captured', 'closed')),
      expires_at ${integer} not null,
      created_at ${integer} not null,
      captured_at ${integer},
      method text,
      query text,
      headers text,
      content_type text,
      body ${bytes}
    )${table}`,
    `create unique index capture_one_open on capture (webhook_id) where status = 'open'`,
    `create index capture_webhook on capture (webhook_id, id)`,
    `create table replay (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      webhook_id text not null references webhook (id) on delete cascade,
      since ${integer} not null,
      until ${integer} not null,
      filter text not null check (filter in ('failed', 'delivered', 'all')),
      status text not null check (status in ('running', 'completed', 'cancelled')),
      position text not null,
      total ${integer} not null,
      replayed ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index replay_running on replay (id) where status = 'running'`,
    `create table attempt (
      id text primary key,
      delivery_id text not null references delivery (id) on delete cascade,
      number ${integer} not null,
      started_at ${integer} not null,
      duration_ms ${integer} not null,
      outcome text not null,
      status_code ${integer},
      error text,
      request_headers text not null,
      response_headers text,
      response_body ${bytes},
      secret_index ${integer} not null
    )${table}`,
    `create index attempt_delivery on attempt (delivery_id, number)`,
  ]
}
