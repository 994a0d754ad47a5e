import type { FastifyReply } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { CallbackQuery, keepFlow, takeFlow } from '../../oauth/flow-state.ts'
import type { AccessDeps } from '../deps.ts'
import type { EndedSession, LeaveProvider } from '../sessions/sign-out.ts'
import type { OpenProviders } from './open-providers.ts'
import { postLogoutUriOf } from './provider-wire.ts'

type Provider = Tables['identity_provider']
type LeaveDeps = Pick<AccessDeps, 'config' | 'database' | 'vault'> & { openProviders: OpenProviders }

/** A browser on its way through a sign-out at a provider. */
interface Leaving {
  returnTo: string
}

/** A flow of signing out is none of signing in, though both are kept in one table. */
const flowName = (id: Provider['id']) => `sign-out:${id}`

/**
 * Redirects a browser to the logout endpoint of the identity provider that began its session, where the provider is set so. Postern's own
 * session ends first, so that a failure at the provider leaves no session here.
 */
export function createLeaveProvider({ config, database, vault, openProviders }: LeaveDeps): LeaveProvider {
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)

  return async (request, reply, ended, returnTo) => {
    const { now, log } = request
    const provider = await findProvider(ended)
    if (provider === undefined) return undefined
    const state = newToken()
    const signOut = { state, hint: hintOf(ended), returnTo: postLogoutUriOf(baseUrl, provider.id) }
    const url = await openProviders(provider)
      .signOutUrl(signOut, now)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        log.info({ provider: provider.id, details: error.details }, 'no sign-out at the identity provider')
        return undefined
      })
    if (url === undefined) return undefined
    const binding = bindingOf(request, cookies.social) ?? newToken()
    const key = { state, provider: flowName(provider.id), binding }
    const flow: Leaving = { returnTo }
    await database.tx((tx) => keepFlow(tx, vault, 'social_state', key, { flow, beside: {}, now }))
    const options = { ...cookies.options, maxAge: LIFETIME.socialState / 1_000 }
    void reply.setCookie(cookies.social, binding, options)
    return url
  }

  async function findProvider({ identity_provider_id: id }: EndedSession): Promise<Provider | undefined> {
    if (id === null) return undefined
    return database.db
      .selectFrom('identity_provider')
      .selectAll()
      .where('id', '=', id)
      .where('kind', '=', 'oidc')
      .where('status', '=', 'active')
      .where('ends_provider_session', '=', 1)
      .executeTakeFirst()
  }

  function hintOf({ identity_provider_id: id, account_id, provider_hint }: EndedSession): string | undefined {
    if (id === null || provider_hint === null) return undefined
    try {
      return vault.open(provider_hint, sealContext('session', id, account_id))
    } catch {
      // Without the key the sign-out goes on without a hint, so that the session ends at the provider all the same.
      return undefined
    }
  }
}

/**
 * `GET /v1/auth/signed-out/{id}`, where an OpenID provider sends browsers that have signed out there. It leads on to where the sign-out
 * began, and changes nothing else; a browser that began none sees that it is signed out.
 */
export function signedOutRoutes(
  server: Server,
  { config, database, vault }: Pick<AccessDeps, 'config' | 'database' | 'vault'>,
): void {
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)
  server.get(
    '/v1/auth/signed-out/:id',
    {
      config: { access: 'public', rates: ['authorizePerIp'] },
      schema: {
        hide: true,
        params: strict({ id: Type.String({ maxLength: 64 }) }),
        querystring: CallbackQuery,
      },
    },
    async (request, reply) => {
      const id = readId('identityProvider', request.params.id)
      const { state = '' } = request.query
      const binding = bindingOf(request, cookies.social)
      if (id === undefined || binding === undefined) return leadOn(reply, undefined)
      const key = { state, provider: flowName(id), binding }
      const left = await database
        .tx((tx) => takeFlow<Leaving, 'social_state'>(tx, vault, 'social_state', key, request.now))
        .catch((error: unknown) => {
          if (error instanceof ApiError) return undefined
          throw error
        })
      return leadOn(reply, left?.flow.returnTo)
    },
  )

  const leadOn = (reply: FastifyReply, to: string | undefined) =>
    reply.redirect(to ?? `${baseUrl}/sign-out`, 303)
}
