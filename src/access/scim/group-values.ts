import { ApiError } from '../../core/errors.ts'
import { type Id, readId } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Filter } from './attribute-path.ts'
import { mustBeIgnorable, type Operation } from './operations.ts'
import { fold, foldNames, isObject, readText } from './user-values.ts'

/** The columns of a group that a client writes. */
type GroupValues = Pick<Tables['scim_group'], 'display_name' | 'display_name_key' | 'external_id'>

/** A change to the users of a group; changes apply in order. */
export type MemberChange =
  | { kind: 'add' | 'remove' | 'replace'; users: Id<'scimUser'>[] }
  | { kind: 'removeAll' }

/** The requested change of a group; an undefined member does not change. */
export interface GroupChange {
  displayName?: unknown
  externalId?: unknown
  members: MemberChange[]
}

/** Most users in one request. */
const MOST_NAMED = 5_000

/**
 * Reads a whole group. Without `members` its users do not change, because clients that omit them do not mean to remove all.
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
      append(change.members, read)
      continue
    }
    if (path.attribute !== 'displayname' && path.attribute !== 'externalid') {
      mustBeIgnorable(operation)
      continue
    }
    if (path.filter !== undefined || path.sub !== undefined) throw invalidPath()
    change[path.attribute === 'displayname' ? 'displayName' : 'externalId'] = op === 'remove' ? null : value
  }
  for (const one of change.members) if ('users' in one) one.users = [...new Set(one.users)]
  return change
}

/**
 * Appends a change, or adds its users to the last change of the same kind: some directories send an operation for each user, and a change
 * costs some statements.
 */
function append(changes: MemberChange[], next: MemberChange): void {
  const last = changes.at(-1)
  const isSame = (next.kind === 'add' || next.kind === 'remove') && last?.kind === next.kind
  if (isSame) last.users.push(...next.users)
  else changes.push(next)
}

function readMemberChange({ op, path: { filter, sub }, value }: Operation): MemberChange {
  if (filter === undefined) {
    if (sub !== undefined && sub !== 'value') throw invalidPath()
    // Entra ID names the users to remove in the value.
    if (op !== 'remove') return { kind: op, users: readUsers(value, true) }
    const isOfAll = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    return isOfAll ? { kind: 'removeAll' } : { kind: 'remove', users: readUsers(value, false) }
  }
  const users = usersIn(filter)
  if (op === 'remove') return { kind: 'remove', users }
  // The id in the brackets is added; other attributes of the user are ignored.
  return { kind: 'add', users }
}

function usersIn(filter: Filter): Id<'scimUser'>[] {
  const [only, ...more] = filter
  if (only?.path !== 'value' || typeof only.value !== 'string' || more.length > 0) throw invalidPath()
  const id = readId('scimUser', only.value)
  return id === undefined ? [] : [id]
}

/** @param mustExist whether text that is not an id is refused; otherwise it is ignored */
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
