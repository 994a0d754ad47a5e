import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Plan } from '../core/limits.ts'

/**
 * Every table as it is stored: names in snake_case, moments in milliseconds, flags as 0 or 1,
 * bytes as they are. What goes out on the wire is made from these by a `toWire` of the slice that owns them.
 */
export interface Tables {
  meta: { key: string; value: string }

  organization: { id: Id<'organization'>; name: string; plan: Plan; created_at: Millis }
  account: {
    id: Id<'account'>
    email: string
    first_name: string | null
    last_name: string | null
    status: 'inactive' | 'active' | 'disabled'
    email_verified_at: Millis | null
    /** Argon2id in PHC form; null for who never set a password. */
    password_hash: string | null
    terms_accepted_at: Millis | null
    /** The organization of the last token that asked for one, so that the next needs not be told. */
    last_organization_id: Id<'organization'> | null
    created_at: Millis
    updated_at: Millis
  }
  /** A person at an identity provider, by the provider's own unchanging key. */
  identity: {
    provider: string
    subject: string
    account_id: Id<'account'>
    email: string
    created_at: Millis
  }
  membership: {
    organization_id: Id<'organization'>
    account_id: Id<'account'>
    role: Role
    created_at: Millis
  }
  invitation: {
    id: Id<'invitation'>
    organization_id: Id<'organization'>
    account_id: Id<'account'>
    email: string
    role: Role
    /** The account or API key that invited; null for the command line. */
    inviter_id: string | null
    /** A pending one is expired once `expires_at` has passed; that is stored only when a newer one takes its place. */
    status: 'pending' | 'accepted' | 'revoked' | 'expired'
    token_hash: string
    /** 1: the token went into a mail and nowhere else, so that who has it has the mailbox. */
    mailed: number
    created_at: Millis
    lifetime_ms: Millis
    expires_at: Millis
    accepted_at: Millis | null
    revoked_at: Millis | null
  }
  /** Single-use secrets that travel by mail; `subject` is what each is for. */
  one_time_token: {
    token_hash: string
    purpose: 'confirmation' | 'password_reset' | 'magic_link'
    email: string
    account_id: Id<'account'>
    /** Sealed JSON that the purpose needs when the token comes back. */
    payload: string | null
    /** Hash of the cookie of the browser that asked. */
    binding_hash: string | null
    code_hash: string | null
    wrong_codes: number
    created_at: Millis
    expires_at: Millis
  }
  /** Sign-ins on their way through an identity provider. */
  social_state: {
    state_hash: string
    provider: string
    /** Hash of the cookie of the browser that began it. */
    binding_hash: string
    /** Sealed JSON: what the flow needs when it comes back. */
    payload: string
    created_at: Millis
    expires_at: Millis
  }
  session: {
    id: Id<'session'>
    account_id: Id<'account'>
    token_hash: string
    ip: string
    user_agent: string
    created_at: Millis
    last_seen_at: Millis
    /** When it ends however much it is used. */
    expires_at: Millis
  }
  /** Failed sign-ins of one address, known or not. */
  sign_in_throttle: { email_hash: string; failures: number; next_at: Millis; updated_at: Millis }
  /** Counters of the rate limits where several processes share them. */
  rate_window: { key: string; window_start: Millis; count: number; expires_at: Millis }
  api_key: {
    id: Id<'apiKey'>
    organization_id: Id<'organization'>
    name: string
    role: Role
    key_hash: string
    hint: string
    created_by: string | null
    created_at: Millis
    expires_at: Millis | null
    last_used_at: Millis | null
  }
  signing_key: {
    kid: string
    /** The public JWK as JSON. */
    public_jwk: string
    /** The private JWK, sealed. */
    private_jwk: string
    created_at: Millis
    /** It signs from here … */
    active_at: Millis
    /** … to here, and is published until `removed_at`. */
    retired_at: Millis
    removed_at: Millis
  }
  audit: {
    id: Id<'audit'>
    organization_id: Id<'organization'> | null
    account_id: Id<'account'> | null
    /** Who did it: an account, an API key, or null for somebody unknown or the command line. */
    actor_id: string | null
    action: string
    target_id: string | null
    details: string
    ip: string
    user_agent: string
    request_id: string
    created_at: Millis
  }
  /** Requests for a mail to an address that may or may not have an account; answered before anybody looks. */
  mail_request: {
    id: Id<'mail'>
    kind: 'password_reset' | 'magic_link'
    email: string
    binding_hash: string | null
    /** Sealed: the code that the mail will carry, and where to return to. */
    payload: string
    ip: string
    created_at: Millis
  }
  mail: {
    id: Id<'mail'>
    recipient: string
    subject: string
    /** Sealed until it was sent, then empty: it holds live links. */
    body: string
    invitation_id: Id<'invitation'> | null
    status: 'queued' | 'sent' | 'failed' | 'not_configured'
    attempts: number
    next_attempt_at: Millis
    last_attempt_at: Millis | null
    last_error: string | null
    created_at: Millis
    expires_at: Millis
  }
  idempotency: {
    scope: string
    key: string
    fingerprint: string
    status: number
    /** Sealed: an answer may hold a secret that is shown once. */
    answer: string
    created_at: Millis
  }

  webhook: {
    id: Id<'webhook'>
    organization_id: Id<'organization'>
    url: string
    /** JSON array of event types, or of `*`. */
    events: string
    endpoint_path: string | null
    description: string | null
    /** A deleted one stays as long as deliveries tell of it. */
    status: 'active' | 'paused' | 'disabled' | 'deleted'
    disabled_reason: string | null
    max_in_flight: number
    /** When it became active again: what waited for that has 24 hours from here. */
    resumed_at: Millis | null
    created_at: Millis
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
    created_at: Millis
  }
  /** A row is an event on its way to one webhook; together they are the queue. */
  delivery: {
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
    /** The worker that has it in hand; settling asks for it. */
    claim_id: string | null
    created_at: Millis
    updated_at: Millis
  }
  /** A process that sends; its claims are good until `alive_until`, which it keeps moving on. */
  worker: { id: string; alive_until: Millis }
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
  /** Deliveries that are to be made again, some at a time. */
  replay: {
    id: Id<'replay'>
    organization_id: Id<'organization'>
    webhook_id: Id<'webhook'>
    since: Millis
    until: Millis
    filter: 'failed' | 'delivered' | 'all'
    status: 'running' | 'completed' | 'cancelled'
    /** The last delivery that was made again. */
    position: string
    total: number
    replayed: number
    created_at: Millis
    updated_at: Millis
  }
  attempt: {
    id: Id<'attempt'>
    delivery_id: Id<'delivery'>
    number: number
    started_at: Millis
    duration_ms: number
    outcome: string
    status_code: number | null
    error: string | null
    /** JSON; no secret in it. */
    request_headers: string
    response_headers: string | null
    response_body: Uint8Array | null
    /** Which live secret signed the request that counts: 0 the current one. */
    secret_index: number
  }
}

export type Role = 'administrator' | 'member'
export const ROLES = ['administrator', 'member'] as const satisfies Role[]
