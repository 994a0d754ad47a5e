import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/** Removes a former member as the contact of service accounts. The membership must have ended in `tx`. */
export async function endOwnership(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<void> {
  await tx
    .updateTable('service_account')
    .set({ owner_id: null })
    .where('organization_id', '=', organizationId)
    .where('owner_id', '=', accountId)
    .execute()
}
