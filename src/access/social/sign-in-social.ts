import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { type Descriptions, refusalOf, withRefusal } from '../../oauth/flow-refusal.ts'
import { CallbackQuery } from '../../oauth/flow-state.ts'
import type { AccessDeps } from '../deps.ts'
import { askForFactor } from '../sessions/pending-sign-in.ts'
import { type Entered, letIn } from '../sessions/sessions.ts'
import { enter } from './entry.ts'
import { identityOf, PROVIDER_NAMES, type ProviderName } from './identity.ts'
import { createSocialProvider, type SocialProvider } from './provider.ts'
import { consumeState, type Flow, keepState } from './state.ts'

type SocialDeps = Pick<
  AccessDeps,
  'config' | 'clock' | 'database' | 'vault' | 'publish' | 'outbox' | 'credentials' | 'agent' | 'endMade'
>

const providerSchema = (providers: Map<ProviderName, unknown>) =>
  Type.Unsafe<ProviderName>(
    Type.String({
      enum: PROVIDER_NAMES,
      description: 'The identity provider.',
      ...(providers.size === 0 ? {} : documented({ enum: [...providers.keys()] })),
    }),
  )

/** The errors with which a browser is sent back; none says more than its code. */
const DESCRIPTIONS: Descriptions = {
  FORBIDDEN: 'This address is not invited, or the invitation was for another one.',
  UNAUTHORIZED: 'The sign-in could not be verified.',
  INTEGRATION_PROVIDER_ERROR: 'The identity provider could not be reached or answered unexpectedly.',
}

/**
 * `POST /v1/auth/sign-in/social` and `GET /v1/auth/callback/{provider}` (specification 5.3).
 *
 * The state that travels through the provider is good once, for ten minutes, at one provider, and in the
 * browser that holds the cookie. A callback with an unknown state gets an error page; after that check every failure
 * sends the browser back to where it came from.
 */
export function signInSocialRoutes(server: Server, deps: SocialDeps): void {
  const { config, database, vault } = deps
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
          provider: providerSchema(providers),
          callbackURL: returnUrlSchema(config.web.allowedOrigins),
          errorCallbackURL: Type.Optional(returnUrlSchema(config.web.allowedOrigins)),
          invitationToken: Type.Optional(SecretSchema),
        }),
        response: { 200: Type.Object({ authUrl: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const provider = getProvider(providers, body.provider)
      const callbackURL = checkReturnUrl(body.callbackURL, config.web.allowedOrigins, 'callbackURL')
      const errorCallbackURL =
        checkReturnUrl(body.errorCallbackURL, config.web.allowedOrigins, 'errorCallbackURL') ?? callbackURL
      const secrets = { state: newToken(), nonce: newToken(), codeVerifier: newToken() }
      const authUrl = await provider.authorizationUrl(secrets, now)
      // One for the browser, not for the flow: it may sign in from two tabs at once.
      const binding = bindingOf(request, cookies.social) ?? newToken()
      const { nonce, codeVerifier } = secrets
      const flow: Flow = {
        nonce,
        codeVerifier,
        callbackURL,
        errorCallbackURL,
        invitationToken: body.invitationToken ?? null,
      }
      const key = { state: secrets.state, provider: body.provider, binding }
      await database.tx((tx) => keepState(tx, vault, key, flow, now))
      void reply.setCookie(cookies.social, binding, {
        ...cookies.options,
        maxAge: LIFETIME.socialState / 1_000,
      })
      return { authUrl }
    },
  )

  server.get(
    '/v1/auth/callback/:provider',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'finishSignInWithProvider',
        summary: 'Come back from an identity provider',
        description:
          'Called by the provider. Redirects to the `callbackURL` with a session, or to the `errorCallbackURL` with `error` and `error_description`.',
        params: strict({ provider: providerSchema(providers) }),
        querystring: CallbackQuery,
        response: { 302: Type.Null({ description: 'To where the sign-in began.' }) },
      },
    },
    async (request, reply) => {
      const { provider } = request.params
      const social = getProvider(providers, provider)
      const { state = '' } = request.query
      const key = { state, provider, binding: bindingOf(request, cookies.social) ?? '' }
      const flow = await database.tx((tx) => consumeState(tx, vault, key, request.now))
      const outcome = await complete(deps, request, { provider, social, state, flow }).catch(
        refusalOf(DESCRIPTIONS),
      )
      if (!(outcome instanceof ApiError)) {
        if (outcome.kind === 'pending') return askForFactor(reply, config.web.baseUrl, cookies, outcome, 302)
        letIn(reply, cookies, outcome)
        return reply.redirect(flow.callbackURL, 302)
      }
      await noteFailure(deps, request, provider, outcome)
      return reply.redirect(withRefusal(flow.errorCallbackURL, outcome, DESCRIPTIONS), 302)
    },
  )
}

/** The providers that the operator configured. */
function providersOf({ config, clock, agent }: SocialDeps): Map<ProviderName, SocialProvider> {
  return new Map(
    PROVIDER_NAMES.flatMap((name) => {
      const settings = config.access[name]
      const redirectUri = `${config.web.baseUrl}/v1/auth/callback/${name}`
      return settings ? [[name, createSocialProvider({ name, settings, clock, agent, redirectUri })]] : []
    }),
  )
}

/** @throws ApiError VALIDATION_FAILED when the provider is not configured, or no longer */
function getProvider(providers: Map<ProviderName, SocialProvider>, name: ProviderName): SocialProvider {
  const provider = providers.get(name)
  if (provider === undefined)
    throw new ApiError('VALIDATION_FAILED', { field: 'provider', value: name, reason: 'not_configured' })
  return provider
}

interface Returned {
  provider: ProviderName
  social: SocialProvider
  state: string
  flow: Flow
}

async function complete(
  deps: SocialDeps,
  request: FastifyRequest,
  { provider, social, state, flow }: Returned,
): Promise<Entered> {
  const { config, database } = deps
  const query = new URL(request.url, config.web.baseUrl).searchParams
  const claims = await social.exchange(query, { ...flow, state }, request.now)
  const identity = identityOf(provider, claims, {
    trustedTenants: config.access.microsoft?.trustedTenants ?? [],
  })
  if (identity === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'no_key' })
  const replaces = request.cookies[cookiesFor(config.web.baseUrl).session]
  const way = { invitationToken: flow.invitationToken, returnTo: flow.callbackURL, replaces }
  return database.tx((tx) => enter(tx, deps, trailOf(request), identity, way))
}

async function noteFailure(
  { database }: SocialDeps,
  request: FastifyRequest,
  provider: ProviderName,
  { code, details }: ApiError,
): Promise<void> {
  const { reason, check, accountId } = details as {
    reason?: string
    check?: string
    accountId?: Id<'account'>
  }
  request.log.info({ requestId: request.id, provider, code, reason, check }, 'social sign-in refused')
  await database.tx((tx) =>
    audit(tx, trailOf(request), {
      action: 'sign_in.failed',
      accountId: accountId ?? null,
      details: { how: provider, code, reason: reason ?? null, check: check ?? null },
    }),
  )
}
