import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, readId } from '../../core/id.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { RoleName } from '../../http/permissions.ts'
import { roleOf } from '../accounts/role-columns.ts'
import type { Comparison } from './attribute-path.ts'
import { unknownFilter } from './provisioned-rows.ts'
import { fold } from './user-values.ts'

type User = Tables['scim_user']

type Where = ExpressionBuilder<Tables, 'scim_user'>
type Text = Extract<Comparison['value'], string>

/** The condition of a comparison, by attribute. Each uses an index, or is combined with a condition that uses one. */
const BY_TEXT: Record<string, (where: Where, value: Text) => Expression<SqlBool>> = {
  id: (where, value) => where('id', '=', readId('scimUser', value) ?? ('' as Id<'scimUser'>)),
  username: (where, value) => where('user_name_key', '=', fold(value)),
  externalid: (where, value) => where('external_id', '=', value),
  displayname: (where, value) => where('display_name_key', '=', fold(value)),
  emails: (where, value) => where('email', '=', normalizeEmail(value) ?? ''),
  'emails.value': (where, value) => where('email', '=', normalizeEmail(value) ?? ''),
  'emails.type': (where, value) => where('email_type', '=', value.toLowerCase()),
}

/**
 * Whether a user matches a comparison.
 * @throws ApiError VALIDATION_FAILED where users cannot be filtered by that attribute
 */
export function userMatches(where: Where, { path, value }: Comparison): Expression<SqlBool> {
  const byText = Object.hasOwn(BY_TEXT, path) ? BY_TEXT[path] : undefined
  if (byText !== undefined && typeof value === 'string') return byText(where, value)
  if (path === 'active' && typeof value !== 'number' && value !== null)
    return where('active', '=', String(value).toLowerCase() === 'true' ? 1 : 0)
  if (path === 'emails.primary' && typeof value !== 'number' && value !== null)
    return where('email_primary', '=', String(value).toLowerCase() === 'true' ? 1 : 0)
  throw unknownFilter(path)
}

/**
 * Checks that no other user has the unique values of a user; `tx` has locked the organization.
 * @throws ApiError DUPLICATE
 */
export async function mustBeUnique(
  tx: Tx,
  organizationId: Id<'organization'>,
  values: Pick<User, 'user_name' | 'user_name_key' | 'email'>,
  own?: Id<'scimUser'>,
): Promise<void> {
  const taken = await tx
    .selectFrom('scim_user')
    .select(['id', 'user_name_key'])
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) =>
      or([eb('user_name_key', '=', values.user_name_key), eb('email', '=', values.email)]),
    )
    .execute()
  const other = taken.find(({ id }) => id !== own)
  if (other === undefined) return
  throw other.user_name_key === values.user_name_key
    ? new ApiError('DUPLICATE', { field: 'userName', value: values.user_name })
    : new ApiError('DUPLICATE', { field: 'emails.value', value: values.email })
}

/** Whether a user is a member or invited. */
interface MembershipState {
  membership: 'member' | 'invited' | 'none'
  role: RoleName | null
}

/** The standing of users in their organization, by their ids. */
export async function findMembershipStates(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  users: Pick<User, 'id' | 'account_id' | 'email'>[],
  now: Millis,
): Promise<Map<Id<'scimUser'>, MembershipState>> {
  if (users.length === 0) return new Map()
  const accounts = users.flatMap(({ account_id }) => account_id ?? [])
  const members = await db
    .selectFrom('membership')
    .select(['account_id', 'role', 'role_id'])
    .where('organization_id', '=', organizationId)
    .where('account_id', 'in', accounts.length === 0 ? ['' as Id<'account'>] : accounts)
    .execute()
  const roleOfAccount = new Map(members.map((one) => [one.account_id, roleOf(one)]))
  const invitations = await db
    .selectFrom('invitation')
    .select(['email', 'role', 'role_id'])
    .where('organization_id', '=', organizationId)
    .where(
      'email',
      'in',
      users.map(({ email }) => email),
    )
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .execute()
  const roleOfInvited = new Map(invitations.map((one) => [one.email, roleOf(one)]))
  return new Map(
    users.map(({ id, account_id, email }): [Id<'scimUser'>, MembershipState] => {
      const role = account_id === null ? undefined : roleOfAccount.get(account_id)
      if (role !== undefined) return [id, { membership: 'member', role }]
      const invited = roleOfInvited.get(email)
      return [id, { membership: invited === undefined ? 'none' : 'invited', role: invited ?? null }]
    }),
  )
}
