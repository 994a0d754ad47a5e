import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'

/**
 * An organization without an administrator who can sign in could never get one again.
 * @throws ApiError FORBIDDEN `last_administrator` when `accountId` is the only one
 */
export async function keepAdministrator(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<void> {
  // Changes of one organization's administrators wait for one another: the row of the organization is their lock.
  await lock(tx, tx.selectFrom('organization').select('id').where('id', '=', organizationId)).execute()
  const administrators = await tx
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select(['account.id', 'account.status'])
    .where('membership.organization_id', '=', organizationId)
    .where('membership.role', '=', 'administrator')
    .execute()
  const isOne = administrators.some(({ id }) => id === accountId)
  const isAnother = administrators.some(({ id, status }) => id !== accountId && status === 'active')
  if (isOne && !isAnother) throw new ApiError('FORBIDDEN', { reason: 'last_administrator' })
}
