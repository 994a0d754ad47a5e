import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

export const LEDGER_KINDS = [
  'renewal',
  'expiry',
  'upgrade',
  'grant',
  'purchase',
  'debit',
  'reversal',
] as const
export type LedgerKind = (typeof LEDGER_KINDS)[number]

/** The tables of billing. */
export interface BillingTables {
  /** One row an organization, locked before its credits are changed. It holds no balance: the ledger does. */
  credit_account: {
    organization_id: Id<'organization'>
    /** The organization's start; cycles are counted from here. */
    anchor_at: Millis
    /** The cycle that was renewed last, from `cycle_start` to before `cycle_end`; 0 before the first. */
    cycle_start: Millis
    cycle_end: Millis
    /** What this cycle has given so far: an upgrade adds what its plan gives beyond that. */
    cycle_granted: number
  }
  /** Append-only. The last entry's balances are the balance; `sequence` has no gap, so that none can be missing. */
  ledger_entry: {
    id: Id<'ledgerEntry'>
    organization_id: Id<'organization'>
    /** 1, 2, 3 … of the organization. */
    sequence: number
    /** What the entry is about, once: the same key is never written twice. */
    key: string
    kind: LedgerKind
    /** Change of the credits that end with the cycle, and of those that stay. */
    cycle_amount: number
    purchased_amount: number
    /** Both after this entry. */
    cycle_balance: number
    purchased_balance: number
    /** What was to be paid, where that is not what was taken: a plan without limit, a reservation that came late. */
    price: number | null
    action: string | null
    reference: string | null
    reason: string | null
    actor_id: string | null
    created_at: Millis
  }
  /** Credits set aside for work under way. */
  reservation: {
    id: Id<'reservation'>
    organization_id: Id<'organization'>
    action: string
    reference: string
    /** What the action costs. */
    price: number
    /** What is set aside: `price`, or 0 where the plan has no limit. */
    amount: number
    status: 'held' | 'settled' | 'released' | 'expired'
    created_at: Millis
    expires_at: Millis
  }
  /** Something to buy, and whether it was paid. */
  checkout: {
    id: Id<'checkout'>
    organization_id: Id<'organization'>
    /** What is bought: credits, or a plan. */
    credits: number | null
    plan: string | null
    /** What it costs, in the currency's smallest unit. */
    amount: number
    currency: string
    /** The payment provider; `none` where nothing is to be paid. */
    provider: 'stripe' | 'manual' | 'none'
    /** The provider's own id of it. */
    provider_reference: string | null
    /** Where it is paid. */
    url: string
    /** An open one is expired once `expires_at` has passed; it is stored only when the provider says so. */
    status: 'open' | 'paid' | 'expired' | 'refunded'
    created_by: string | null
    created_at: Millis
    expires_at: Millis
    paid_at: Millis | null
    /** 1: it cannot be paid any more, and is to be cancelled at the provider. */
    closing: 0 | 1
  }
  /** A plan that the provider charges for each cycle. */
  subscription: {
    /** The provider's own id of it. */
    id: string
    organization_id: Id<'organization'>
    checkout_id: Id<'checkout'>
    plan: string
    /** What the organization has again when it ends. */
    plan_before: string
    /** `ending`: another plan took its place, and the provider is to be told. */
    status: 'active' | 'ending' | 'ended'
    created_at: Millis
    updated_at: Millis
  }
}
