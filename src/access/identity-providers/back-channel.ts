import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Server } from '../../http/server.ts'
import { takeForms } from '../authorization/forms.ts'
import type { AccessDeps } from '../deps.ts'
import { LOGOUT_TOKEN_AGE } from '../social/logout-token.ts'
import type { OpenProviders } from './open-providers.ts'
import type { Report } from './reported-sign-out.ts'
import type { SignOutReports } from './sign-out-reports.ts'

type Provider = Tables['identity_provider']

/** The longest form with a logout token. */
const LONGEST_TOKEN = 16_384

/**
 * `POST /v1/auth/logout/{id}`, where OpenID providers of organizations report sign-outs, from server to server
 * (OpenID Connect Back-Channel Logout 1.0). The sessions of the person by this provider end, with their tokens and grants; if the token names
 * a session of the provider, only that one ends.
 */
export function backChannelRoutes(
  server: Server,
  {
    database,
    openProviders,
    reports,
  }: Pick<AccessDeps, 'database'> & { openProviders: OpenProviders; reports: SignOutReports },
): void {
  void server.register(async (scope) => {
    takeForms(scope)
    scope.post<{ Params: { id: string }; Body: unknown }>(
      '/v1/auth/logout/:id',
      {
        config: { access: 'public', ownRate: true, crossSite: true },
        schema: { hide: true },
      },
      async (request, reply) => {
        const { params, body } = request
        await reports.admit(request)
        const provider = await findOidc(database.db, params.id)
        if (provider === undefined) return reports.refuse(request, new ApiError('ENTITY_NOT_FOUND', {}))
        const form = new URLSearchParams(typeof body === 'string' ? body : '')
        const token = form.get('logout_token') ?? ''
        if (token === '' || token.length > LONGEST_TOKEN) return reports.refuse(request, refused('missing'))
        const verify = () => readReport(provider, token, request.now)
        await reports.take(request, provider, { verify, prepare: async () => undefined, refused })
        return reply.code(200).send()
      },
    )
  })

  async function readReport(provider: Provider, token: string, now: Millis): Promise<Report> {
    const { id, subject, session } = await openProviders(provider)
      .readLogout(token, now)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') throw error
        throw refused((error.details as { check: string }).check)
      })
    const whose = session === undefined ? { subject } : { sessions: [session] }
    return { id, age: LOGOUT_TOKEN_AGE, how: 'back_channel', ...whose }
  }
}

async function findOidc(db: Db, id: string): Promise<Provider | undefined> {
  if (readId('identityProvider', id) !== id) return undefined
  return db
    .selectFrom('identity_provider')
    .selectAll()
    .where('id', '=', id as Provider['id'])
    .where('kind', '=', 'oidc')
    .where('status', '=', 'active')
    .executeTakeFirst()
}

/** The specification asks for 400. */
const refused = (reason: string) =>
  new ApiError('VALIDATION_FAILED', { field: 'logout_token', value: '[redacted]', reason })
