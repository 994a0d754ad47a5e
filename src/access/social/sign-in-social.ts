import { trailOf } from '../../audit/audit.ts'
import type { SocialProviderConfig } from '../../config/config.ts'
import { ApiError } from '../../core/errors.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { beginFlow, type CallbackHandler, newSecrets, unknownProvider } from './callback.ts'
import { identityOf } from './identity.ts'
import { createOpenIdProvider, type OpenIdProvider } from './provider.ts'
import { signInIdentity } from './sign-in-identity.ts'

type SocialDeps = Pick<
  AccessDeps,
  'config' | 'clock' | 'database' | 'vault' | 'publish' | 'outbox' | 'credentials' | 'agent' | 'endMade'
>

interface Known {
  settings: SocialProviderConfig
  provider: OpenIdProvider
}

/** The provider names in the OpenAPI document if the operator has configured none. */
const USUAL = ['google', 'microsoft']

/**
 * `POST /v1/auth/sign-in/social` (specification 5.3), with the providers of the installation.
 * @returns the handler of their callbacks
 */
export function signInSocialRoutes(server: Server, deps: SocialDeps): CallbackHandler {
  const { config, database } = deps
  const cookies = cookiesFor(config.web.baseUrl)
  const providers = providersOf(deps)

  server.post(
    '/v1/auth/sign-in/social',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signInWithProvider',
        summary: 'Sign in with an identity provider',
        description:
          'Redirect the browser to `authUrl`; the provider sends it back, and it arrives at `callbackURL` with a session cookie. Sets a cookie that binds the flow to this browser.',
        body: strict({
          provider: Type.String({
            enum: [...new Set([...USUAL, ...providers.keys()])],
            description: 'The identity provider.',
            ...(providers.size === 0 ? {} : documented({ enum: [...providers.keys()] })),
          }),
          callbackURL: returnUrlSchema(config.web.allowedOrigins),
          errorCallbackURL: Type.Optional(returnUrlSchema(config.web.allowedOrigins)),
          invitationToken: Type.Optional(SecretSchema),
        }),
        response: { 200: Type.Object({ authUrl: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const { provider } = get(body.provider)
      const callbackURL = checkReturnUrl(body.callbackURL, config.web.allowedOrigins, 'callbackURL')
      const errorCallbackURL =
        checkReturnUrl(body.errorCallbackURL, config.web.allowedOrigins, 'errorCallbackURL') ?? callbackURL
      const secrets = newSecrets()
      const authUrl = await provider.authorizationUrl(secrets, now)
      const cookie = await beginFlow(deps, request, body.provider, secrets, {
        ...{ callbackURL, errorCallbackURL },
        invitationToken: body.invitationToken ?? null,
      })
      void reply.setCookie(cookie.name, cookie.value, cookie.options)
      return { authUrl }
    },
  )

  return {
    knows: (name) => providers.has(name),
    ownerOf: async () => null,
    async complete(request, { provider: name, state, query, flow }) {
      const { settings, provider } = get(name)
      const { claims } = await provider.exchange(query, { ...flow, state }, request.now)
      const identity = identityOf(settings, claims, settings)
      if (identity === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'no_key' })
      const replaces = request.cookies[cookies.session]
      const way = { invitationToken: flow.invitationToken, returnTo: flow.callbackURL, replaces }
      return database.tx((tx) => signInIdentity(tx, deps, trailOf(request), identity, way))
    },
  }

  function get(name: string): Known {
    const known = providers.get(name)
    if (known === undefined) throw unknownProvider(name)
    return known
  }
}

/** The providers that the operator configured. */
function providersOf({ config, clock, agent }: SocialDeps): Map<string, Known> {
  return new Map(
    config.access.social.map((settings) => {
      const { name, dialect } = settings
      const redirectUri = `${config.web.baseUrl}/v1/auth/callback/${name}`
      const parts = { name, dialect, settings, clock, agent, owner: name, redirectUri }
      return [name, { settings, provider: createOpenIdProvider(parts) }]
    }),
  )
}
