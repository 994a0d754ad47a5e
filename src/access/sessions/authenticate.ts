import type { FastifyRequest } from 'fastify'
import { jwtVerify } from 'jose'
import type { Config } from '../../config/config.ts'
import { MINUTE, type Millis, toDate } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, readId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { readFlags } from '../../core/plans.ts'
import { hashToken } from '../../core/secret.ts'
import { isAhead } from '../../db/credible.ts'
import type { Database } from '../../db/database.ts'
import type { Role } from '../../db/tables/tables.ts'
import { cookiesFor } from '../../http/cookies.ts'
import type { Authenticator, Principal } from '../../http/principal.ts'
import type { Claims, CredentialCache } from '../credential-cache.ts'
import type { SigningKeys } from '../signing-keys.ts'
import { authenticateOperator } from './operator.ts'
import { findSession, isStale, SESSION_MOST } from './sessions.ts'

/** Verdicts kept in memory at most. */
const MOST_ENTRIES = 10_000

interface CredentialDeps {
  config: Config
  database: Database
  keys: SigningKeys
  credentials: CredentialCache
}

/** Turns the cookie, JWT or API key of a request into its principal. */
export function createAuthenticator(deps: CredentialDeps): Authenticator {
  const { config, database } = deps
  const cookies = cookiesFor(config.baseUrl)

  return async (request, access) => {
    if (access === 'public') return { kind: 'nobody' }
    if (access === 'operator') return authenticateOperator(request, bearerOf(request), config)
    if (access === 'session') {
      const session = await findSession(database.db, request.cookies[cookies.session], request.now)
      if (session === undefined) throw new ApiError('UNAUTHORIZED', {})
      if (isStale(session, request.now)) {
        // A power cut may lose it: the list of sessions then shows an older time.
        await database.relaxed((tx) =>
          tx.updateTable('session').set({ last_seen_at: request.now }).where('id', '=', session.id).execute(),
        )
      }
      return {
        kind: 'session',
        accountId: session.account_id,
        sessionId: session.id,
        memberships: session.memberships,
      }
    }
    const bearer = bearerOf(request)
    if (bearer === undefined) throw new ApiError('UNAUTHORIZED', {})
    const principal = bearer.startsWith('psk_')
      ? await authenticateKey(deps, bearer, request.now)
      : await authenticateToken(deps, bearer, request.now)
    if (principal === undefined) throw new ApiError('UNAUTHORIZED', {})
    return principal
  }
}

/** RFC 6750 2.1; the scheme in any case (RFC 9110 11.1), one credential, never in the query. */
function bearerOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers
  if (authorization === undefined || authorization.length > 4_096) return undefined
  return /^bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1]
}

async function authenticateToken(
  deps: CredentialDeps,
  token: string,
  now: Millis,
): Promise<Principal | undefined> {
  const claims = await verifyToken(deps, token, now)
  if (claims === undefined) return undefined
  const { accountId, sessionId, organizationId, role } = claims
  return remembered(deps.credentials, `${sessionId} ${organizationId} ${role}`, now, async () => {
    const standing =
      deps.config.tokenCheck === 'live'
        ? await findStanding(deps.database, claims, now)
        : await findPlan(deps.database, organizationId, role)
    if (standing === undefined) return undefined
    const flags = readFlags(standing.flags)
    return { kind: 'account', actorId: accountId, accountId, sessionId, organizationId, ...standing, flags }
  })
}

/** Checks a JWT of ours; a token once verified is only asked for its dates again. */
async function verifyToken(
  { config, keys, credentials }: CredentialDeps,
  token: string,
  now: Millis,
): Promise<Claims | undefined> {
  const known = credentials.verified.get(token)
  if (known !== undefined) return known.notBefore <= now && now < known.expiresAt ? known : undefined
  const claims = await jwtVerify(
    token,
    async ({ kid }) => {
      const key = await keys.verifier(kid, now)
      if (key === undefined) throw new Error('unknown key')
      return key
    },
    {
      algorithms: ['ES256'],
      issuer: config.baseUrl,
      audience: config.baseUrl,
      typ: 'at+jwt',
      requiredClaims: ['sub', 'sid', 'org_id', 'role', 'jti', 'iat', 'exp'],
      currentDate: toDate(now),
    },
  ).then(
    ({ payload }) => readClaims(payload),
    () => undefined,
  )
  if (claims === undefined) return undefined
  if (credentials.verified.size >= MOST_ENTRIES) credentials.verified.clear()
  credentials.verified.set(token, claims)
  return claims
}

function readClaims(payload: Record<string, unknown>): Claims | undefined {
  const accountId = readId('account', String(payload.sub))
  const sessionId = readId('session', String(payload.sid))
  const organizationId = readId('organization', String(payload.org_id))
  const { role, exp, nbf } = payload
  if (accountId === undefined || sessionId === undefined || organizationId === undefined) return undefined
  if ((role !== 'administrator' && role !== 'member') || typeof exp !== 'number') return undefined
  return {
    accountId,
    sessionId,
    organizationId,
    role,
    notBefore: Number(nbf ?? 0) * 1_000,
    expiresAt: exp * 1_000,
  }
}

/** What a token's bearer is in the organization; `flags` as they are stored. */
interface Standing {
  role: Role
  plan: string
  flags: string
}

/** The role that holds now, while the session lives and the membership stands. */
async function findStanding({ db }: Database, claims: Claims, now: Millis): Promise<Standing | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .innerJoin('membership', 'membership.account_id', 'account.id')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .select(['membership.role', 'organization.plan', 'organization.flags'])
    .where('session.id', '=', claims.sessionId)
    .where(isAhead('session.expires_at', now, SESSION_MOST))
    .where('account.id', '=', claims.accountId)
    .where('account.status', '=', 'active')
    .where('membership.organization_id', '=', claims.organizationId)
    .executeTakeFirst()
}

/** What a token says is believed, as long as there is its organization. */
async function findPlan({ db }: Database, id: Id<'organization'>, role: Role): Promise<Standing | undefined> {
  const found = await db
    .selectFrom('organization')
    .select(['plan', 'flags'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found && { role, ...found }
}

/** `last_used_at` of a key is moved at most this often. */
const USED_EVERY: Millis = 10 * MINUTE

async function authenticateKey(
  { database, credentials }: CredentialDeps,
  key: string,
  now: Millis,
): Promise<Principal | undefined> {
  const hash = hashToken(key)
  return remembered(credentials, hash, now, async () => {
    const row = await database.db
      .selectFrom('api_key')
      .innerJoin('organization', 'organization.id', 'api_key.organization_id')
      .select([
        'api_key.id',
        'api_key.role',
        'api_key.organization_id',
        'api_key.last_used_at',
        'organization.plan',
        'organization.flags',
      ])
      .where('api_key.key_hash', '=', hash)
      .where((where) =>
        where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', now)]),
      )
      .executeTakeFirst()
    if (row === undefined) return undefined
    if (now - (row.last_used_at ?? 0) >= USED_EVERY) {
      await database.tx((tx) =>
        tx.updateTable('api_key').set({ last_used_at: now }).where('id', '=', row.id).execute(),
      )
    }
    return {
      kind: 'apiKey',
      actorId: row.id,
      organizationId: row.organization_id,
      role: row.role,
      plan: row.plan,
      flags: readFlags(row.flags),
    }
  })
}

/** The verdict of the last five seconds, else a new one. */
async function remembered(
  cache: CredentialCache,
  name: string,
  now: Millis,
  find: () => Promise<Principal | undefined>,
): Promise<Principal | undefined> {
  const known = cache.live.get(name)
  if (known !== undefined && now - known.checkedAt < LIFETIME.credentialCache && now >= known.checkedAt)
    return known.principal
  const { generation } = cache
  const principal = await find()
  if (principal === undefined || generation !== cache.generation) return principal
  if (cache.live.size >= MOST_ENTRIES) cache.live.clear()
  cache.live.set(name, { checkedAt: now, principal })
  return principal
}
