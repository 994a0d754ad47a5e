import { ApiError } from '../../core/errors.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { isLabel } from '../../core/text/label.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** A user in the form of a client's request: the stored attributes under their own names, not yet validated. */
export interface UserDraft {
  userName?: unknown
  externalId?: unknown
  displayName?: unknown
  active?: unknown
  name?: unknown
  emails?: unknown
}

/** The columns that a client writes. */
export type UserValues = Pick<
  Tables['scim_user'],
  | 'user_name'
  | 'user_name_key'
  | 'external_id'
  | 'display_name'
  | 'display_name_key'
  | 'given_name'
  | 'family_name'
  | 'formatted_name'
  | 'email'
  | 'email_type'
  | 'email_primary'
  | 'active'
>

const LONGEST_TEXT = 256
const LONGEST_TYPE = 64
/** Most e-mail addresses of a request; one of them is stored. */
const MOST_EMAILS = 20

const KEPT = new Map<string, keyof UserDraft>(
  (['userName', 'externalId', 'displayName', 'active', 'name', 'emails'] as const).map((name) => [
    name.toLowerCase(),
    name,
  ]),
)

/** The name of a stored attribute of users; upper and lower case are equal (RFC 7643 2.1). */
export const keptName = (name: string): keyof UserDraft | undefined => KEPT.get(name.toLowerCase())

/** The members of a JSON object by their names in lower case. */
export function foldNames(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).map(([name, inner]) => [name.toLowerCase(), inner]))
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The stored attributes of a resource; others are ignored, because clients send all their attributes. */
export function draftOf(body: object): UserDraft {
  const draft: UserDraft = {}
  for (const [name, value] of Object.entries(body)) {
    const kept = keptName(name)
    if (kept !== undefined) draft[kept] = value
  }
  return draft
}

/** The draft that would create a stored user. */
export function draftOfRow(row: Tables['scim_user']): UserDraft {
  return {
    userName: row.user_name,
    externalId: row.external_id,
    displayName: row.display_name,
    active: row.active === 1,
    name: { givenname: row.given_name, familyname: row.family_name, formatted: row.formatted_name },
    emails: [{ value: row.email, type: row.email_type, primary: primaryOf(row) }],
  }
}

export const primaryOf = ({ email_primary }: Pick<Tables['scim_user'], 'email_primary'>): boolean | null =>
  email_primary === null ? null : email_primary === 1

/**
 * Reads a draft.
 * @throws ApiError VALIDATION_FAILED, TYPE_MISMATCH, MISSING_REQUIRED_FIELD, INVALID_EMAIL
 */
export function readUser(draft: UserDraft): UserValues {
  const userName = readText('userName', draft.userName)
  if (userName === null) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'userName' })
  const displayName = readText('displayName', draft.displayName)
  const given = draft.name ?? {}
  if (!isObject(given)) throw new ApiError('TYPE_MISMATCH', { field: 'name' })
  const name = foldNames(given)
  return {
    user_name: userName,
    user_name_key: fold(userName),
    external_id: readText('externalId', draft.externalId),
    display_name: displayName,
    display_name_key: displayName === null ? null : fold(displayName),
    given_name: readText('name.givenName', name.get('givenname')),
    family_name: readText('name.familyName', name.get('familyname')),
    formatted_name: readText('name.formatted', name.get('formatted')),
    ...readEmail(draft.emails, userName),
    active: readActive(draft.active) ? 1 : 0,
  }
}

/** The form in which texts are compared without case. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase()

/** A JSON value in the form in which it is compared; undefined for values that cannot be compared, such as objects. */
export function foldValue(value: unknown): string | undefined {
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
  return isPlain ? String(value).toLowerCase() : undefined
}

/** @returns null where the value is absent, null or empty */
export function readText(field: string, value: unknown, longest = LONGEST_TEXT): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw new ApiError('TYPE_MISMATCH', { field })
  if (!value.isWellFormed() || !isLabel(value, longest))
    throw new ApiError('VALIDATION_FAILED', {
      field,
      value: value.slice(0, 256).toWellFormed(),
      reason: 'not_a_label',
    })
  return value
}

/** A user without `active` is active. */
function readActive(value: unknown): boolean {
  return value === undefined || value === null || readBoolean('active', value)
}

/** Entra ID writes `"False"`. */
function readBoolean(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text !== 'true' && text !== 'false') throw new ApiError('TYPE_MISMATCH', { field })
  return text === 'true'
}

/** The stored address: the primary one, else one of type `work`, else the first, else the user name. */
function readEmail(
  value: unknown,
  userName: string,
): Pick<UserValues, 'email' | 'email_type' | 'email_primary'> {
  const [first] = emailsOf(value).sort((a, b) => rankOf(b) - rankOf(a))
  const written = first?.get('value') ?? userName
  if (typeof written !== 'string') throw new ApiError('TYPE_MISMATCH', { field: 'emails.value' })
  const email = normalizeEmail(written)
  if (email === undefined && first === undefined)
    throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'emails' })
  if (email === undefined)
    throw new ApiError('INVALID_EMAIL', {
      field: 'emails.value',
      value: written.slice(0, 256).toWellFormed(),
    })
  const primary = first?.get('primary') ?? null
  return {
    email,
    email_type: readText('emails.type', first?.get('type'), LONGEST_TYPE),
    email_primary: primary === null ? null : readBoolean('emails.primary', primary) ? 1 : 0,
  }
}

/** The entries of a list that have a value. */
export function emailsOf(value: unknown): Map<string, unknown>[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? value : [value]
  if (list.length > MOST_EMAILS)
    throw new ApiError('VALIDATION_FAILED', {
      field: 'emails',
      reason: 'too_many',
      limit: MOST_EMAILS,
    } as never)
  return list
    .map((one) => (typeof one === 'string' ? new Map<string, unknown>([['value', one]]) : foldEmail(one)))
    .filter((one) => (one.get('value') ?? '') !== '')
}

function foldEmail(one: unknown): Map<string, unknown> {
  if (!isObject(one)) throw new ApiError('TYPE_MISMATCH', { field: 'emails' })
  return foldNames(one)
}

function rankOf(email: Map<string, unknown>): number {
  const primary = foldValue(email.get('primary')) === 'true' ? 2 : 0
  return primary + (foldValue(email.get('type')) === 'work' ? 1 : 0)
}
