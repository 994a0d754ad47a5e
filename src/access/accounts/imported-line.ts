import { fromIso, type Millis } from '../../core/clock.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { isLabel } from '../../core/text/label.ts'
import { ROLES, type Role } from '../../db/tables/tables.ts'
import { type NamedOrganization, readOrganizationName } from '../../http/organization-header.ts'
import { type ImportedHash, readHash } from '../imported-hash.ts'

/** An account of another system, as a line of a file describes it. */
export interface ImportedAccount {
  email: string
  firstName: string | null
  lastName: string | null
  emailVerified: boolean
  termsAcceptedAt: Millis | null
  hash: ImportedHash | null
  /** At least one, because it stands for the invitation. */
  organizations: { named: NamedOrganization; role: Role }[]
}

/** The refusal of a line: its member and the rule. */
export interface Refusal {
  field: string
  reason: string
}

const LONGEST_NAME = 100
const MOST_ORGANIZATIONS = 100
const MEMBERS = [
  'email',
  'firstName',
  'lastName',
  'emailVerified',
  'termsAcceptedAt',
  'passwordHash',
  'organizations',
]

/** Stops the reading of a line. */
class RefusedError extends Error {
  readonly refusal: Refusal
  constructor(field: string, reason: string) {
    super(reason)
    this.refusal = { field, reason }
  }
}

/** @returns the account, or the reason of a refusal, without the content of the line */
export function readImportedLine(line: string): ImportedAccount | Refusal {
  try {
    return readAccount(JSON.parse(line))
  } catch (error) {
    if (error instanceof RefusedError) return error.refusal
    return { field: 'line', reason: 'not_json' }
  }
}

export const isRefusal = (read: ImportedAccount | Refusal): read is Refusal => 'reason' in read

function readAccount(value: unknown): ImportedAccount {
  const given = membersOf(value, 'line', MEMBERS)
  const email = typeof given.email === 'string' ? normalizeEmail(given.email) : undefined
  if (email === undefined) throw new RefusedError('email', 'not_an_address')
  return {
    email,
    firstName: readName(given, 'firstName'),
    lastName: readName(given, 'lastName'),
    emailVerified: readFlag(given, 'emailVerified'),
    termsAcceptedAt: readMoment(given, 'termsAcceptedAt'),
    hash: readPassword(given),
    organizations: readOrganizations(given.organizations),
  }
}

type Given = Record<string, unknown>

function membersOf(value: unknown, field: string, known: string[]): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RefusedError(field, 'not_an_object')
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new RefusedError(field, 'unknown_member')
  return value as Given
}

function readName(given: Given, field: 'firstName' | 'lastName'): string | null {
  const text = given[field] ?? null
  if (text === null) return null
  if (typeof text !== 'string' || !isLabel(text, LONGEST_NAME)) throw new RefusedError(field, 'not_a_name')
  return text.trim()
}

function readFlag(given: Given, field: 'emailVerified'): boolean {
  const flag = given[field] ?? false
  if (typeof flag !== 'boolean') throw new RefusedError(field, 'not_a_boolean')
  return flag
}

function readMoment(given: Given, field: 'termsAcceptedAt'): Millis | null {
  const text = given[field] ?? null
  if (text === null) return null
  const moment = typeof text === 'string' && text.length <= 40 ? fromIso(text) : undefined
  if (moment === undefined || moment < 0) throw new RefusedError(field, 'not_a_moment')
  return moment
}

function readPassword({ passwordHash = null }: Given): ImportedHash | null {
  if (passwordHash === null) return null
  const hash = typeof passwordHash === 'string' ? readHash(passwordHash) : 'unknown_format'
  if (typeof hash === 'string') throw new RefusedError('passwordHash', hash)
  return hash
}

function readOrganizations(value: unknown): ImportedAccount['organizations'] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_ORGANIZATIONS)
    throw new RefusedError('organizations', `not_a_list_of_1_to_${MOST_ORGANIZATIONS}`)
  return value.map((entry: unknown, index) => {
    const field = `organizations.${index}`
    const { organization, role = 'member' } = membersOf(entry, field, ['organization', 'role'])
    const named = typeof organization === 'string' ? readOrganizationName(organization) : undefined
    if (named === undefined) throw new RefusedError(`${field}.organization`, 'not_an_organization')
    if (!ROLES.includes(role as Role)) throw new RefusedError(`${field}.role`, 'not_a_role')
    return { named, role: role as Role }
  })
}
