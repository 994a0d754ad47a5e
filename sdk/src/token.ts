/** The claims of a token of Postern. */
export interface TokenClaims {
  /** The account, `acc_…`. */
  sub: string
  /** The organization of the token, `org_…`. */
  org_id: string
  /** `administrator`, `member`, or the id of a role of the organization, `rol_…`. */
  role: string
  /** The same, as a list of one. */
  roles: string[]
  /** What the role permitted when the token was made, such as `events:read`. */
  permissions: string[]
  /** The session, `ses_…`. */
  sid: string
  jti: string
  iss: string
  aud: string
  /** Seconds since 1970. */
  iat: number
  nbf: number
  exp: number
}

export type TokenReason =
  | 'malformed'
  | 'wrong_algorithm'
  | 'unknown_key'
  | 'bad_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'not_yet_valid'
  | 'expired'

/** The error of an invalid token. Answer 401. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly reason: TokenReason

  constructor(reason: TokenReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface VerifyTokenOptions {
  /** `BASE_URL` of your Postern, which issues the tokens. */
  baseUrl: string
  /** The audience that a token must name; the same Postern unless set. */
  audience?: string
  /** How far clocks may differ, in seconds; 5 unless set. */
  toleranceSeconds?: number
  /** Milliseconds since 1970; the clock unless set. */
  now?: number
  /** The function that fetches the keys; the platform's `fetch` unless set. */
  fetch?: typeof fetch
}

interface Keys {
  byId: Map<string, CryptoKey>
  fetchedAt: number
}

/** The `max-age` of the answer with the keys. */
const KEPT_MS = 5 * 60_000
/** Unknown keys cause a fetch at most this often, so that made-up ones cause no flood of requests. */
const COOLDOWN_MS = 30_000
/** How long fetched keys are used while Postern cannot be reached; a key is published for longer after its last use. */
const STALE_MS = 60 * 60_000
/** The pause after a failed fetch of the keys; until then no call waits for another fetch. */
const REST_MS = 5_000
const TIMEOUT_MS = 5_000

interface Jwk {
  kid: string
  kty: string
  crv: string
  x: string
  y: string
}

const known = new Map<string, Keys>()
const fetching = new Map<string, Promise<Keys>>()
const failed = new Map<string, { at: number; error: unknown }>()

/**
 * Checks a token (`GET /v1/auth/token`) without asking Postern: its keys are fetched once, kept for five minutes, and fetched
 * again when a token names one that is new.
 * @throws TokenError whose `reason` says what is wrong; the error of `fetch` where the keys cannot be fetched
 */
export async function verifyToken(token: string, options: VerifyTokenOptions): Promise<TokenClaims> {
  const { toleranceSeconds = 5, now = Date.now() } = options
  const issuer = options.baseUrl.replace(/\/+$/, '')
  const [head, payload, signature, more] = String(token).split('.')
  const header = readJson(head)
  const claims = readJson(payload) as unknown as TokenClaims
  if (signature === undefined || more !== undefined)
    throw new TokenError('malformed', 'A token has three parts.')
  // Only this algorithm, whatever the token's header names.
  if (header.alg !== 'ES256' || header.typ !== 'at+jwt')
    throw new TokenError('wrong_algorithm', 'Not ES256 and at+jwt.')
  const key = await keyOf(issuer, String(header.kid), options.fetch ?? fetch)
  const signed = new TextEncoder().encode(`${head}.${payload}`)
  const isGood = await crypto.subtle.verify(
    { name: 'ECDSA', hash: 'SHA-256' },
    key,
    bytesOf(signature),
    signed,
  )
  if (!isGood) throw new TokenError('bad_signature', 'The signature does not hold.')
  const seconds = now / 1_000
  if (claims.iss !== issuer) throw new TokenError('wrong_issuer', `It was issued by ${claims.iss}.`)
  if (![claims.aud].flat().includes(options.audience ?? issuer))
    throw new TokenError('wrong_audience', `It is for ${claims.aud}.`)
  if (!(claims.nbf <= seconds + toleranceSeconds))
    throw new TokenError('not_yet_valid', 'It is not valid yet.')
  if (!(claims.exp > seconds - toleranceSeconds)) throw new TokenError('expired', 'It has expired.')
  return claims
}

async function keyOf(issuer: string, kid: string, call: typeof fetch): Promise<CryptoKey> {
  const kept = known.get(issuer)
  const age = kept === undefined ? Number.POSITIVE_INFINITY : Date.now() - kept.fetchedAt
  const mine = kept?.byId.get(kid)
  if (mine !== undefined && age < KEPT_MS) return mine
  if (mine === undefined && age < COOLDOWN_MS) throw unknown(kid)
  const fresh = await fetchOnce(issuer, call).catch((error) => {
    if (mine === undefined || age > STALE_MS) throw error
    return kept
  })
  const key = fresh?.byId.get(kid)
  if (key === undefined) throw unknown(kid)
  return key
}

const unknown = (kid: string) => new TokenError('unknown_key', `There is no key ${kid.slice(0, 100)}.`)

/** Fetches the keys; calls at the same time share one request. */
function fetchOnce(issuer: string, call: typeof fetch): Promise<Keys> {
  const last = failed.get(issuer)
  if (last !== undefined && Math.abs(Date.now() - last.at) < REST_MS) return Promise.reject(last.error)
  const begun =
    fetching.get(issuer) ??
    fetchKeys(issuer, call)
      .catch((error) => {
        failed.set(issuer, { at: Date.now(), error })
        throw error
      })
      .finally(() => fetching.delete(issuer))
  fetching.set(issuer, begun)
  return begun
}

async function fetchKeys(issuer: string, call: typeof fetch): Promise<Keys> {
  const answer = await call(`${issuer}/.well-known/jwks.json`, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!answer.ok) throw new Error(`${issuer}/.well-known/jwks.json answers ${answer.status}.`)
  const { keys } = (await answer.json()) as { keys: Jwk[] }
  const usable = keys.filter(({ kty, crv }) => kty === 'EC' && crv === 'P-256')
  const byId = new Map(await Promise.all(usable.map(async (jwk) => [jwk.kid, await importKey(jwk)] as const)))
  const fresh = { byId, fetchedAt: Date.now() }
  known.set(issuer, fresh)
  return fresh
}

function importKey({ kty, crv, x, y }: Jwk): Promise<CryptoKey> {
  const jwk = { kty, crv, x, y }
  return crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
}

function readJson(part: string | undefined): Record<string, unknown> {
  try {
    const read = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part ?? '')))
    if (typeof read === 'object' && read !== null) return read
  } catch {
    // Thrown below.
  }
  throw new TokenError('malformed', 'It is no token: its parts are JSON in base64url.')
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  try {
    const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    throw new TokenError('malformed', 'It is no token: a part of it is no base64url.')
  }
}
