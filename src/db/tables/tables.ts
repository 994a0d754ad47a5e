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
 * Every table as it is stored: names in snake_case, moments in milliseconds, flags as 0 or 1,
 * bytes as they are. What goes out on the wire is made from these by a `toWire` of the slice that owns them.
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

/** What every slice uses. */
interface CommonTables {
  meta: { key: string; value: string }
  /** Counters of the rate limits where several processes share them. */
  rate_window: { key: string; window_start: Millis; count: number; expires_at: Millis }
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
    /** What the mail server said last of this mail, when it took or refused it. */
    answer: string | null
    created_at: Millis
    /** The organization in whose share of the mail it is; '' for a mail that a person asked for. */
    share: string
  }
  /** A process that does jobs; what it has claimed is its own until `alive_until`, which its heartbeats move. */
  worker: {
    id: string
    alive_until: Millis
    /** 1 where it is about to end: it gets no part of any lane. */
    retired: Generated<number>
    /** Digests of the workers that it has seen, and of those among which it divides lanes (`jobs/ownership/ownership.ts`). */
    seen: string | null
    divides: string | null
    /** JSON: lanes in which it has more jobs under way than that view allows; null where there are none. */
    draining: string | null
    /** The worker's machine and process, by which others see that the process has ended (`jobs/lease/process-identity.ts`); null where they cannot. */
    process: string | null
  }
  /** Something durable to be done, of a kind that has no table of its own. */
  job: {
    id: Id<'job'>
    kind: string
    /** null where no organization has caused it. */
    organization_id: Id<'organization'> | null
    /** What it takes its turn with, `cap` at once. */
    lane_id: string
    cap: number
    /** JSON. */
    payload: string
    status: 'pending' | 'done' | 'failed' | 'cancelled'
    reason: string | null
    /** JSON: what it has brought, and how far it has come. */
    result: string | null
    progress: string | null
    attempts: number
    /**
     * 1 while an attempt is under way. After a crash its outcome is not known; the next attempt makes it 2, and so on until
     * one has ended.
     */
    begun: number
    /** When the next attempt is due; null when there is none. */
    due_at: Millis | null
    /** The last moment at which an attempt may start. */
    horizon_at: Millis
    /** The worker that has it in hand; settling asks for it. */
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
    /** Sealed: an answer may hold a secret that is shown once. */
    answer: string
    created_at: Millis
  }
}
