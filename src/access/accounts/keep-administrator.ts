import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'

/**
 * Refuses to end the last administrator, because an organization without one cannot appoint another. If the organization requires a
 * sign-in by its identity provider, this also refuses to end the last exception, because a failure of the provider would lock out all
 * administrators.
 * @throws ApiError FORBIDDEN `last_administrator` or `last_exception` when `accountId` is the only one
 */
export async function keepAdministrator(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<void> {
  const { isRequired, administrators } = await lockAdministrators(tx, organizationId)
  const isOne = administrators.some(({ id }) => id === accountId)
  const isAnother = administrators.some(({ id, status }) => id !== accountId && status === 'active')
  if (isOne && !isAnother) throw new ApiError('FORBIDDEN', { reason: 'last_administrator' })
  if (isRequired && isLastException(administrators, accountId))
    throw new ApiError('FORBIDDEN', { reason: 'last_exception' })
}

/**
 * Checks that an account may lose its last second factor, without which an exception cannot sign in. The account must be locked by `tx`.
 * @throws ApiError FORBIDDEN `last_exception`, with the `organizationId` whose only exception the account is
 */
export async function keepLastFactor(tx: Tx, accountId: Id<'account'>): Promise<void> {
  // The organization is locked before the read, because a change of its requirement may be under way.
  for (const organizationId of await administeredBy(tx, accountId)) {
    const { isRequired, administrators } = await lockAdministrators(tx, organizationId)
    if (isRequired && isLastException(administrators, accountId))
      throw new ApiError('FORBIDDEN', { reason: 'last_exception', organizationId })
  }
}

/** The organizations that an account administers, in the order in which several of them are locked. */
async function administeredBy(tx: Tx, accountId: Id<'account'>): Promise<Id<'organization'>[]> {
  const rows = await tx
    .selectFrom('membership')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'administrator')
    .orderBy('organization_id')
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}

/** Changes of one organization's administrators wait for one another: the row of the organization is their lock. */
async function lockAdministrators(tx: Tx, organizationId: Id<'organization'>) {
  const organization = await lock(
    tx,
    tx.selectFrom('organization').select('sign_in_required_at').where('id', '=', organizationId),
  ).executeTakeFirst()
  const administrators = await tx
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select(['account.id', 'account.status', 'account.second_factors', 'membership.own_sign_in_at'])
    .where('membership.organization_id', '=', organizationId)
    .where('membership.role', '=', 'administrator')
    .execute()
  return { isRequired: typeof organization?.sign_in_required_at === 'number', administrators }
}

/** Whether no other exception could sign in. */
function isLastException(
  administrators: Awaited<ReturnType<typeof lockAdministrators>>['administrators'],
  accountId: Id<'account'>,
): boolean {
  const exceptions = administrators.filter(({ own_sign_in_at }) => own_sign_in_at !== null)
  const isException = exceptions.some(({ id }) => id === accountId)
  const isOther = exceptions.some(
    ({ id, status, second_factors }) => id !== accountId && status === 'active' && second_factors > 0,
  )
  return isException && !isOther
}

/**
 * Checks the exceptions from a required sign-in: active administrators, at least one with a second factor.
 * @throws ApiError VALIDATION_FAILED
 */
export async function mustBeAdministrators(
  tx: Tx,
  organizationId: Id<'organization'>,
  ids: Id<'account'>[],
): Promise<void> {
  const refuse = (reason: string, value?: string) =>
    new ApiError('VALIDATION_FAILED', { field: 'signIn.exceptions', ...(value && { value }), reason })
  const found = await tx
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select(['account.id', 'account.second_factors'])
    .where('membership.organization_id', '=', organizationId)
    .where('membership.role', '=', 'administrator')
    .where('account.status', '=', 'active')
    .execute()
  const other = ids.find((one) => !found.some(({ id }) => id === one))
  if (other !== undefined) throw refuse('not_an_administrator', other)
  const hasFactor = found.some(({ id, second_factors }) => ids.includes(id) && second_factors > 0)
  if (!hasFactor) throw refuse('no_second_factor')
}
