import { MINUTE, type Millis, SECOND, toDate } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { loadJose } from '../jose.ts'
import type { KeySet } from './id-token.ts'
import type { Claims } from './identity.ts'

/** The subject of a sign-out at an OpenID provider: a person, one session of a person, or a session without a named person. */
export interface LogoutClaims {
  /** The id of the token; each counts once. */
  id: string
  subject: string | undefined
  session: string | undefined
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Older tokens are refused, so their ids need not be stored longer. */
export const LOGOUT_TOKEN_AGE: Millis = 10 * MINUTE
const TOLERANCE_SECONDS = 60
const LONGEST = 255

interface Checks {
  keys: KeySet
  clientId: string
  now: Millis
  algorithms: string[]
  isOwnToken: (claims: Claims) => boolean
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). An ID token is refused, because it has a nonce and no event.
 * @throws ApiError UNAUTHORIZED, or what fetching the keys throws
 */
export async function verifyLogoutToken(token: string, checks: Checks): Promise<LogoutClaims> {
  const { keys, clientId, now, algorithms, isOwnToken } = checks
  const { errors, jwtVerify } = await loadJose()
  let claims: Claims
  try {
    const { payload } = await jwtVerify(token, keys.keyAt(now, 'stranger'), {
      algorithms,
      audience: clientId,
      currentDate: toDate(now),
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: LOGOUT_TOKEN_AGE / SECOND,
      requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
    })
    claims = payload
  } catch (error) {
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) throw refused(error.code)
    throw error
  }
  if (!isOwnToken(claims)) throw refused('iss')
  if (claims.nonce !== undefined) throw refused('nonce')
  const events = claims.events as Record<string, unknown> | null
  const event = typeof events === 'object' && events !== null && Object.hasOwn(events, EVENT) && events[EVENT]
  if (typeof event !== 'object' || event === null) throw refused('events')
  const [id, subject, session] = [textOf(claims.jti), textOf(claims.sub), textOf(claims.sid)]
  if (id === undefined) throw refused('jti')
  if (subject === undefined && session === undefined) throw refused('sub')
  return { id, subject, session }
}

const textOf = (claim: unknown) =>
  typeof claim === 'string' && claim !== '' && claim.length <= LONGEST ? claim : undefined

const refused = (check: string) => new ApiError('UNAUTHORIZED', { reason: 'logout_token', check })
