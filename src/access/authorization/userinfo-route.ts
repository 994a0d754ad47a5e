import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { callerOf } from '../../http/principal.ts'
import type { Server } from '../../http/server.ts'
import { claimsOfAccount } from './account-claims.ts'
import type { AuthorizationDeps } from './deps.ts'
import { PATHS } from './paths.ts'

/** The claims of each scope (OpenID Connect Core 5.4). */
const CLAIMS = {
  openid: ['sub', 'org_id'],
  email: ['email', 'email_verified'],
  profile: ['name', 'given_name', 'family_name'],
} as const

/** The claims of the person behind an access token with `openid` (OpenID Connect Core 5.3). */
export function userinfoRoute(server: Server, deps: Pick<AuthorizationDeps, 'database'>): void {
  const options = { config: { access: 'caller' as const, anyOrigin: true }, schema: { hide: true } }
  server.get(PATHS.userinfo, options, answer)
  server.post(PATHS.userinfo, options, answer)

  /** @throws ApiError FORBIDDEN for a token that is not of an application, or lacks `openid` */
  async function answer(request: FastifyRequest) {
    const caller = callerOf(request)
    const grant =
      caller.kind === 'grant'
        ? await deps.database.db
            .selectFrom('oauth_grant')
            .select(['account_id', 'identity_scopes'])
            .where('id', '=', caller.grantId)
            .executeTakeFirst()
        : undefined
    const scopes = grant?.identity_scopes.split(' ') ?? []
    if (caller.kind !== 'grant' || grant === undefined || !scopes.includes('openid'))
      throw new ApiError('FORBIDDEN', { reason: 'scope_required', scope: 'openid' })
    const person = await claimsOfAccount(deps, grant.account_id, caller.grantId)
    if (person === undefined) throw new ApiError('UNAUTHORIZED', {})
    const claims = await person.claims()
    const shown = Object.entries(CLAIMS).flatMap(([scope, names]) => (scopes.includes(scope) ? names : []))
    return Object.fromEntries(shown.map((name) => [name, claims[name]]))
  }
}
