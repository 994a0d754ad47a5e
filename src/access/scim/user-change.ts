import { audit } from '../../audit/audit.ts'
import { newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import { supersedeInvitation } from '../members/supersede-invitation.ts'
import { admitUser, countAdmission } from './admit-user.ts'
import type { ScimContext, ScimDeps } from './deps.ts'
import { endUser, memberOf } from './end-user.ts'
import { ChangedSinceRead, lockAccounts, lockUser, mustBeAllOf, retryWhenChanged } from './lock-user.ts'
import { getProvisioned } from './provisioned-rows.ts'
import { mustBeUnique } from './user-store.ts'
import type { UserValues } from './user-values.ts'

type User = Tables['scim_user']

/** Most users that an organization provisions. */
const MOST_USERS = 50_000

/**
 * Creates a user. An active user is admitted; the rights of an inactive one end, as by a later change.
 * @throws ApiError DUPLICATE, RATE_LIMITED, FORBIDDEN `too_many_users` or `last_administrator`
 */
export async function createUser(
  deps: ScimDeps,
  { caller, trail }: ScimContext,
  values: UserValues,
): Promise<User> {
  const { organizationId, actorId } = caller
  const { now } = trail
  if (values.active === 1) await countAdmission(deps, caller, values.email, now)
  const addresses = { emails: [values.email], coming: values.active === 1 ? values.email : undefined }
  return retryWhenChanged(() =>
    deps.database.tx(async (tx) => {
      const locked = await lockAccounts(tx, deps, trail, addresses)
      const rows = tx.selectFrom('scim_user').where('organization_id', '=', organizationId)
      await refuseBeyond(tx, organizationId, { rows, most: MOST_USERS, reason: 'too_many_users' })
      await mustBeAllOf(tx, locked, addresses.emails)
      const { until } = await mustStillHave(tx, caller, 'scim:write', now)
      await mustBeUnique(tx, organizationId, values)
      const id = newId('scimUser', now)
      const unset = { account_id: null, role_given: 0 as const, created_at: now, updated_at: now }
      await tx
        .insertInto('scim_user')
        .values({ id, organization_id: organizationId, ...values, ...unset })
        .execute()
      await note(tx, { caller, trail }, 'scim_user.created', { id, ...values })
      const user = { id, email: values.email, account_id: null }
      if (values.active === 1) await admitUser(tx, deps, trail, { organizationId, actorId, until, user })
      else await endUser(tx, deps, trail, { organizationId, actorId, user, locked })
      return getProvisioned(tx, 'scim_user', organizationId, id)
    }),
  )
}

/**
 * Changes a user. A user who becomes active is admitted; the rights of an inactive one end, also when the request repeats that. A member
 * whose address changes keeps the account; an invitation goes to the new address.
 * @param asked the requested values, and whether the request has `active`
 * @throws ApiError ENTITY_NOT_FOUND, DUPLICATE, RATE_LIMITED, FORBIDDEN `last_administrator`
 */
export async function changeUser(
  deps: ScimDeps,
  act: ScimContext,
  text: string,
  { change, saysActive }: { change: (row: User) => UserValues; saysActive: boolean },
): Promise<User> {
  const { caller, trail } = act
  const { organizationId, actorId } = caller
  let counted: string | undefined
  return retryWhenChanged(async () => {
    const known = await getProvisioned(deps.database.db, 'scim_user', organizationId, text)
    const wanted = change(known)
    if (isEntry(known, wanted) && counted !== wanted.email) {
      await countAdmission(deps, caller, wanted.email, trail.now)
      counted = wanted.email
    }
    return deps.database.tx(async (tx) => {
      const coming = async (seen: User) => {
        const after = change(seen)
        return { email: after.email, isComing: (await enters(tx, seen, after)) !== 'not' }
      }
      const { row: before, until, locked } = await lockUser(tx, deps, act, text, coming)
      const values = change(before)
      if (values.email !== wanted.email) throw new ChangedSinceRead()
      if (values.user_name_key !== before.user_name_key || values.email !== before.email)
        await mustBeUnique(tx, organizationId, values, before.id)
      const whose = { organizationId, actorId }
      if (values.active === 0 && (before.active === 1 || saysActive))
        await endUser(tx, deps, trail, { ...whose, user: before, locked })
      const names = changedNames(before, values)
      if (names.length === 0) return getProvisioned(tx, 'scim_user', organizationId, before.id)
      const entry = await enters(tx, before, values)
      // The account of a user who enters must exist and be locked before the organization.
      if (entry !== 'not' && !locked.has(values.email)) throw new ChangedSinceRead()
      await tx
        .updateTable('scim_user')
        .set({ ...values, updated_at: trail.now })
        .where('id', '=', before.id)
        .execute()
      const user = { id: before.id, email: values.email }
      await note(tx, act, 'scim_user.updated', { ...user, ...values, changed: names.join(' ') })
      if (entry === 'moved') await supersedeInvitation(tx, trail, organizationId, before.email)
      if (entry !== 'not') await admitUser(tx, deps, trail, { ...whose, until, user })
      return getProvisioned(tx, 'scim_user', organizationId, before.id)
    })
  })
}

/**
 * Ends a user's rights and deletes the user.
 * @throws ApiError ENTITY_NOT_FOUND, FORBIDDEN `last_administrator`
 */
export async function deleteUser(deps: ScimDeps, act: ScimContext, text: string): Promise<void> {
  const { caller, trail } = act
  const { organizationId, actorId } = caller
  await retryWhenChanged(() =>
    deps.database.tx(async (tx) => {
      const { row, locked } = await lockUser(tx, deps, act, text)
      await endUser(tx, deps, trail, { organizationId, actorId, user: row, locked })
      await tx.deleteFrom('scim_user').where('id', '=', row.id).execute()
      await note(tx, act, 'scim_user.deleted', row)
    }),
  )
}

/** Whether a user is not a member and has an invitation, even an ended one; a user whom an administrator removed has none. */
async function isInvited(tx: Tx, user: User): Promise<boolean> {
  const { organization_id, email } = user
  if ((await memberOf(tx, organization_id, user)) !== undefined) return false
  const found = await tx
    .selectFrom('invitation')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether a change admits a user: because it becomes active, or because its invitation moves to another address. */
async function enters(tx: Tx, before: User, after: UserValues): Promise<'active' | 'moved' | 'not'> {
  if (after.active === 0) return 'not'
  if (before.active === 0) return 'active'
  return before.email !== after.email && (await isInvited(tx, before)) ? 'moved' : 'not'
}

/** Whether a change admits a person, or invites another address. */
function isEntry(before: User, after: UserValues): boolean {
  return after.active === 1 && (before.active === 0 || before.email !== after.email)
}

const NAMES = {
  user_name: 'userName',
  external_id: 'externalId',
  display_name: 'displayName',
  given_name: 'name.givenName',
  family_name: 'name.familyName',
  formatted_name: 'name.formatted',
  email: 'emails.value',
  email_type: 'emails.type',
  email_primary: 'emails.primary',
  active: 'active',
} as const satisfies Partial<Record<keyof UserValues, string>>

function changedNames(before: User, after: UserValues): string[] {
  return (Object.keys(NAMES) as (keyof typeof NAMES)[])
    .filter((column) => before[column] !== after[column])
    .map((column) => NAMES[column])
}

async function note(
  tx: Tx,
  { caller: { organizationId, actorId }, trail }: ScimContext,
  action: 'scim_user.created' | 'scim_user.updated' | 'scim_user.deleted',
  {
    id,
    user_name,
    email,
    active,
    changed,
  }: Pick<User, 'id' | 'user_name' | 'email' | 'active'> & { changed?: string },
): Promise<void> {
  await audit(tx, trail, {
    action,
    ...{ organizationId, actorId, targetId: id },
    details: {
      userName: user_name,
      email,
      active: active === 1,
      ...(changed === undefined ? {} : { changed }),
    },
  })
}
