import type { Id } from '../../core/id.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'

/**
 * Limits the webhooks of an organization to the number of its plan, because each costs something with every event. Webhooks
 * beyond the number of a new plan stay.
 * @throws ApiError FORBIDDEN `too_many_webhooks` with the number that the plan allows; UNAUTHORIZED when the
 * organization was deleted while the address was looked up
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
