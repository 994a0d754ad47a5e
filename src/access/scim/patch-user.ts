import { ApiError } from '../../core/errors.ts'
import type { Filter } from './attribute-path.ts'
import { mustBeIgnorable, type Operation } from './operations.ts'
import { emailsOf, foldNames, foldValue, isObject, keptName, type UserDraft } from './user-values.ts'

/**
 * Applies operations to a user, one after the other.
 * @throws ApiError VALIDATION_FAILED where a path names no attribute of users
 */
export function patchUser(draft: UserDraft, operations: Operation[]): UserDraft {
  for (const operation of operations) patch(draft, operation)
  return draft
}

const invalidPath = () => new ApiError('VALIDATION_FAILED', { field: 'path', reason: 'invalid_path' })

function patch(draft: UserDraft, operation: Operation): void {
  const { op, path, value } = operation
  const name = keptName(path.attribute)
  if (name === undefined) {
    mustBeIgnorable(operation)
    return
  }
  if (name === 'emails') {
    draft.emails = patchEmails(emailsOf(draft.emails), operation).map((one) => Object.fromEntries(one))
    return
  }
  if (path.filter !== undefined) throw invalidPath()
  if (name === 'name') {
    draft.name = patchName(isObject(draft.name) ? foldNames(draft.name) : new Map(), operation)
    return
  }
  if (path.sub !== undefined) throw invalidPath()
  if (op === 'remove' && name === 'active')
    throw new ApiError('VALIDATION_FAILED', { field: 'active', reason: 'read_only' })
  // Without a value the user's state does not change, as with PUT, so that no user is activated by omission.
  if (name === 'active' && (value ?? null) === null) return
  draft[name] = op === 'remove' ? null : value
}

function patchName(name: Map<string, unknown>, { op, path: { sub }, value }: Operation): unknown {
  if (sub !== undefined) return Object.fromEntries(name.set(sub, op === 'remove' ? null : value))
  if (op === 'remove') return {}
  if (!isObject(value)) return value
  return op === 'replace' ? value : { ...Object.fromEntries(name), ...Object.fromEntries(foldNames(value)) }
}

type Email = Map<string, unknown>

function patchEmails(list: Email[], { op, path: { filter, sub }, value }: Operation): Email[] {
  if (filter === undefined && sub === undefined) {
    if (op === 'replace') return emailsOf(value)
    const values = emailsOf(value)
    const others = list.filter((one) => !values.some((given) => given.get('value') === one.get('value')))
    if (op === 'remove') return values.length === 0 ? [] : others
    // A new primary address replaces the earlier primary one.
    if (values.some((given) => given.get('primary') === true))
      for (const one of others) one.set('primary', false)
    return [...others, ...values]
  }
  const chosen = filter === undefined ? list.slice(0, 1) : list.filter((one) => matches(one, filter))
  if (op === 'remove') {
    if (sub === undefined || sub === 'value') return list.filter((one) => !chosen.includes(one))
    for (const one of chosen) one.delete(sub)
    return list
  }
  // If no address of that type exists it is added, because clients replace it without a read.
  const added: Email = new Map((filter ?? []).map(({ path, value: given }) => [path, given]))
  const targets = chosen.length > 0 ? chosen : [added]
  for (const one of targets)
    for (const [name, inner] of sub === undefined ? partsOf(value) : [[sub, value] as const])
      one.set(name, inner)
  return chosen.length > 0 ? list : [...list.map((one) => one.set('primary', false)), added]
}

function partsOf(value: unknown): [string, unknown][] {
  const [only = value] = Array.isArray(value) ? value : [value]
  if (!isObject(only)) throw new ApiError('TYPE_MISMATCH', { field: 'emails' })
  return [...foldNames(only)]
}

function matches(email: Email, filter: Filter): boolean {
  return filter.every(({ path, value }) => foldValue(email.get(path)) === foldValue(value))
}
