import type { Dialect } from '../engine/engine.ts'

/** The tables of `delivery/`. */
export function statements({ integer, bytes, serial, table, unchecked, follows }: Dialect): string[] {
  return [
    // Signing secrets of webhooks, sealed. The row without `expires_at` is the current secret.
    `create table webhook_secret (
      webhook_id text not null references webhook (id) on delete cascade,
      secret text not null,
      hint text not null,
      created_at ${integer} not null,
      expires_at ${integer}
    )${table}`,
    `create index webhook_secret_webhook on webhook_secret (webhook_id)`,
    // Accounts and API keys that publish events, each by a number.
    `create table publisher (
      number ${serial},
      organization_id text not null references organization (id) on delete cascade,
      actor_id text not null,
      unique (organization_id, actor_id)
    )${table}`,
    // Published events. `body` is the envelope byte for byte as it is signed and sent. `publisher` takes 4 bytes on
    // PostgreSQL, and is null for events of the platform itself.
    `create table event (
      id text primary key,
      organization_id text not null${unchecked('organization')},
      type text not null,
      hops ${integer} not null default 0,
      body ${bytes} not null,
      created_at ${integer} not null,
      publisher integer
    )${table}`,
    ...follows({ table: 'event', column: 'organization_id', parent: 'organization' }),
    `create index event_organization on event (organization_id, id)`,
    `create index event_publisher on event (publisher, id) where publisher is not null`,
    // Publications whose deliveries are not all written yet: the packed ids of events and webhooks, and how many are written.
    `create table fan_out (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      events ${bytes} not null,
      webhooks ${bytes} not null,
      position ${integer} not null
    )${table}`,
    `create index fan_out_organization on fan_out (organization_id, id)`,
    // Events on their way to one webhook each; the pending ones are the queue. The columns from `started_at` on hold the
    // attempt that ended the delivery, where its record is small.
    `create table delivery (
      id text primary key,
      organization_id text not null${unchecked('organization')},
      webhook_id text not null${unchecked('webhook')},
      event_id text not null${unchecked('event')},
      event_type text not null,
      status text not null check (status in ('pending', 'delivered', 'failed')),
      reason text,
      attempts ${integer} not null,
      due_at ${integer},
      horizon_at ${integer} not null,
      claim_id text,
      sample ${integer} not null default 0,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      started_at ${integer},
      duration_ms ${integer},
      outcome text,
      status_code ${integer},
      error text,
      request_headers text,
      response_headers text,
      response_body ${bytes},
      secret_index ${integer},
      failure text,
      reach text
    )${table}`,
    ...follows({ table: 'delivery', column: 'webhook_id', parent: 'webhook' }),
    ...follows({ table: 'delivery', column: 'event_id', parent: 'event' }),
    `create index delivery_due on delivery (webhook_id, due_at, id) where status = 'pending' and claim_id is null`,
    `create index delivery_horizon on delivery (webhook_id, horizon_at, due_at, id) where status = 'pending' and claim_id is null`,
    `create index delivery_claim on delivery (claim_id) where claim_id is not null`,
    `create index delivery_webhook on delivery (webhook_id, id)`,
    `create index delivery_event on delivery (event_id, webhook_id, id)`,
    // Holds failed deliveries only, so that a successful delivery never writes to it.
    `create index delivery_failed on delivery (webhook_id, id) where status = 'failed' and sample = 0`,
    // Attempts that did not end their delivery, and those whose record is too large for the delivery's row. An attempt's id is
    // derived from the row.
    `create table attempt (
      organization_id text not null,
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
      secret_index ${integer} not null,
      failure text,
      reach text not null,
      primary key (delivery_id, number)
    )${table}`,
    // How many deliveries of a webhook were made and ended in a time. Rows of one time are added up. There is no reference,
    // so that adding to a count waits for no transaction that holds the webhook.
    `create table delivery_count (
      organization_id text not null,
      webhook_id text not null,
      span ${integer} not null,
      at ${integer} not null,
      part ${integer} not null,
      made ${integer} not null,
      delivered ${integer} not null,
      failed ${integer} not null,
      latencies text,
      primary key (organization_id, webhook_id, span, at, part)
    )${table}`,
    // The state of sending to each webhook: its level of concurrency, its pause, and since when it fails.
    `create table lane (
      webhook_id text primary key references webhook (id) on delete cascade,
      organization_id text not null,
      level ${integer} not null,
      parked_at ${integer},
      updated_at ${integer} not null,
      probe_at ${integer},
      failing_at ${integer},
      cause text
    )${table}`,
    `create index lane_updated on lane (updated_at)`,
    `create index lane_failing on lane (webhook_id) where failing_at is not null`,
    // Replays: deliveries of a time that are made again or made due, in steps. `webhook_id` is null for a replay of all
    // webhooks of the organization; `criteria` is JSON.
    `create table replay (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      webhook_id text references webhook (id) on delete cascade,
      since ${integer} not null,
      until ${integer} not null,
      filter text not null check (filter in ('failed', 'delivered', 'all', 'pending', 'undelivered')),
      criteria text not null,
      status text not null check (status in ('running', 'completed', 'cancelled')),
      at_webhook_id text not null,
      position text not null,
      total ${integer} not null,
      replayed ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index replay_running on replay (id) where status = 'running'`,
    `create index replay_organization on replay (organization_id, id)`,
  ]
}
