import type { Millis } from '../core/clock.ts'
import { type Id, readId } from '../core/id.ts'
import { ROLES } from '../db/tables/tables.ts'
import { isOwnRole, type Permissions, permissionsOf, type RoleName, rightsOf } from '../http/permissions.ts'

/** Longer than any key or token of ours. */
const MOST_CHARACTERS = 4_096

/** RFC 6750 2.1; the scheme in any case (RFC 9110 11.1), one credential, never in the query. */
export function bearerOf({ authorization }: { authorization?: string | undefined }): string | undefined {
  if (authorization === undefined || authorization.length > MOST_CHARACTERS) return undefined
  return /^bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1]
}

/** The claims of a token of ours. */
export interface Claims {
  accountId: Id<'account'>
  sessionId: Id<'session'>
  organizationId: Id<'organization'>
  role: RoleName
  /** The permissions of the role when the token was made; of a fixed role, its present permissions. */
  permissions: Permissions
  notBefore: Millis
  expiresAt: Millis
}

/** The claims of a token whose signature is good; undefined when they are not of the form that we write. */
export function readClaims(payload: Record<string, unknown>): Claims | undefined {
  const accountId = readId('account', String(payload.sub))
  const sessionId = readId('session', String(payload.sid))
  const organizationId = readId('organization', String(payload.org_id))
  const { exp, nbf = 0 } = payload
  const rights = readRights(payload)
  if (accountId === undefined || sessionId === undefined || organizationId === undefined) return undefined
  if (rights === undefined || typeof exp !== 'number') return undefined
  return {
    accountId,
    sessionId,
    organizationId,
    ...rights,
    notBefore: Number(nbf) * 1_000,
    expiresAt: exp * 1_000,
  }
}

function readRights({
  role,
  permissions,
}: Record<string, unknown>): Pick<Claims, 'role' | 'permissions'> | undefined {
  const name = ROLES.find((known) => known === role) ?? readId('role', String(role))
  if (name === undefined) return undefined
  if (!isOwnRole(name)) return { role: name, permissions: permissionsOf(name) }
  if (!Array.isArray(permissions)) return undefined
  return rightsOf({ role: 'member', role_id: name, permissions: JSON.stringify(permissions) })
}

/** When a token of ours that was verified before ends; undefined for any other text, such as an API key. */
export function endOfToken(token: string): Millis | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  return readClaims(JSON.parse(Buffer.from(payload, 'base64url').toString()))?.expiresAt
}

/** Whether a token that was verified before still holds. */
export function isInForce({ notBefore, expiresAt }: Claims, now: Millis): boolean {
  return notBefore <= now && now < expiresAt
}
