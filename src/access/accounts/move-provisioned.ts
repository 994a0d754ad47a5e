import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/**
 * Moves users of directories from one account to the account that gets its invitations, so that the end of a user also ends the
 * resulting membership. An account that is already another user's in the organization stays linked to that user. `tx` has locked both.
 * @param email only users of this address
 */
export async function moveProvisioned(
  tx: Tx,
  { from, to, email }: { from: Id<'account'>; to: Id<'account'>; email: string },
): Promise<void> {
  const moving = tx
    .selectFrom('scim_user')
    .select('organization_id')
    .where('account_id', '=', from)
    .where('email', '=', email)
  const membershipsOf = (account: Id<'account'>) =>
    tx.selectFrom('membership').select('organization_id').where('account_id', '=', account)
  await tx
    .updateTable('scim_user')
    .set({ account_id: null })
    .where('account_id', '=', to)
    .where('organization_id', 'in', moving)
    .where('organization_id', 'not in', membershipsOf(to))
    .execute()
  const taken = tx.selectFrom('scim_user').select('organization_id').where('account_id', '=', to)
  await tx
    .updateTable('scim_user')
    .set({ account_id: to })
    .where('account_id', '=', from)
    .where('email', '=', email)
    .where('organization_id', 'not in', membershipsOf(from))
    .where('organization_id', 'not in', taken)
    .execute()
}
