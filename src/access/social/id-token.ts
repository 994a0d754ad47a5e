import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { HOUR, type Millis, plausible, SECOND, toDate } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type CausedBy, withFailureBackoff } from '../../core/failure-backoff.ts'
import { loadJose } from '../jose.ts'
import type { Claims } from './identity.ts'

/** Fetches the current keys of an issuer. */
type FetchKeys = () => Promise<JSONWebKeySet>

/** A key that the issuer has withdrawn is accepted no longer than this. */
const KEYS_LIFETIME: Millis = HOUR

/** Tokens with unknown keys cause a new fetch of the keys at most this often; tokens of strangers count separately. */
const REFETCH_EVERY: Millis = 30 * SECOND

/**
 * The pauses after failed fetches of an issuer's metadata or keys, by the number of failures in a row; they apply to requests of strangers.
 */
export const FAILURE_PAUSES: readonly Millis[] = [SECOND, 5 * SECOND, 30 * SECOND]

/** The cached keys of an issuer. */
export interface KeySet {
  /** @param by the sender of the token: `caller`, a browser in which a sign-in has begun; `stranger`, any other client */
  keyAt(now: Millis, by: CausedBy): JWTVerifyGetKey
  /** Fetches them, even if they were fetched recently. */
  load(now: Millis): Promise<unknown>
}

export function createKeySet(fetchKeys: FetchKeys): KeySet {
  let known: { at: Millis; find: Promise<JWTVerifyGetKey> } | undefined
  let reloading: Promise<JWTVerifyGetKey> | undefined
  const refetchedAt = { caller: Number.NEGATIVE_INFINITY, stranger: Number.NEGATIVE_INFINITY }
  const fetchSet = withFailureBackoff(FAILURE_PAUSES, async () =>
    (await loadJose()).createLocalJWKSet(await fetchKeys()),
  )

  function load(now: Millis, by: CausedBy): Promise<JWTVerifyGetKey> {
    const find = fetchSet(now, by)
    const loading = { at: now, find }
    known = loading
    find.catch(() => {
      if (known === loading) known = undefined
    })
    return find
  }

  /** Fetches the keys again, because the issuer may sign with a new key. If that fails, the known keys stay. */
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
      // Concurrent requests may arrive in another order than their times.
      const isFresh = known !== undefined && now < plausible(known.at + KEYS_LIFETIME, now, KEYS_LIFETIME)
      const loaded = known !== undefined && isFresh ? known.find : load(now, by)
      const find = await loaded
      try {
        return await find(header, token)
      } catch (error) {
        const { JWKSNoMatchingKey } = (await loadJose()).errors
        // Keys that were just fetched for this token are complete.
        if (!(error instanceof JWKSNoMatchingKey) || !isFresh) throw error
        const reloaded = await reload(now, by, loaded)
        if (reloaded === undefined) throw error
        return reloaded(header, token)
      }
    },
  }
}

/** The algorithm of Google and Microsoft. */
export const ALGORITHMS_OF_KNOWN = ['RS256']
/** The algorithms of other issuers, all with public keys: with a shared key either side could make tokens. */
export const ALGORITHMS_OF_ANY = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** The accepted difference between the clocks of two machines. */
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
  const { errors, jwtVerify } = await loadJose()
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
    // Invalid keys are the provider's fault; every other error is the token's.
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) throw refused(error.code)
    throw error
  }
}

function refused(check: string): ApiError<'UNAUTHORIZED'> {
  return new ApiError('UNAUTHORIZED', { reason: 'id_token', check })
}
