import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { PlanBook } from '../../core/plans.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { lockOrganization, setPlan } from '../../organizations/organizations.ts'
import { openAccount } from '../credits/open-account.ts'
import { topUp } from '../credits/top-up.ts'

interface PlanChange {
  organizationId: Id<'organization'>
  /** A plan of the plan book. */
  plan: string
  /** null: the operator. */
  actorId: string | null
}

export interface PlanChangeDeps {
  book: PlanBook
  /**
   * Clears this process's cache of credentials with their plans and flags; other processes notice the change within
   * five seconds.
   */
  forgetCallers: () => void
}

/**
 * Changes the plan of an organization. Credits of the new plan's cycle beyond those of this cycle are added at once;
 * credits that the cycle has given stay until it ends.
 * @returns the previous plan
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function changePlan(
  tx: Tx,
  { book, forgetCallers }: PlanChangeDeps,
  trail: Trail,
  { organizationId, plan, actorId }: PlanChange,
): Promise<string> {
  // Locked before its credits, in the order of transactions that delete or rename it.
  if ((await lockOrganization(tx, organizationId)) === undefined)
    throw notFound('organizationId', organizationId)
  const account = await openAccount(tx, book, organizationId, trail.now)
  const before = account.plan.name
  if (before === plan) return before
  await setPlan(tx, organizationId, plan)
  await topUp(tx, book, account, plan, trail.now)
  await audit(tx, trail, {
    action: 'plan.changed',
    organizationId,
    actorId,
    targetId: organizationId,
    details: { from: before, to: plan },
  })
  afterCommit(tx, forgetCallers)
  return before
}
