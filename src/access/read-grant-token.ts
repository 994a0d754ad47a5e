import type { Millis } from '../core/clock.ts'
import { type Id, readId } from '../core/id.ts'

/** The claims of an access token that a client got by a grant. */
export interface GrantClaims {
  grantId: Id<'grant'>
  accountId: Id<'account'>
  organizationId: Id<'organization'>
  clientId: string
  /** As it was granted for the token, with spaces between. */
  scope: string
  /** The resource that it is for. */
  audience: string
  expiresAt: Millis
}

/** In the payload of such tokens alone; a session's token has `sid` in its place. */
const MARK = '"grant_id":"'

/** Whether a text may be such a token, without a look at its signature: the tokens of sessions pass by at little cost. */
export function isGrantToken(token: string): boolean {
  const payload = token.split('.', 2)[1]
  return payload !== undefined && Buffer.from(payload, 'base64url').includes(MARK)
}

/** Reads the claims of a token whose signature is good; undefined where they are not of the form that we write. */
export function readGrantClaims(payload: Record<string, unknown>): GrantClaims | undefined {
  const grantId = readId('grant', String(payload.grant_id))
  const accountId = readId('account', String(payload.sub))
  const organizationId = readId('organization', String(payload.org_id))
  const { client_id: clientId, scope = '', aud: audience, exp } = payload
  if (grantId === undefined || accountId === undefined || organizationId === undefined) return undefined
  if (typeof clientId !== 'string' || typeof scope !== 'string' || typeof audience !== 'string')
    return undefined
  if (typeof exp !== 'number') return undefined
  return { grantId, accountId, organizationId, clientId, scope, audience, expiresAt: exp * 1_000 }
}
