import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { ApiError } from '../../core/errors.ts'
import { type Id, readId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Comparison } from './attribute-path.ts'
import { unknownFilter } from './provisioned-rows.ts'
import { addPlaces, setPlaces } from './setting-store.ts'
import { fold } from './user-values.ts'

type Group = Tables['scim_group']

/** Most users of one group, and of all groups of an organization together. */
const MOST_MEMBERS = 10_000
const MOST_MEMBERS_OF_ALL = 200_000
/** Ids per statement. */
const AT_ONCE = 500

type Where = ExpressionBuilder<Tables, 'scim_group'>

const BY_TEXT: Record<string, (where: Where, value: string) => Expression<SqlBool>> = {
  id: (where, value) => where('id', '=', readId('scimGroup', value) ?? ('' as Id<'scimGroup'>)),
  displayname: (where, value) => where('display_name_key', '=', fold(value)),
  externalid: (where, value) => where('external_id', '=', value),
  members: hasMember,
  'members.value': hasMember,
}

function hasMember(where: Where, value: string): Expression<SqlBool> {
  return where(
    'id',
    'in',
    where
      .selectFrom('scim_group_member')
      .select('group_id')
      .where('user_id', '=', readId('scimUser', value) ?? ('' as Id<'scimUser'>)),
  )
}

/**
 * Whether a group matches a comparison.
 * @throws ApiError VALIDATION_FAILED where groups cannot be filtered by that attribute
 */
export function groupMatches(where: Where, { path, value }: Comparison): Expression<SqlBool> {
  const byText = Object.hasOwn(BY_TEXT, path) ? BY_TEXT[path] : undefined
  if (byText === undefined || typeof value !== 'string') throw unknownFilter(path)
  return byText(where, value)
}

/**
 * The users of the first groups of a list: of as many groups as have at most `MOST_MEMBERS` users together, and of at least one.
 * @param groups in the order of their ids
 */
export async function findMembers(
  db: Db | Tx,
  groups: Id<'scimGroup'>[],
): Promise<Map<Id<'scimGroup'>, Id<'scimUser'>[]>> {
  if (groups.length === 0) return new Map()
  const most = MOST_MEMBERS + 1
  const rows = await db
    .selectFrom('scim_group_member')
    .select(['group_id', 'user_id'])
    .where('group_id', 'in', groups)
    .orderBy('group_id')
    .orderBy('user_id')
    .limit(most)
    .execute()
  // The last group of a full answer may lack some of its users.
  const cut = rows.length === most ? rows.at(-1)?.group_id : undefined
  const last = cut === undefined ? groups.length : Math.max(1, groups.indexOf(cut))
  const found = new Map<Id<'scimGroup'>, Id<'scimUser'>[]>(groups.slice(0, last).map((id) => [id, []]))
  for (const { group_id, user_id } of rows) found.get(group_id)?.push(user_id)
  return found
}

/** The given ids that are users of the organization. */
async function knownUsers(
  tx: Tx,
  organizationId: Id<'organization'>,
  ids: Id<'scimUser'>[],
): Promise<Set<Id<'scimUser'>>> {
  const known = new Set<Id<'scimUser'>>()
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const rows = await tx
      .selectFrom('scim_user')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids.slice(at, at + AT_ONCE))
      .execute()
    for (const { id } of rows) known.add(id)
  }
  return known
}

/**
 * Adds users to a group; `tx` has locked the organization.
 * @returns the users who were not in it before
 * @throws ApiError VALIDATION_FAILED where an id is not a user of the organization; FORBIDDEN `too_many_members`
 */
export async function addMembers(
  tx: Tx,
  { id, organization_id }: Pick<Group, 'id' | 'organization_id'>,
  users: Id<'scimUser'>[],
): Promise<Id<'scimUser'>[]> {
  if (users.length === 0) return []
  const known = await knownUsers(tx, organization_id, users)
  const unknown = users.find((one) => !known.has(one))
  if (unknown !== undefined)
    throw new ApiError('VALIDATION_FAILED', {
      field: 'members.value',
      value: unknown,
      reason: 'unknown_user',
    })
  const added: Id<'scimUser'>[] = []
  for (let at = 0; at < users.length; at += AT_ONCE) {
    const rows = await tx
      .insertInto('scim_group_member')
      .values(users.slice(at, at + AT_ONCE).map((user_id) => ({ group_id: id, user_id, organization_id })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id')
      .execute()
    added.push(...rows.map(({ user_id }) => user_id))
  }
  if (added.length > 0) await refuseTooMany(tx, { id, organization_id }, added.length)
  return added
}

async function refuseTooMany(
  tx: Tx,
  { id, organization_id }: Pick<Group, 'id' | 'organization_id'>,
  added: number,
): Promise<void> {
  const refuseBeyond = (limit: number, count: number) => {
    if (count > limit) throw new ApiError('FORBIDDEN', { reason: 'too_many_members', limit })
  }
  refuseBeyond(MOST_MEMBERS, await countMembers(tx, 'group_id', id))
  const bound = await addPlaces(tx, organization_id, added)
  if (bound !== null && bound <= MOST_MEMBERS_OF_ALL) return
  // Only now, because a count of all would make thousands of single additions take quadratic time.
  const count = await countMembers(tx, 'organization_id', organization_id)
  refuseBeyond(MOST_MEMBERS_OF_ALL, count)
  await setPlaces(tx, organization_id, count)
}

async function countMembers(
  tx: Tx,
  column: 'group_id' | 'organization_id',
  value: Group['id'] | Group['organization_id'],
): Promise<number> {
  const { count } = await tx
    .selectFrom('scim_group_member')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(column, '=', value as never)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Removes users from a group; `tx` has locked the organization. @returns the users who were in it before */
export async function removeMembers(
  tx: Tx,
  id: Id<'scimGroup'>,
  users: Id<'scimUser'>[] | 'all',
): Promise<Id<'scimUser'>[]> {
  const removed: Id<'scimUser'>[] = []
  const parts = users === 'all' ? ['all' as const] : partsOf(users)
  for (const part of parts) {
    const rows = await tx
      .deleteFrom('scim_group_member')
      .where('group_id', '=', id)
      .$if(part !== 'all', (query) => query.where('user_id', 'in', part as Id<'scimUser'>[]))
      .returning('user_id')
      .execute()
    removed.push(...rows.map(({ user_id }) => user_id))
  }
  return removed
}

function partsOf(users: Id<'scimUser'>[]): Id<'scimUser'>[][] {
  return Array.from({ length: Math.ceil(users.length / AT_ONCE) }, (_, at) =>
    users.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
}
