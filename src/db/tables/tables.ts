import type { Generated } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { AccessTables } from './access.ts'
import type { AgentTables } from './agents.ts'
import type { BillingTables } from './billing.ts'
import type { ConnectionTables } from './connections.ts'
import type { FileTables } from './files.ts'
import type { GrantTables } from './grants.ts'
import type { KnowledgeTables } from './knowledge.ts'
import type { LiveTables } from './live.ts'
import type { McpTables } from './mcp.ts'
import type { ScimTables } from './scim.ts'
import type { SignInTables } from './sign-in.ts'
import type { WebhookTables } from './webhooks.ts'

export { type FactorKind, ROLES, type Role } from './access.ts'
export { LEDGER_KINDS, type LedgerKind } from './billing.ts'

/**
 * The types of all tables in their stored form: names in snake_case, moments in milliseconds, flags as 0 or 1, raw bytes. The slice that
 * owns a table converts its rows to the form of the API (`toWire`).
 */
export interface Tables
  extends CommonTables,
    AccessTables,
    GrantTables,
    ScimTables,
    SignInTables,
    WebhookTables,
    BillingTables,
    ConnectionTables,
    KnowledgeTables,
    FileTables,
    McpTables,
    AgentTables,
    LiveTables {}

/** Tables that every slice uses. */
interface CommonTables {
  meta: { key: string; value: string }
  /** Counters of rate limits that several processes share. */
  rate_window: { key: string; window_start: Millis; count: number; expires_at: Millis }
  mail: {
    id: Id<'mail'>
    recipient: string
    subject: string
    /** Sealed until it was sent, then empty, because it contains valid links. */
    body: string
    invitation_id: Id<'invitation'> | null
    status: 'queued' | 'sent' | 'failed' | 'not_configured'
    attempts: number
    next_attempt_at: Millis
    last_attempt_at: Millis | null
    last_error: string | null
    /** The mail server's last answer for this mail. */
    answer: string | null
    created_at: Millis
    /** The organization whose share of the mail throughput it uses; '' for a mail that a person requested. */
    share: string
  }
  /** A worker process. Its claims are valid until `alive_until`, which its heartbeats extend. */
  worker: {
    id: string
    alive_until: Millis
    /** 1 while it shuts down: it gets no share of any lane. */
    retired: Generated<number>
    /** Digests of the workers that it knows, and of those among which it divides lanes (`jobs/ownership/ownership.ts`). */
    seen: string | null
    divides: string | null
    /** JSON: lanes in which it has more running jobs than that division allows; null without any. */
    draining: string | null
    /** The worker's machine and process, by which others detect its end (`jobs/lease/process-identity.ts`); null where they cannot. */
    process: string | null
  }
  /**
   * A durable job of a kind without its own table. Its columns `progress` and `result` are unused; the next minor version may drop
   * them, when no running program writes them.
   */
  job: {
    id: Id<'job'>
    kind: string
    /** null for a job of no organization. */
    organization_id: Id<'organization'> | null
    /** Its lane, with `cap` concurrent jobs. */
    lane_id: string
    cap: number
    /** JSON. */
    payload: string
    status: 'pending' | 'done' | 'failed' | 'cancelled'
    reason: string | null
    attempts: number
    /**
     * 1 during an attempt. After a crash the outcome of the attempt is unknown; the next attempt makes it 2, and so on until one has
     * ended.
     */
    begun: number
    /** When the next attempt is due; null without one. */
    due_at: Millis | null
    /** The last moment at which an attempt may start. */
    horizon_at: Millis
    /** The claim of its worker, which is checked when it is settled. */
    claim_id: string | null
    /** When its cancellation was requested. */
    cancel_at: Millis | null
    created_at: Millis
    updated_at: Millis
  }
  idempotency: {
    scope: string
    key: string
    fingerprint: string
    status: number
    /** Sealed, because an answer may contain a secret that is shown once. */
    answer: string
    created_at: Millis
  }
}
