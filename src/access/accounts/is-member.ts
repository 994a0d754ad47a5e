import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'

/** Whether an account is a member of an organization. */
export async function isMember(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<boolean> {
  const found = await db
    .selectFrom('membership')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return found !== undefined
}
