import type { Generated } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The columns of a new delivery. */
export interface DeliveryRow {
  id: Id<'delivery'>
  organization_id: Id<'organization'>
  webhook_id: Id<'webhook'>
  event_id: Id<'event'>
  event_type: string
  /** A pending delivery is held while its webhook is not active; that is not stored, so that pausing writes one row. */
  status: 'pending' | 'delivered' | 'failed'
  reason: string | null
  attempts: number
  /** When the next attempt is due; null without one. */
  due_at: Millis | null
  /** The last moment at which an attempt may start. */
  horizon_at: Millis
  /** The claim of a worker or a listener, which is checked when it is settled. */
  claim_id: string | null
  /** 1 for a test of the destination, which replays skip. */
  sample: number
  created_at: Millis
  updated_at: Millis
}

/** The record of an attempt. */
export interface AttemptRecord {
  started_at: Millis
  duration_ms: number
  outcome: string
  status_code: number | null
  error: string | null
  /** Compact or as JSON (`kept-headers.ts`); without secrets. */
  request_headers: string
  /** Compact or as JSON (`kept-answer.ts`). */
  response_headers: string | null
  response_body: Uint8Array | null
  /** The index of the valid secret that signed the decisive request; 0: the current one. */
  secret_index: number
  /** Why there was no complete answer; null where there was one. */
  failure: string | null
  /** The URL and connection of the request, in compact form (`kept-reach.ts`). */
  reach: string
}

/** The tables of webhooks and their deliveries. */
export interface WebhookTables {
  webhook: {
    id: Id<'webhook'>
    organization_id: Id<'organization'>
    url: string
    /** Incremented with each change of `url`. */
    url_version: number
    /** JSON array of event types, or of `*`. */
    events: string
    endpoint_path: string | null
    description: string | null
    /** A deleted one is kept while deliveries refer to it. */
    status: 'active' | 'paused' | 'disabled' | 'deleted'
    disabled_reason: string | null
    max_in_flight: number
    /** The configured limit of calls per second; null: no limit. */
    max_per_second: number | null
    /** The last change of the status. */
    status_at: Millis
    /** When it became active again: held deliveries have 24 hours from this moment. */
    resumed_at: Millis | null
    /**
     * The name by which clients fetch its deliveries; null for a webhook with a URL. Its status is stored as `paused`, so that no worker
     * claims its deliveries.
     */
    listener: string | null
    /** When a client last fetched its deliveries, with a precision of half a minute; null: never. */
    listened_at: Millis | null
    created_at: Millis
    updated_at: Millis
  }
  /** The permanent owner of an inbound path; the row stays when no webhook has the path any more. */
  endpoint_path: { path: string; organization_id: Id<'organization'>; created_at: Millis }
  /** Former URLs of a webhook, for the attempts that used them. */
  webhook_url: { webhook_id: Id<'webhook'>; version: number; url: string }
  /** The state of a webhook's lane that outlives a worker. A lost write is harmless, so writes are not flushed. */
  lane: {
    webhook_id: Id<'webhook'>
    organization_id: Id<'organization'>
    /** Its concurrency limit. */
    level: number
    /** When it was parked; null while it is not. */
    parked_at: Millis | null
    /** The next probe while it is parked; null without a pause. */
    probe_at: Millis | null
    /** The first failure since the last success; null after a success. */
    failing_at: Millis | null
    /** The failure of the latest attempt. */
    cause: string | null
    updated_at: Millis
  }
  /** Secrets of a webhook: the one without `expires_at` signs, the others are still valid. */
  webhook_secret: {
    webhook_id: Id<'webhook'>
    secret: string
    hint: string
    created_at: Millis
    expires_at: Millis | null
  }
  event: {
    id: Id<'event'>
    organization_id: Id<'organization'>
    type: string
    /** The envelope in the exact bytes that are signed and sent. */
    body: Uint8Array
    /** The number of webhooks that it has passed through. */
    hops: number
    created_at: Millis
    /** The number of its publisher; null where the platform published it, also for an external caller. */
    publisher: number | null
  }
  /** Publishers of events in an organization: accounts and service accounts, which may have been deleted since. */
  publisher: {
    number: Generated<number>
    organization_id: Id<'organization'>
    actor_id: string
  }
  /**
   * Deliveries of an accepted publication that are not written yet: of each of these events to each of these webhooks. Deleted when all
   * are written.
   */
  fan_out: {
    id: Id<'fanOut'>
    organization_id: Id<'organization'>
    /** Packed ids, in order. */
    events: Uint8Array
    webhooks: Uint8Array
    /** The number of written deliveries: first those of the first event, to each webhook in turn. */
    position: number
  }
  /** The delivery of an event to one webhook; the rows are the queue. */
  delivery: DeliveryRow & {
    /** The record of the last attempt, where it is small; other attempts are rows of `attempt`. */
    [Name in keyof AttemptRecord]?: AttemptRecord[Name] | null | undefined
  }
  /**
   * Counts of a webhook's deliveries in a period, by outcome. Several rows of one period are summed. Written in the transaction that
   * creates or ends the deliveries.
   */
  delivery_count: {
    organization_id: Id<'organization'>
    webhook_id: Id<'webhook'>
    /** The length of the period in minutes: 1 when written, more after it was aggregated. */
    span: number
    /** The start of the period; deliveries count at the moment in their ids. */
    at: Millis
    /** Distinguishes the rows of one period: for a minute `slot × 64 + bucket`, where the latency bucket may have another meaning. */
    part: number
    made: number
    delivered: number
    failed: number
    /** JSON of the counts by latency bucket, for aggregated rows; null where `part` has the only one. */
    latencies: string | null
  }
  /** The heartbeat of a process that cannot hold a session lock, by the database's clock. */
  presence: { id: string; alive_until: Millis }
  /** Event types of an organization. */
  event_type: {
    organization_id: Id<'organization'>
    name: string
    description: string
    /** JSON Schema of `data`, as JSON. */
    schema: string
    example: string
    created_at: Millis
  }
  /** The next call to a webhook's inbound path is stored here instead of being delivered. */
  capture: {
    id: Id<'capture'>
    webhook_id: Id<'webhook'>
    status: 'open' | 'captured' | 'closed'
    expires_at: Millis
    created_at: Millis
    captured_at: Millis | null
    method: string | null
    query: string | null
    headers: string | null
    content_type: string | null
    body: Uint8Array | null
  }
  /** Replays: deliveries to be repeated, or to be made due, in steps. */
  replay: {
    id: Id<'replay'>
    organization_id: Id<'organization'>
    /** Null for all webhooks of the organization, one after the other. */
    webhook_id: Id<'webhook'> | null
    since: Millis
    until: Millis
    /** `all` have ended; `undelivered` are pending or have failed. */
    filter: 'failed' | 'delivered' | 'all' | 'pending' | 'undelivered'
    /** Further conditions, as JSON. */
    criteria: string
    status: 'running' | 'completed' | 'cancelled'
    /** The webhook that is being processed; '' before the first. */
    at_webhook_id: Id<'webhook'> | ''
    /** The last processed delivery of that webhook. */
    position: string
    total: number
    replayed: number
    created_at: Millis
    updated_at: Millis
  }
  /** Attempts whose record is not in the row of their delivery; `number` counts the attempts of a delivery from 1. */
  attempt: AttemptRecord & {
    organization_id: Id<'organization'>
    delivery_id: Id<'delivery'>
    number: number
  }
}
