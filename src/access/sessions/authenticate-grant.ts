import type { FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { readFlags } from '../../core/plans.ts'
import type { Database } from '../../db/database.ts'
import { isInMcp } from '../../http/mcp-context.ts'
import { narrowTo, rightsOf } from '../../http/permissions.ts'
import type { Principal } from '../../http/principal.ts'
import { byGrant, hasRequiredFactor } from '../accounts/required-factor.ts'
import type { CredentialCache } from '../credential-cache.ts'
import { type GrantClaims, readGrantClaims } from '../read-grant-token.ts'
import { audienceOf, MCP_PATH } from '../resources.ts'
import type { SigningKeys } from '../signing-keys.ts'
import { verifyJwt } from '../verify-jwt.ts'
import { grantOpens } from './required-sign-in.ts'

interface GrantDeps {
  config: { web: { baseUrl: string }; access: { secondFactorFrom: Millis | undefined } }
  database: Database
  keys: SigningKeys
  credentials: CredentialCache
}

/**
 * The caller of an access token of a grant: the person, with the rights that both the membership and the token's scopes have. A token for
 * the MCP server is valid only there (RFC 8707), and for the routes behind its tools.
 */
export async function authenticateGrant(
  deps: GrantDeps,
  token: string,
  request: FastifyRequest,
): Promise<Principal | undefined> {
  const found = await findGrantCaller(deps, token, request.now)
  if (found === undefined) return undefined
  if (found.claims.audience !== audienceOf(deps.config.web.baseUrl, 'api') && !isAtMcp(request))
    return undefined
  return found.caller
}

type GrantCaller = Extract<Principal, { kind: 'grant' }>

/** The claims of a token and its current caller; undefined where the token is not valid for any resource of Postern. */
export async function findGrantCaller(
  deps: GrantDeps,
  token: string,
  now: Millis,
): Promise<{ claims: GrantClaims; caller: GrantCaller } | undefined> {
  const { credentials } = deps
  const claims = await credentials.grantClaimsOf(token, () => verifyGrantToken(deps, token, now))
  if (claims === undefined || claims.expiresAt <= now) return undefined
  const { grantId, accountId, organizationId, expiresAt, scope } = claims
  const caller = await credentials.whose(`${grantId} ${scope}`, now, async () => {
    const rights = await findRights(deps, claims, now)
    if (rights === undefined) return undefined
    const { role, permissions } = rightsOf(rights)
    return {
      ...{ kind: 'grant', actorId: accountId, keyId: null, accountId, grantId, organizationId, expiresAt },
      ...{ role, plan: rights.plan, externalId: rights.external_id },
      ofRole: permissions,
      permissions: narrowTo(permissions, JSON.stringify(scope.split(' '))),
      flags: readFlags(rights.flags),
    }
  })
  // Tokens of one grant expire at different times.
  return caller?.kind === 'grant' ? { claims, caller: { ...caller, expiresAt } } : undefined
}

const isAtMcp = ({ routeOptions }: FastifyRequest) => routeOptions.url === MCP_PATH || isInMcp()

async function verifyGrantToken(
  { config, keys }: GrantDeps,
  token: string,
  now: Millis,
): Promise<GrantClaims | undefined> {
  const { baseUrl } = config.web
  const audience = [audienceOf(baseUrl, 'api'), audienceOf(baseUrl, 'mcp')]
  const expected = { issuer: baseUrl, audience, claims: ['grant_id', 'client_id'] }
  const payload = await verifyJwt(keys, token, expected, now)
  return payload && readGrantClaims(payload)
}

/**
 * Finds the rights of a grant; undefined where the grant, the membership or the account has ended, or the account lacks a required second
 * factor.
 */
function findRights(
  { config, database: { db } }: GrantDeps,
  { grantId, accountId, organizationId }: GrantClaims,
  now: Millis,
) {
  return db
    .selectFrom('oauth_grant')
    .innerJoin('account', 'account.id', 'oauth_grant.account_id')
    .innerJoin('membership', (join) =>
      join
        .onRef('membership.account_id', '=', 'oauth_grant.account_id')
        .onRef('membership.organization_id', '=', 'oauth_grant.organization_id'),
    )
    .innerJoin('organization', 'organization.id', 'oauth_grant.organization_id')
    .leftJoin('role', 'role.id', 'membership.role_id')
    .select(['membership.role', 'membership.role_id', 'role.permissions'])
    .select(['organization.plan', 'organization.flags', 'organization.external_id'])
    .where('oauth_grant.id', '=', grantId)
    .where('oauth_grant.account_id', '=', accountId)
    .where('oauth_grant.organization_id', '=', organizationId)
    .where('oauth_grant.expires_at', '>', now)
    .where('account.status', '=', 'active')
    .where('organization.disabled_at', 'is', null)
    .where(hasRequiredFactor(config.access.secondFactorFrom, now, byGrant))
    .where(grantOpens)
    .executeTakeFirst()
}
