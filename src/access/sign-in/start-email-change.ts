import type { Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { beginEmailChange, isFreeAddress } from './begin-email-change.ts'

/**
 * Begins a change of address for a person who has lost the current mailbox. The operator acts for the person, and gets errors
 * that a person does not get.
 * @param to normalised
 * @throws ApiError ENTITY_NOT_FOUND; FORBIDDEN `not_signed_up`, also of a disabled account; VALIDATION_FAILED `same_address`; DUPLICATE
 * where the address has another account
 */
export async function startEmailChange(
  tx: Tx,
  deps: Pick<AccessDeps, 'config' | 'vault' | 'outbox'>,
  trail: Trail,
  { id, to }: { id: Id<'account'>; to: string },
): Promise<void> {
  const account = await lockAccount(tx, id)
  if (account === undefined) throw notFound('id', id)
  if (account.status !== 'active') throw new ApiError('FORBIDDEN', { reason: 'not_signed_up' })
  if (to === account.email)
    throw new ApiError('VALIDATION_FAILED', { field: 'newEmail', value: to, reason: 'same_address' })
  if (!(await isFreeAddress(tx, to))) throw new ApiError('DUPLICATE', { field: 'newEmail', value: to })
  await beginEmailChange(tx, deps, trail, account, { to, sessionId: null })
}
