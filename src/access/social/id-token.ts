import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { HOUR, type Millis, plausible, SECOND, toDate } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type CausedBy, withFailureBackoff } from '../../core/failure-backoff.ts'
import type { Claims } from './identity.ts'

/** The keys of an issuer, as they are now. */
type FetchKeys = () => Promise<JSONWebKeySet>

const jose = () => import('jose')

/** A key that the issuer withdrew is believed no longer than this. */
const KEYS_LIFETIME: Millis = HOUR

/** Tokens with unknown keys make us ask for the keys again this often at most; those of strangers count apart. */
const REFETCH_EVERY: Millis = 30 * SECOND

/** How long an issuer whose metadata or keys cannot be had is left alone by strangers, after each failure in a row. */
export const RESTS: readonly Millis[] = [SECOND, 5 * SECOND, 30 * SECOND]

/** The keys of an issuer, remembered. */
export interface KeySet {
  /** @param by who sends the token: `caller`, a browser in which a sign-in has begun; `stranger`, any other client */
  keyAt(now: Millis, by: CausedBy): JWTVerifyGetKey
  /** Fetches them, however short ago they were fetched. */
  load(now: Millis): Promise<unknown>
}

export function createKeySet(fetchKeys: FetchKeys): KeySet {
  let known: { at: Millis; find: Promise<JWTVerifyGetKey> } | undefined
  let reloading: Promise<JWTVerifyGetKey> | undefined
  const refetchedAt = { caller: Number.NEGATIVE_INFINITY, stranger: Number.NEGATIVE_INFINITY }
  const fetchSet = withFailureBackoff(RESTS, async () => (await jose()).createLocalJWKSet(await fetchKeys()))

  function load(now: Millis, by: CausedBy): Promise<JWTVerifyGetKey> {
    const find = fetchSet(now, by)
    const loading = { at: now, find }
    known = loading
    find.catch(() => {
      if (known === loading) known = undefined
    })
    return find
  }

  /** The issuer may have begun to sign with a new key since. Where the keys cannot be fetched, those that are known stay. */
  function reload(
    now: Millis,
    by: CausedBy,
    before: Promise<JWTVerifyGetKey>,
  ): Promise<JWTVerifyGetKey> | undefined {
    if (known !== undefined && known.find !== before) return known.find
    if (reloading !== undefined) return reloading
    if (Math.abs(now - refetchedAt[by]) < REFETCH_EVERY) return undefined
    refetchedAt[by] = now
    const find = fetchSet(now, by)
    reloading = find
    find.then(
      () => {
        known = { at: now, find }
        reloading = undefined
      },
      () => {
        reloading = undefined
      },
    )
    return find
  }

  return {
    load: (now) => load(now, 'caller'),
    keyAt: (now, by) => async (header, token) => {
      // Requests at one moment may come in another order than their times.
      const isFresh = known !== undefined && now < plausible(known.at + KEYS_LIFETIME, now, KEYS_LIFETIME)
      const loaded = known !== undefined && isFresh ? known.find : load(now, by)
      const find = await loaded
      try {
        return await find(header, token)
      } catch (error) {
        const { JWKSNoMatchingKey } = (await jose()).errors
        // Keys that were fetched for this token are complete.
        if (!(error instanceof JWKSNoMatchingKey) || !isFresh) throw error
        const reloaded = await reload(now, by, loaded)
        if (reloaded === undefined) throw error
        return reloaded(header, token)
      }
    },
  }
}

/** The algorithm of Google and Microsoft. */
export const OF_KNOWN = ['RS256']
/** Those of other issuers, each with a public key: a key that is known to both sides would let either make tokens. */
export const OF_ANY = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Clocks of two machines differ by this much. */
const TOLERANCE_SECONDS = 60

interface IdTokenChecks {
  keys: KeySet
  clientId: string
  nonce: string
  now: Millis
  /** A token whose header names another one is refused. */
  algorithms: string[]
  isOwnToken: (claims: Claims) => boolean
}

/**
 * Verifies an ID token (OpenID Connect Core 3.1.3.7) as if it had come through the browser: signature, `iss`,
 * `aud`, `azp`, `exp`, `iat`, `nbf`, `nonce`.
 * @throws ApiError UNAUTHORIZED, or what fetching the keys throws
 */
export async function verifyIdToken(token: string, checks: IdTokenChecks): Promise<Claims> {
  const claims = await verifySignature(token, checks)
  const { aud, azp, nonce, sub } = claims
  if (!checks.isOwnToken(claims)) throw refused('iss')
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) throw refused('azp')
  if (azp !== undefined && azp !== checks.clientId) throw refused('azp')
  if (nonce !== checks.nonce) throw refused('nonce')
  if (typeof sub !== 'string' || sub === '') throw refused('sub')
  return claims
}

async function verifySignature(
  token: string,
  { keys, clientId, now, algorithms }: IdTokenChecks,
): Promise<Claims> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, keys.keyAt(now, 'caller'), {
      algorithms,
      audience: clientId,
      currentDate: toDate(now),
      clockTolerance: TOLERANCE_SECONDS,
      // Also refuses an `iat` in the future.
      maxTokenAge: HOUR / SECOND,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce'],
    })
    return payload
  } catch (error) {
    // Unusable keys are the provider's fault; every other error is the token's.
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) throw refused(error.code)
    throw error
  }
}

function refused(check: string): ApiError<'UNAUTHORIZED'> {
  return new ApiError('UNAUTHORIZED', { reason: 'id_token', check })
}
