import type { Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { admit } from '../accounts/accounts.ts'
import { lockAccount, lockAddress } from '../accounts/lock-account.ts'
import type { ScimContext, ScimDeps } from './deps.ts'
import { getProvisioned } from './provisioned-rows.ts'

type User = Tables['scim_user']

/** Since the read a user has changed, or an address has got an account, so other accounts must be locked. */
export class ChangedSinceRead extends Error {}

const MOST_TRIES = 5

/**
 * Repeats work whose rows changed after it read them.
 * @throws ApiError RATE_LIMITED where they change at every try
 */
export async function retryWhenChanged<T>(work: () => Promise<T>): Promise<T> {
  for (let left = MOST_TRIES - 1; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ChangedSinceRead)) throw error
      if (left === 0) throw new ApiError('RATE_LIMITED', { retryAfterSeconds: 1 })
    }
  }
}

interface Addresses {
  emails: string[]
  /** Linked accounts, independent of their addresses. */
  ids?: Id<'account'>[]
  /** The address of a person who will be admitted; a missing account is created. */
  coming?: string | undefined
}

/**
 * Locks the existing accounts of addresses, in the order of the addresses and before the organization. The account of a person who will be
 * admitted is created here, because an invitation made under the lock of the organization would lock it too late.
 * @returns the addresses whose accounts are locked
 */
export async function lockAccounts(
  tx: Tx,
  { publish }: Pick<ScimDeps, 'publish'>,
  trail: Trail,
  { emails, ids = [], coming }: Addresses,
): Promise<ReadonlySet<string>> {
  const linked =
    ids.length === 0
      ? []
      : await tx.selectFrom('account').select(['id', 'email']).where('id', 'in', ids).execute()
  const idOf = new Map(linked.map(({ id, email }) => [email, id]))
  const locked = new Set<string>()
  for (const email of [...new Set([...emails, ...idOf.keys()])].sort()) {
    const id = idOf.get(email)
    const account =
      email === coming
        ? await admit(tx, publish, trail, { because: 'invited', email })
        : await (id === undefined ? lockAddress(tx, email) : lockAccount(tx, id))
    if (account !== undefined) locked.add(account.email)
  }
  return locked
}

/**
 * Checks, under the lock of the organization, that no address has got an account after `lockAccounts`.
 * @throws ChangedSinceRead
 */
export async function mustBeAllOf(tx: Tx, locked: ReadonlySet<string>, emails: string[]): Promise<void> {
  const missing = emails.filter((email) => !locked.has(email))
  if (missing.length === 0) return
  const found = await tx
    .selectFrom('account')
    .select('id')
    .where('email', 'in', missing)
    .limit(1)
    .executeTakeFirst()
  if (found !== undefined) throw new ChangedSinceRead()
}

interface LockedUser {
  row: User
  /** When the right of the caller ends; null: never. */
  until: Millis | null
  /** The addresses whose accounts are locked. */
  locked: ReadonlySet<string>
}

/**
 * Locks a user's accounts, the organization and the user, in this order, and then reads the user again.
 * @param coming the address that the user will have, and whether it will be admitted by it
 * @throws ChangedSinceRead where the user has changed, or an address has got an account; ApiError
 * ENTITY_NOT_FOUND
 */
export async function lockUser(
  tx: Tx,
  deps: Pick<ScimDeps, 'publish'>,
  { caller, trail }: ScimContext,
  text: string,
  coming?: (seen: User) => Promise<{ email: string; isComing: boolean }>,
): Promise<LockedUser> {
  const { organizationId } = caller
  const seen = await getProvisioned(tx, 'scim_user', organizationId, text)
  const after = await coming?.(seen)
  const emails = after === undefined ? [seen.email] : [seen.email, after.email]
  const locked = await lockAccounts(tx, deps, trail, {
    emails,
    ids: seen.account_id === null ? [] : [seen.account_id],
    coming: after?.isComing ? after.email : undefined,
  })
  if ((await lockOrganization(tx, organizationId)) === undefined) throw notFound('id', seen.id)
  const { until } = await mustStillHave(tx, caller, 'scim:write', trail.now)
  const row = await getProvisioned(tx, 'scim_user', organizationId, text)
  if (row.email !== seen.email || row.account_id !== seen.account_id) throw new ChangedSinceRead()
  await mustBeAllOf(tx, locked, emails)
  return { row, until, locked }
}
