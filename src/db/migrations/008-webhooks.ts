import type { Dialect } from '../engine/engine.ts'

/** The tables of `webhooks/`. */
export function statements({ integer, bytes, real, table }: Dialect): string[] {
  return [
    // Webhooks of organizations. `events` is a JSON array. A deleted webhook stays until its deliveries are removed.
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
      updated_at ${integer} not null,
      max_per_second ${real},
      url_version ${integer} not null default 0,
      status_at ${integer} not null
    )${table}`,
    `create index webhook_organization on webhook (organization_id, id)`,
    `create index webhook_disabled on webhook (id) where status = 'disabled'`,
    // The former URLs of webhooks, for the attempts that were made to them.
    `create table webhook_url (
      webhook_id text not null references webhook (id) on delete cascade,
      version ${integer} not null,
      url text not null,
      primary key (webhook_id, version)
    )${table}`,
    // The organization that each inbound path belongs to. A row stays when its webhook is deleted or takes another path.
    `create table endpoint_path (
      path text primary key,
      organization_id text not null,
      created_at ${integer} not null
    )${table}`,
    `create index endpoint_path_organization on endpoint_path (organization_id)`,
    // Event types that organizations registered. `schema` is a JSON Schema, `example` is JSON.
    `create table event_type (
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      description text not null,
      schema text not null,
      example text not null,
      created_at ${integer} not null,
      primary key (organization_id, name)
    )${table}`,
    // Capture windows: the next call to an inbound path is stored here instead of being delivered.
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
  ]
}
