import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { callerOf } from '../../http/principal.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { ConnectionDeps } from '../deps.ts'
import { getProvider, toApiError } from '../failures.ts'
import { keepState } from './connection-state.ts'

/** @param providers the configured ones, by name */
export const providerSchema = (providers: Map<string, unknown>) =>
  Type.String({
    minLength: 1,
    maxLength: 32,
    description: 'A provider that the operator configured.',
    ...(providers.size === 0 ? {} : documented({ enum: [...providers.keys()] })),
  })

/**
 * `POST /v1/connections/oauth/authorize` (specification 7, INTEGRATION_REVOKED).
 *
 * The caller has a bearer token, but the callback comes from a browser. A cookie of this answer links the two, so a
 * script in that browser must send the request.
 */
export function authorizeRoutes(
  server: Server,
  deps: Pick<ConnectionDeps, 'config' | 'database' | 'vault' | 'providers'>,
): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/connections/oauth/authorize',
    {
      config: { access: 'connections:write' },
      schema: {
        tags: ['Connections'],
        operationId: 'authorizeConnection',
        summary: 'Connect an account at a provider',
        description:
          'Redirect the browser to `authUrl`; it arrives at `redirectUrl` with `connectionId`, or with `error` and `error_description`. Sets a cookie that binds the flow to this browser.',
        body: strict({
          provider: providerSchema(deps.providers),
          redirectUrl: returnUrlSchema(config.web.allowedOrigins),
        }),
        response: { 200: Type.Object({ authUrl: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const { organizationId, actorId, keyId } = callerOf(request)
      const provider = getProvider(deps, body.provider)
      const redirectUrl = checkReturnUrl(body.redirectUrl, config.web.allowedOrigins, 'redirectUrl')
      const secrets = { state: newToken(), nonce: newToken(), codeVerifier: newToken() }
      const authUrl = await provider.authorizationUrl(secrets, now).catch((error: unknown) => {
        throw toApiError(error, body.provider, now)
      })
      // One cookie per browser, not per flow, so that a browser can connect two accounts at once.
      const binding = bindingOf(request, cookies.connect) ?? newToken()
      const { state, nonce, codeVerifier } = secrets
      await database.tx((tx) =>
        keepState(
          tx,
          vault,
          { state, provider: body.provider, binding },
          { organizationId, actorId, keyId },
          { nonce, codeVerifier, redirectUrl },
          now,
        ),
      )
      void reply.setCookie(cookies.connect, binding, {
        ...cookies.options,
        maxAge: LIFETIME.connectionState / 1_000,
      })
      return { authUrl }
    },
  )
}
