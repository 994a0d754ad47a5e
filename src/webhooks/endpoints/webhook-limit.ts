import type { Id } from '../../core/id.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'

/**
 * Limits the webhooks of an organization to its plan's number, because each costs something with every event. Existing
 * webhooks above the limit of a new plan stay.
 * @throws ApiError FORBIDDEN `too_many_webhooks` with the plan's number; UNAUTHORIZED where the organization was
 * deleted while the address was resolved
 */
export async function refuseBeyondPlan(
  tx: Tx,
  book: PlanBook,
  organizationId: Id<'organization'>,
): Promise<void> {
  await refuseBeyond(tx, organizationId, {
    rows: tx
      .selectFrom('webhook')
      .where('organization_id', '=', organizationId)
      .where('status', '!=', 'deleted'),
    most: ({ plan }) => planOf(book, plan).webhooks,
    reason: 'too_many_webhooks',
  })
}
