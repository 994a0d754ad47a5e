import type { FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { readFlags } from '../../core/plans.ts'
import type { Database } from '../../db/database.ts'
import { isPending } from '../../db/plausible-time.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { mustNameOwn } from '../../http/organization-header.ts'
import { markOf, type Permissions, type RoleName, rightsOf } from '../../http/permissions.ts'
import type { Access, Authenticator, Principal } from '../../http/principal.ts'
import { bySession, hasRequiredFactor } from '../accounts/required-factor.ts'
import type { CredentialCache } from '../credential-cache.ts'
import type { AccessDeps } from '../deps.ts'
import { authenticateKey } from '../keys/authenticate-key.ts'
import { authenticatePlatformKey } from '../platform/authenticate-platform-key.ts'
import { bearerOf, type Claims, isInForce, readClaims } from '../read-credential.ts'
import { isGrantToken } from '../read-grant-token.ts'
import type { SigningKeys } from '../signing-keys.ts'
import { verifyJwt } from '../verify-jwt.ts'
import { authenticateGrant } from './authenticate-grant.ts'
import { authenticateInstallation, authenticateOperator } from './operator.ts'
import { sessionOpens } from './required-sign-in.ts'
import { findOwnSession, findSession, isStale, SESSION_MOST } from './sessions.ts'

interface CredentialDeps extends Pick<AccessDeps, 'config' | 'limiter'> {
  database: Database
  keys: SigningKeys
  credentials: CredentialCache
}

/** Turns the cookie, JWT, access token of a client, API key or platform key of a request into its principal. */
export function createAuthenticator(deps: CredentialDeps): Authenticator {
  const { config, database } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  return async (request, access) => {
    if (access === 'public') return { kind: 'nobody' }
    const principal = await findPrincipal(request, access)
    mustNameOwn(request, 'organizationId' in principal ? principal : undefined)
    return principal
  }

  async function findPrincipal(request: FastifyRequest, access: Access): Promise<Principal> {
    if (access === 'operator') return authenticateOperator(request, bearerOf(request.headers), config)
    if (access === 'installation') return authenticateInstallation(request, bearerOf(request.headers), config)
    if (access === 'session') {
      const find = request.routeOptions.config.ofOrganization ? findSession : findOwnSession
      const session = await find(database.db, request.cookies[cookies.session], request.now)
      if (session === undefined) throw new ApiError('UNAUTHORIZED', {})
      if (isStale(session, request.now)) {
        // A power cut may lose this write: the list of sessions then shows an older time.
        await database.relaxed((tx) =>
          tx.updateTable('session').set({ last_seen_at: request.now }).where('id', '=', session.id).execute(),
        )
      }
      return {
        kind: 'session',
        accountId: session.account_id,
        sessionId: session.id,
        secondFactors: session.second_factors,
        hasShownFactor: session.factor_at !== null,
        identityProviderId: session.identity_provider_id,
        memberships: session.memberships,
      }
    }
    const bearer = bearerOf(request.headers)
    if (bearer === undefined) throw new ApiError('UNAUTHORIZED', {})
    const principal = bearer.startsWith('psk_')
      ? await authenticateKey(deps, bearer, request)
      : bearer.startsWith('ppk_')
        ? await authenticatePlatformKey(deps, bearer, request, access)
        : isGrantToken(bearer)
          ? await authenticateGrant(deps, bearer, request)
          : await authenticateToken(deps, bearer, request.now)
    if (principal === undefined) throw new ApiError('UNAUTHORIZED', {})
    return principal
  }
}

async function authenticateToken(
  deps: CredentialDeps,
  token: string,
  now: Millis,
): Promise<Principal | undefined> {
  const claims = await deps.credentials.claimsOf(token, () => verifyToken(deps, token, now))
  if (claims === undefined || !isInForce(claims, now)) return undefined
  const { accountId, sessionId, organizationId, role, permissions } = claims
  // With `TOKEN_CHECK=stateless` tokens of one role may have different permissions.
  const name = `${sessionId} ${organizationId} ${role} ${markOf(permissions)}`
  return deps.credentials.whose(name, now, async () => {
    const rights =
      deps.config.access.tokenCheck === 'live'
        ? await findMemberRights(deps, claims, now)
        : await findPlan(deps.database, claims)
    if (rights === undefined) return undefined
    return {
      ...{ kind: 'account', actorId: accountId, keyId: null, accountId, sessionId, organizationId },
      ...rights,
      flags: readFlags(rights.flags),
    }
  })
}

/** Verifies a JWT of ours once; later requests check only its dates. */
async function verifyToken(
  { config, keys }: CredentialDeps,
  token: string,
  now: Millis,
): Promise<Claims | undefined> {
  const { baseUrl } = config.web
  const expected = { issuer: baseUrl, audience: baseUrl, claims: ['sid', 'role'] }
  const payload = await verifyJwt(keys, token, expected, now)
  return payload && readClaims(payload)
}

/** The rights of a token's bearer in the organization; `flags` in their stored form. */
interface MemberRights {
  role: RoleName
  permissions: Permissions
  plan: string
  flags: string
  externalId: string | null
}

/** Finds the rights of the membership; undefined where it or the session has ended. */
async function findMemberRights(
  { config, database: { db } }: CredentialDeps,
  claims: Claims,
  now: Millis,
): Promise<MemberRights | undefined> {
  const found = await db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .innerJoin('membership', 'membership.account_id', 'account.id')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .leftJoin('role', 'role.id', 'membership.role_id')
    .select([
      'membership.role',
      'membership.role_id',
      'role.permissions',
      'organization.plan',
      'organization.flags',
      'organization.external_id as externalId',
    ])
    .where('session.id', '=', claims.sessionId)
    .where(isPending('session.expires_at', now, SESSION_MOST))
    .where('account.id', '=', claims.accountId)
    .where('account.status', '=', 'active')
    .where('membership.organization_id', '=', claims.organizationId)
    .where('organization.disabled_at', 'is', null)
    .where(hasRequiredFactor(config.access.secondFactorFrom, now, bySession))
    .where(sessionOpens)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('session_exclusion')
            .select('session_id')
            .whereRef('session_id', '=', 'session.id')
            .whereRef('session_exclusion.organization_id', '=', 'organization.id'),
        ),
      ),
    )
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { plan, flags, externalId } = found
  return { ...rightsOf(found), plan, flags, externalId }
}

/** The rights in the claims of a token, with the plan of its organization; undefined where that does not exist or is disabled. */
async function findPlan(
  { db }: Database,
  { organizationId: id, role, permissions }: Claims,
): Promise<MemberRights | undefined> {
  const found = await db
    .selectFrom('organization')
    .select(['plan', 'flags', 'external_id as externalId'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return found && { role, permissions, ...found }
}
