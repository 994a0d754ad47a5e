import { type Millis, toDate } from '../core/clock.ts'
import { loadJose } from './jose.ts'
import type { SigningKeys } from './signing-keys.ts'

interface Expected {
  issuer: string
  audience: string | string[]
  /** Claims without which it is none. */
  claims: string[]
}

/**
 * Verifies an access token of ours (RFC 9068): its signature by a published key, its type, issuer, audience and dates.
 * @returns its payload; undefined where it is not good
 * @throws the error of the read where the keys cannot be read: the token may be good
 */
export async function verifyJwt(
  keys: SigningKeys,
  token: string,
  { issuer, audience, claims }: Expected,
  now: Millis,
): Promise<Record<string, unknown> | undefined> {
  const { jwtVerify } = await loadJose()
  let trouble: { cause: unknown } | undefined
  return jwtVerify(
    token,
    async ({ kid }) => {
      const key = await keys.verifier(kid, now).catch((cause: unknown) => {
        trouble = { cause }
      })
      if (key === undefined) throw new Error('unknown key')
      return key
    },
    {
      ...{ algorithms: ['ES256'], issuer, audience, typ: 'at+jwt' },
      requiredClaims: ['sub', 'org_id', 'jti', 'iat', 'exp', ...claims],
      currentDate: toDate(now),
    },
  ).then(
    ({ payload }) => payload,
    () => {
      if (trouble !== undefined) throw trouble.cause
      return undefined
    },
  )
}
