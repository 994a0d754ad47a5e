import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Server } from '../../http/server.ts'
import { takeForms } from '../authorization/forms.ts'
import type { AccessDeps } from '../deps.ts'
import { LOGOUT_TOKEN_AGE } from '../social/logout-token.ts'
import type { OpenProviders } from './open-providers.ts'
import { endReported } from './reported-sign-out.ts'

type Provider = Tables['identity_provider']

/** The longest form with a logout token. */
const LONGEST_TOKEN = 16_384

/**
 * `POST /v1/auth/logout/{id}`, where OpenID providers of organizations report sign-outs, from server to server
 * (OpenID Connect Back-Channel Logout 1.0). The sessions that the provider began for the person end, with what rests on them; where the
 * token names a session of the provider, that one alone.
 */
export function backChannelRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'database' | 'credentials'> & { openProviders: OpenProviders },
): void {
  const { database, openProviders } = deps
  void server.register(async (scope) => {
    takeForms(scope)
    scope.post<{ Params: { id: string }; Body: unknown }>(
      '/v1/auth/logout/:id',
      {
        config: { access: 'public', rates: ['authorizePerIp'], crossSite: true },
        schema: { hide: true },
      },
      async (request, reply) => {
        const { params, body, now } = request
        if (readId('identityProvider', params.id) !== params.id) throw new ApiError('ENTITY_NOT_FOUND', {})
        const provider = await database.db
          .selectFrom('identity_provider')
          .selectAll()
          .where('id', '=', params.id as Provider['id'])
          .where('kind', '=', 'oidc')
          .where('status', '=', 'active')
          .executeTakeFirst()
        if (provider === undefined) throw new ApiError('ENTITY_NOT_FOUND', {})
        const form = new URLSearchParams(typeof body === 'string' ? body : '')
        const token = form.get('logout_token') ?? ''
        if (token === '' || token.length > LONGEST_TOKEN) throw refused('missing')
        const claims = await openProviders(provider)
          .readLogout(token, now)
          .catch((error: unknown) => {
            if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') throw error
            throw refused((error.details as { check: string }).check)
          })
        const { id: reportId, subject, session } = claims
        const whose = session === undefined ? { subject } : { sessions: [session] }
        const reason = await database.tx((tx) =>
          endReported(tx, deps, trailOf(request), provider, {
            ...{ id: reportId, age: LOGOUT_TOKEN_AGE, how: 'back_channel', ...whose },
          }),
        )
        if (reason !== undefined) throw refused(reason)
        return reply.code(200).send()
      },
    )
  })
}

/** The specification asks for 400. */
const refused = (reason: string) =>
  new ApiError('VALIDATION_FAILED', { field: 'logout_token', value: '[redacted]', reason })
