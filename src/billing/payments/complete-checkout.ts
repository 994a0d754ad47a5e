import { audit, type Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { append } from '../credits/ledger.ts'
import { openAccount } from '../credits/open-account.ts'
import { changePlan, type PlanChangeDeps } from '../plans/change-plan.ts'
import type { Checkout, LockedCheckout } from './lock-checkout.ts'

type Bought = Checkout & { plan: string }

/** States of a checkout in which a payment counts. */
const PAYABLE: Checkout['status'][] = ['open', 'expired']

/**
 * Completes a paid checkout: gives its credits or its plan in one transaction, once, however often it is called. A late
 * payment counts, because the money was taken. A deleted organization gets nothing, and its new subscription is ended.
 * @param locked undefined: the checkout does not exist
 * @param subscriptionId the provider's subscription for the plan
 * @returns whether this call completed it
 * @throws Error where the plan book no longer has the bought plan
 */
export async function completeCheckout(
  tx: Tx,
  deps: PlanChangeDeps,
  trail: Trail,
  locked: LockedCheckout | undefined,
  subscriptionId?: string,
): Promise<boolean> {
  if (locked === undefined || !PAYABLE.includes(locked.checkout.status)) return false
  const { now } = trail
  const { checkout, organization } = locked
  const { id, organization_id: organizationId, credits, plan, amount, currency, provider } = checkout
  await tx.updateTable('checkout').set({ status: 'paid', paid_at: now }).where('id', '=', id).execute()
  await audit(tx, trail, {
    action: 'checkout.paid',
    organizationId,
    targetId: id,
    details: { credits, plan, amount, currency, provider },
  })
  if (organization === undefined) {
    if (plan !== null && subscriptionId !== undefined)
      await addSubscription(
        tx,
        { ...checkout, plan },
        { id: subscriptionId, before: plan, status: 'ending', now },
      )
    return true
  }
  if (credits !== null) {
    const account = await openAccount(tx, deps.book, organizationId, now)
    const entry = {
      key: `purchase:${id}`,
      kind: 'purchase',
      purchasedAmount: credits,
      reference: id,
    } as const
    await append(tx, account, entry, now)
  }
  if (plan !== null) await takePlan(tx, deps, trail, { ...checkout, plan }, subscriptionId)
  return true
}

async function takePlan(
  tx: Tx,
  deps: PlanChangeDeps,
  trail: Trail,
  checkout: Bought,
  subscriptionId: string | undefined,
): Promise<void> {
  const { organization_id: organizationId, plan, created_by: actorId } = checkout
  if (!deps.book.plans.has(plan))
    throw new Error(`The plan "${plan}" of ${checkout.id} is not in PLANS_FILE any more.`)
  const { now } = trail
  // The report of its end may have come before that of its start.
  const known = await tx
    .selectFrom('subscription')
    .select('id')
    .where('id', '=', subscriptionId ?? '')
    .executeTakeFirst()
  if (known !== undefined) return
  const fallback = await endOthers(tx, organizationId, now)
  const before = await changePlan(tx, deps, trail, { organizationId, plan, actorId })
  if (subscriptionId === undefined) return
  const subscription = { id: subscriptionId, before: fallback ?? before, status: 'active', now } as const
  await addSubscription(tx, checkout, subscription)
}

/** Writes the row of a subscription. It exists already where its end was reported first. */
async function addSubscription(
  tx: Tx,
  { id: checkoutId, organization_id, plan }: Bought,
  { id, before, status, now }: { id: string; before: string; status: 'active' | 'ending'; now: Millis },
): Promise<void> {
  await tx
    .insertInto('subscription')
    .values({
      id,
      organization_id,
      checkout_id: checkoutId,
      plan,
      plan_before: before,
      status,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Ends the subscriptions that another plan replaces. @returns the plan before the first subscription */
async function endOthers(
  tx: Tx,
  organizationId: Id<'organization'>,
  now: number,
): Promise<string | undefined> {
  const ended = await tx
    .updateTable('subscription')
    .set({ status: 'ending', updated_at: now })
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .returning('plan_before')
    .execute()
  return ended[0]?.plan_before
}
