import type { Generated } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** What a delivery begins with. */
export interface DeliveryRow {
  id: Id<'delivery'>
  organization_id: Id<'organization'>
  webhook_id: Id<'webhook'>
  event_id: Id<'event'>
  event_type: string
  /** What is pending while its webhook is not active is held; that is not stored, so that pausing costs one row. */
  status: 'pending' | 'delivered' | 'failed'
  reason: string | null
  attempts: number
  /** When the next attempt is due; null when there is none. */
  due_at: Millis | null
  /** The last moment at which an attempt may start. */
  horizon_at: Millis
  /** The worker, or the claim of a listener, that has it in hand; settling asks for it. */
  claim_id: string | null
  /** 1 where it was asked for to try the destination: a replay passes over it. */
  sample: number
  created_at: Millis
  updated_at: Millis
}

/** What is kept of an attempt. */
export interface AttemptRecord {
  started_at: Millis
  duration_ms: number
  outcome: string
  status_code: number | null
  error: string | null
  /** In short or as JSON (`kept-headers.ts`); no secret in it. */
  request_headers: string
  /** In short or as JSON (`kept-answer.ts`). */
  response_headers: string | null
  response_body: Uint8Array | null
  /** Which live secret signed the request that counts: 0 the current one. */
  secret_index: number
  /** Why there was no whole answer; null where there was one. */
  failure: string | null
  /** Which URL it went to, and how, in short (`kept-reach.ts`). */
  reach: string
}

/** The tables of webhooks and their deliveries. */
export interface WebhookTables {
  webhook: {
    id: Id<'webhook'>
    organization_id: Id<'organization'>
    url: string
    /** Counted up with each change of `url`. */
    url_version: number
    /** JSON array of event types, or of `*`. */
    events: string
    endpoint_path: string | null
    description: string | null
    /** A deleted one stays as long as deliveries tell of it. */
    status: 'active' | 'paused' | 'disabled' | 'deleted'
    disabled_reason: string | null
    max_in_flight: number
    /** Calls a second that its owner says it takes; null: as many as it answers. */
    max_per_second: number | null
    /** When it was registered, paused, disabled or made active last. */
    status_at: Millis
    /** When it became active again: what waited for that has 24 hours from here. */
    resumed_at: Millis | null
    /**
     * The name by which clients fetch its deliveries; null for a webhook that is called. It is stored as `paused`, so that no worker
     * claims for it.
     */
    listener: string | null
    /** When a client asked for its deliveries, to within half a minute; null where none has. */
    listened_at: Millis | null
    created_at: Millis
    updated_at: Millis
  }
  /** The organization that an inbound path belongs to, for good; the row stays when no webhook has the path any more. */
  endpoint_path: { path: string; organization_id: Id<'organization'>; created_at: Millis }
  /** The URLs that a webhook had before, for the attempts that went there. */
  webhook_url: { webhook_id: Id<'webhook'>; version: number; url: string }
  /** The state of a webhook's lane beyond the life of a worker. Losing the last write is harmless, so writes are not flushed. */
  lane: {
    webhook_id: Id<'webhook'>
    organization_id: Id<'organization'>
    /** Attempts at once that it was trusted with. */
    level: number
    /** Since when it is parked; null while it is not. */
    parked_at: Millis | null
    /** When it is tried next while it is parked; null where no pause holds it. */
    probe_at: Millis | null
    /** Since when its attempts fail; null after a success. */
    failing_at: Millis | null
    /** Why the latest attempt failed. */
    cause: string | null
    updated_at: Millis
  }
  /** Secrets of a webhook: the one without `expires_at` signs, the others are still accepted. */
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
    /** The envelope as it is signed and sent, byte for byte. */
    body: Uint8Array
    /** How many webhooks it has come through already. */
    hops: number
    created_at: Millis
    /** The number of its publisher; null where the platform published it, by itself or for an outside caller. */
    publisher: number | null
  }
  /** Publishers of events in an organization: accounts and service accounts, which may have been deleted since. */
  publisher: {
    number: Generated<number>
    organization_id: Id<'organization'>
    actor_id: string
  }
  /**
   * Deliveries that a publication is answered for and that are still to be written: of each of these events to each of
   * these webhooks. It is gone when all are.
   */
  fan_out: {
    id: Id<'fanOut'>
    organization_id: Id<'organization'>
    /** Ids, packed, in their order. */
    events: Uint8Array
    webhooks: Uint8Array
    /** How many are written: first those of the first event, to each webhook in turn. */
    position: number
  }
  /** A row is an event on its way to one webhook; together they are the queue. */
  delivery: DeliveryRow & {
    /** The attempt that ended it, where its record is small; any other is a row of `attempt`. */
    [Name in keyof AttemptRecord]?: AttemptRecord[Name] | null | undefined
  }
  /**
   * How many deliveries of a webhook were made in a time, and what became of them. Several rows may stand for one time: they are
   * added up. Written in the transaction that makes or ends the deliveries.
   */
  delivery_count: {
    organization_id: Id<'organization'>
    webhook_id: Id<'webhook'>
    /** How long that time is, in minutes: 1 as it is written, more when it has been folded. */
    span: number
    /** When it begins: deliveries count at the moment by which their ids are ordered. */
    at: Millis
    /** Parts the rows of one time: of a minute `slot × 64 + bucket`, where the bucket of latency may stand for something else. */
    part: number
    made: number
    delivered: number
    failed: number
    /** Of folded ones, JSON: how many ended in each bucket of latency; null where `part` says the only one. */
    latencies: string | null
  }
  /** A process that is there, where no lock of a session can show it; by the database's clock. */
  presence: { id: string; alive_until: Millis }
  /** Event types that an organization made. */
  event_type: {
    organization_id: Id<'organization'>
    name: string
    description: string
    /** JSON Schema of `data`, as JSON. */
    schema: string
    example: string
    created_at: Millis
  }
  /** The next call to a webhook's inbound path is kept here instead of being delivered. */
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
  /** Deliveries that are to be made again, or made due, some at a time. */
  replay: {
    id: Id<'replay'>
    organization_id: Id<'organization'>
    /** Null where it is of all webhooks of the organization, one after the other. */
    webhook_id: Id<'webhook'> | null
    since: Millis
    until: Millis
    /** `all` have ended; `undelivered` are pending or have failed. */
    filter: 'failed' | 'delivered' | 'all' | 'pending' | 'undelivered'
    /** What else it asks of them, as JSON. */
    criteria: string
    status: 'running' | 'completed' | 'cancelled'
    /** The webhook whose deliveries are looked at; '' before the first. */
    at_webhook_id: Id<'webhook'> | ''
    /** The last delivery of that which was looked at. */
    position: string
    total: number
    replayed: number
    created_at: Millis
    updated_at: Millis
  }
  /** Attempts whose record is not in the row of their delivery; `number` counts those of the delivery from 1 on. */
  attempt: AttemptRecord & {
    organization_id: Id<'organization'>
    delivery_id: Id<'delivery'>
    number: number
  }
}
