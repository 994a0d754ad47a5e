import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { lockOrganization } from '../../organizations/organizations.ts'

/**
 * Limits the webhooks of an organization to the number of its plan, because each costs something with every event. Webhooks
 * beyond the number of a new plan stay.
 * @throws ApiError FORBIDDEN `too_many_webhooks` with the number that the plan allows; UNAUTHORIZED when the
 * organization was deleted while the address was looked up: what is made for it now would never end
 */
export async function refuseBeyondPlan(
  tx: Tx,
  book: PlanBook,
  organizationId: Id<'organization'>,
): Promise<void> {
  // The lock has each of several requests at once wait for the one before it, and count its webhook.
  const organization = await lockOrganization(tx, organizationId)
  if (organization === undefined) throw new ApiError('UNAUTHORIZED', {})
  const { count } = await tx
    .selectFrom('webhook')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', '!=', 'deleted')
    .executeTakeFirstOrThrow()
  const limit = planOf(book, organization.plan).webhooks
  if (Number(count) >= limit) throw new ApiError('FORBIDDEN', { reason: 'too_many_webhooks', limit })
}
