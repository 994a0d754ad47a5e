import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { deleteMails } from '../../mail/outbox.ts'

/** Ends everybody's way into an organization: memberships, keys, and what invites to it. */
export async function endAccess(tx: Tx, id: Id<'organization'>): Promise<void> {
  // Whoever invites or makes a key right now is waited for, and it is taken along.
  await lock(tx, tx.selectFrom('membership').select('role').where('organization_id', '=', id)).execute()
  await lock(tx, tx.selectFrom('api_key').select('id').where('organization_id', '=', id)).execute()
  await deleteMails(tx, { invitedBy: id })
  await tx.deleteFrom('invitation').where('organization_id', '=', id).execute()
  await tx.deleteFrom('api_key').where('organization_id', '=', id).execute()
  await tx.deleteFrom('membership').where('organization_id', '=', id).execute()
}
