import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { lockOrganization } from '../../organizations/organizations.ts'

export type Checkout = Tables['checkout']

/** A checkout in the hands of one transaction, and whose it is. */
export interface LockedCheckout {
  checkout: Checkout
  /** Nobody changes its plan, or deletes it, until the transaction ends; undefined where it is deleted. */
  organization: Tables['organization'] | undefined
}

/**
 * Locks a checkout, and before it the organization, as whoever changes its plan or deletes it does. Whose it is stands in
 * the checkout alone, which is read for that and then, under both locks, as it has become meanwhile.
 * @returns undefined where there is none, or not any more
 */
export async function lockCheckout(tx: Tx, id: Id<'checkout'>): Promise<LockedCheckout | undefined> {
  const found = await tx
    .selectFrom('checkout')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { organization_id } = found
  const organization = await lockOrganization(tx, organization_id)
  const rows = tx
    .selectFrom('checkout')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
  const checkout = await lock(tx, rows).executeTakeFirst()
  return checkout && { checkout, organization }
}
