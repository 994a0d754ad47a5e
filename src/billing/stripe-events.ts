import type { Stripe } from 'stripe'
import { audit, type Trail } from '../audit/audit.ts'
import { readId } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { reverse } from './credits/grants.ts'
import type { BillingDeps } from './deps.ts'
import { completeCheckout } from './payments/complete-checkout.ts'
import { type LockedCheckout, lockCheckout } from './payments/lock-checkout.ts'
import { changePlan } from './plans/change-plan.ts'

type EventDeps = Pick<BillingDeps, 'config' | 'book' | 'forgetCallers' | 'log'>
type Apply = (tx: Tx, deps: EventDeps, trail: Trail, object: never) => Promise<string>

/** Stripe's events and their effects. Each may arrive twice, late, or out of order. */
const EVENTS: Record<string, Apply> = {
  'checkout.session.completed': paid,
  'checkout.session.async_payment_succeeded': paid,
  'checkout.session.async_payment_failed': expired,
  'checkout.session.expired': expired,
  'charge.refunded': refunded,
  'customer.subscription.deleted': subscriptionEnded,
}

/**
 * Applies an event with a valid signature.
 * @returns the result as one word for the log
 */
export async function applyStripeEvent(
  tx: Tx,
  deps: EventDeps,
  trail: Trail,
  event: Stripe.Event,
): Promise<string> {
  const apply = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined
  if (apply === undefined) return 'not_ours'
  // Events of connected accounts, and of the other mode (test or live), do not concern our payments.
  if (event.account !== undefined) return 'other_account'
  if (event.livemode !== /^[a-z]+_live_/.test(deps.config.billing.stripe?.secretKey ?? ''))
    return 'other_mode'
  return apply(tx, deps, trail, event.data.object as never)
}

async function paid(
  tx: Tx,
  deps: EventDeps,
  trail: Trail,
  session: Stripe.Checkout.Session,
): Promise<string> {
  if (session.payment_status === 'unpaid') return 'not_paid_yet'
  const locked = await findCheckout(tx, session.client_reference_id)
  if (locked?.checkout.provider_reference !== session.id) return 'not_ours'
  const { checkout, organization } = locked
  const { amount, currency, plan } = checkout
  const isOurs =
    session.amount_total === amount &&
    session.currency === currency &&
    session.mode === (plan === null ? 'payment' : 'subscription')
  if (!isOurs) {
    const reported = { amount: session.amount_total, currency: session.currency, mode: session.mode }
    deps.log.error(
      { checkout: checkout.id, asked: { amount, currency }, reported },
      'Stripe reports another sum',
    )
    await audit(tx, trail, {
      action: 'checkout.refused',
      organizationId: checkout.organization_id,
      targetId: checkout.id,
      details: { reason: 'another_sum', amount: reported.amount, currency: reported.currency },
    })
    return 'another_sum'
  }
  const isFirst = await completeCheckout(tx, deps, trail, locked, idOf(session.subscription))
  if (isFirst && organization === undefined) {
    const paidFor = { checkout: checkout.id, organizationId: checkout.organization_id, amount, currency }
    deps.log.error(paidFor, 'paid for an organization that is deleted: give it back at Stripe')
    return 'organization_deleted'
  }
  return isFirst ? 'applied' : 'known'
}

async function expired(
  tx: Tx,
  _deps: EventDeps,
  _trail: Trail,
  session: Stripe.Checkout.Session,
): Promise<string> {
  const { numUpdatedRows } = await tx
    .updateTable('checkout')
    .set({ status: 'expired' })
    .where('provider', '=', 'stripe')
    .where('provider_reference', '=', session.id)
    .where('status', '=', 'open')
    .executeTakeFirst()
  return numUpdatedRows > 0n ? 'applied' : 'known'
}

/** A full refund takes back the unspent credits. The operator decides about partial refunds. */
async function refunded(tx: Tx, deps: EventDeps, trail: Trail, charge: Stripe.Charge): Promise<string> {
  const { checkout, organization } = (await findCheckout(tx, charge.metadata.checkout)) ?? {}
  if (checkout?.provider !== 'stripe' || checkout.credits === null) return 'not_ours'
  if (charge.amount_refunded < checkout.amount || charge.currency !== checkout.currency) return 'in_part'
  await tx.updateTable('checkout').set({ status: 'refunded' }).where('id', '=', checkout.id).execute()
  const entry = await tx
    .selectFrom('ledger_entry')
    .select('id')
    .where('organization_id', '=', checkout.organization_id)
    .where('key', '=', `purchase:${checkout.id}`)
    .executeTakeFirst()
  // The refund came before the payment, which will find the checkout closed.
  if (entry === undefined) return 'applied'
  if (organization === undefined) return 'organization_deleted'
  const { isNew } = await reverse(tx, deps.book, trail, {
    organizationId: checkout.organization_id,
    entryId: entry.id,
    reason: 'refunded by Stripe',
  })
  return isNew ? 'applied' : 'known'
}

/** A subscription ended, was cancelled or remained unpaid: the organization returns to its previous plan. */
async function subscriptionEnded(
  tx: Tx,
  deps: EventDeps,
  trail: Trail,
  { id, metadata }: Stripe.Subscription,
): Promise<string> {
  // The lock waits for an operator or another checkout that changes the plan, so that this reads their result.
  const { checkout, organization } = (await findCheckout(tx, metadata.checkout)) ?? {}
  if (checkout?.plan == null) return 'not_ours'
  const { organization_id: organizationId, plan } = checkout
  const ended = { status: 'ended', updated_at: trail.now } as const
  if (organization === undefined) {
    await tx.updateTable('subscription').set(ended).where('id', '=', id).execute()
    return 'organization_deleted'
  }
  const known = await tx.selectFrom('subscription').selectAll().where('id', '=', id).executeTakeFirst()
  if (known === undefined) {
    // The end came before the start, which will find it ended.
    const row = { id, organization_id: organizationId, checkout_id: checkout.id, plan, plan_before: plan }
    await tx
      .insertInto('subscription')
      .values({ ...row, ...ended, created_at: trail.now })
      .execute()
    return 'applied'
  }
  await tx.updateTable('subscription').set(ended).where('id', '=', id).execute()
  if (known.status !== 'active') return 'known'
  await audit(tx, trail, {
    action: 'subscription.ended',
    organizationId,
    targetId: checkout.id,
    details: { plan, subscription: id },
  })
  // A plan that an operator has set since is kept.
  if (organization.plan !== known.plan) return 'applied'
  const before = deps.book.plans.has(known.plan_before) ? known.plan_before : deps.config.plans.default
  await changePlan(tx, deps, trail, { organizationId, plan: before, actorId: null })
  return 'applied'
}

/** The checkout that Stripe names, locked, so that its events are applied one at a time. */
async function findCheckout(tx: Tx, text: string | null | undefined): Promise<LockedCheckout | undefined> {
  const id = readId('checkout', text ?? '')
  return id && lockCheckout(tx, id)
}

function idOf(thing: string | { id: string } | null): string | undefined {
  return typeof thing === 'string' ? thing : thing?.id
}
