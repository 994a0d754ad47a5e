import { ApiError } from '../../core/errors.ts'
import { type Id, readId } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Filter } from './attribute-path.ts'
import { type Operation, passOver } from './operations.ts'
import { fold, foldNames, isObject, readText } from './user-values.ts'

/** The columns of a group that a client writes. */
type GroupValues = Pick<Tables['scim_group'], 'display_name' | 'display_name_key' | 'external_id'>

/** What a request does to the users of a group, one after the other. */
export type MemberChange =
  | { kind: 'add' | 'remove' | 'replace'; users: Id<'scimUser'>[] }
  | { kind: 'removeAll' }

/** What a request asks of a group; a member that is undefined stays as it is. */
export interface GroupChange {
  displayName?: unknown
  externalId?: unknown
  members: MemberChange[]
}

/** Users that one request names. */
const MOST_NAMED = 5_000

/**
 * Reads a whole group. Its users stay as they are where it says nothing of them: a client that leaves them out means no removal of all.
 * @throws ApiError VALIDATION_FAILED, TYPE_MISMATCH
 */
export function readGroup(body: object): GroupChange {
  const members = foldNames(body)
  const users = members.get('members')
  return {
    displayName: members.get('displayname') ?? null,
    externalId: members.get('externalid') ?? null,
    members:
      users === undefined || users === null ? [] : [{ kind: 'replace', users: readUsers(users, true) }],
  }
}

/** Reads the operations of a PATCH. @throws ApiError VALIDATION_FAILED, TYPE_MISMATCH */
export function readGroupChange(operations: Operation[]): GroupChange {
  const change: GroupChange = { members: [] }
  let named = 0
  for (const operation of operations) {
    const { op, path, value } = operation
    if (path.attribute === 'members') {
      const read = readMemberChange(operation)
      named += 'users' in read ? read.users.length : 0
      if (named > MOST_NAMED) throw tooMany()
      change.members.push(read)
      continue
    }
    if (path.attribute !== 'displayname' && path.attribute !== 'externalid') {
      passOver(operation)
      continue
    }
    if (path.filter !== undefined || path.sub !== undefined) throw invalidPath()
    change[path.attribute === 'displayname' ? 'displayName' : 'externalId'] = op === 'remove' ? null : value
  }
  return change
}

function readMemberChange({ op, path: { filter, sub }, value }: Operation): MemberChange {
  if (filter === undefined) {
    if (sub !== undefined && sub !== 'value') throw invalidPath()
    // Entra ID names those to remove in the value.
    if (op !== 'remove') return { kind: op, users: readUsers(value, true) }
    const isOfAll = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    return isOfAll ? { kind: 'removeAll' } : { kind: 'remove', users: readUsers(value, false) }
  }
  const users = usersIn(filter)
  if (op === 'remove') return { kind: 'remove', users }
  // A user is added under the id in the brackets, whatever else is said of it.
  return { kind: 'add', users }
}

function usersIn(filter: Filter): Id<'scimUser'>[] {
  const [only, ...more] = filter
  if (only?.path !== 'value' || typeof only.value !== 'string' || more.length > 0) throw invalidPath()
  const id = readId('scimUser', only.value)
  return id === undefined ? [] : [id]
}

/**
 * @param mustExist whether a text that is no id is refused, instead of passed over
 */
function readUsers(value: unknown, mustExist: boolean): Id<'scimUser'>[] {
  const list = Array.isArray(value) ? value : [value]
  if (list.length > MOST_NAMED) throw tooMany()
  const read = list.flatMap((one) => {
    const text = isObject(one) ? foldNames(one).get('value') : one
    if (typeof text !== 'string') throw new ApiError('TYPE_MISMATCH', { field: 'members.value' })
    const id = readId('scimUser', text)
    if (id === undefined && mustExist)
      throw new ApiError('VALIDATION_FAILED', {
        ...{ field: 'members.value', value: text.slice(0, 256).toWellFormed(), reason: 'unknown_user' },
      })
    return id === undefined ? [] : [id]
  })
  return [...new Set(read)]
}

/**
 * The columns of a group after a change.
 * @param before undefined for a new one
 * @throws ApiError MISSING_REQUIRED_FIELD without a name
 */
export function valuesAfter(change: GroupChange, before?: GroupValues): GroupValues {
  const name =
    change.displayName === undefined ? before?.display_name : readText('displayName', change.displayName)
  if (name === null || name === undefined)
    throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'displayName' })
  const externalId =
    change.externalId === undefined
      ? (before?.external_id ?? null)
      : readText('externalId', change.externalId)
  return { display_name: name, display_name_key: fold(name), external_id: externalId }
}

const invalidPath = () => new ApiError('VALIDATION_FAILED', { field: 'path', reason: 'invalid_path' })
const tooMany = () => new ApiError('VALIDATION_FAILED', { field: 'members', reason: 'too_many' })
