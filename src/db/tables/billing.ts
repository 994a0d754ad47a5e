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
  /** One row per organization, locked before a change of its credits. The balance is in the ledger. */
  credit_account: {
    organization_id: Id<'organization'>
    /** The organization's creation; cycles are counted from here. */
    anchor_at: Millis
    /** The last renewed cycle, from `cycle_start`, inclusive, to `cycle_end`, exclusive; 0 before the first. */
    cycle_start: Millis
    cycle_end: Millis
    /** The credits granted in this cycle; an upgrade adds the difference to its plan's credits. */
    cycle_granted: number
  }
  /** Append-only. The last entry has the balances; `sequence` has no gap, so that a missing entry is detected. */
  ledger_entry: {
    id: Id<'ledgerEntry'>
    organization_id: Id<'organization'>
    /** 1, 2, 3 … per organization. */
    sequence: number
    /** An idempotency key: it is never written twice. */
    key: string
    kind: LedgerKind
    /** The change of the credits that expire with the cycle, and of the purchased ones. */
    cycle_amount: number
    purchased_amount: number
    /** Both balances after this entry. */
    cycle_balance: number
    purchased_balance: number
    /** The price, where it differs from the charge: an unlimited plan, or a late reservation. */
    price: number | null
    action: string | null
    reference: string | null
    reason: string | null
    actor_id: string | null
    created_at: Millis
  }
  /** Credits reserved for running work. */
  reservation: {
    id: Id<'reservation'>
    organization_id: Id<'organization'>
    action: string
    reference: string
    /** The price of the action. */
    price: number
    /** The reserved credits: `price`, or 0 for an unlimited plan. */
    amount: number
    status: 'held' | 'settled' | 'released' | 'expired'
    created_at: Millis
    expires_at: Millis
  }
  /** A purchase and its payment. */
  checkout: {
    id: Id<'checkout'>
    organization_id: Id<'organization'>
    /** The purchased credits, or plan. */
    credits: number | null
    plan: string | null
    /** The price, in the currency's smallest unit. */
    amount: number
    currency: string
    /** The payment provider; `none` where the price is 0. */
    provider: 'stripe' | 'manual' | 'none'
    /** The provider's id of it. */
    provider_reference: string | null
    /** The address of the payment page. */
    url: string
    /** An open one is expired after `expires_at`; the status is only stored when the provider reports it. */
    status: 'open' | 'paid' | 'expired' | 'refunded'
    created_by: string | null
    created_at: Millis
    expires_at: Millis
    paid_at: Millis | null
    /** 1: it can no longer be paid, and must be cancelled at the provider. */
    closing: 0 | 1
  }
  /** A plan that the provider charges for each cycle. */
  subscription: {
    /** The provider's id of it. */
    id: string
    organization_id: Id<'organization'>
    checkout_id: Id<'checkout'>
    plan: string
    /** The plan of the organization after its end. */
    plan_before: string
    /** `ending`: another plan has replaced it, and the provider must be notified. */
    status: 'active' | 'ending' | 'ended'
    created_at: Millis
    updated_at: Millis
  }
}
