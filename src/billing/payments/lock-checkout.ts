import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { lockOrganization } from '../../organizations/organizations.ts'

export type Checkout = Tables['checkout']

/** A checkout that one transaction has locked, and its organization. */
export interface LockedCheckout {
  checkout: Checkout
  /**
   * Locked as well, so that it is not deleted and keeps its plan until the transaction ends; undefined where it is
   * deleted.
   */
  organization: Tables['organization'] | undefined
}

/**
 * Locks a checkout, and its organization before it, in the order of transactions that change a plan or delete the
 * organization. Only the checkout names its organization, so it is read first without a lock, and again under both
 * locks.
 * @returns undefined where it does not exist, or was deleted
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
