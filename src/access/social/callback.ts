import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken } from '../../core/secret.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { type ErrorDescriptions, flowErrorOf, withFlowError } from '../../oauth/flow-error.ts'
import { CallbackQuery } from '../../oauth/flow-state.ts'
import type { AccessDeps } from '../deps.ts'
import { redirectToSecondFactor } from '../sessions/pending-sign-in.ts'
import { type SignInResult, setSignInCookie } from '../sessions/sessions.ts'
import { consumeState, type Flow, storeFlow } from './state.ts'

/** A browser that a provider has sent back, in which the flow began. */
export interface ReturnedFlow {
  provider: string
  state: string
  query: URLSearchParams
  flow: Flow
  beganAt: Millis
}

/** The providers of one kind, and the completion of their sign-ins. */
export interface CallbackHandler {
  /** Whether a provider is of this kind, and can return browsers. */
  knows: (provider: string) => boolean
  /** Verifies the provider's answer and begins a session; a test of the provider begins none. */
  complete: (request: FastifyRequest, returned: ReturnedFlow) => Promise<SignInResult | { kind: 'tested' }>
  /** The organization of the provider, for the audit log; null: the installation. */
  ownerOf: (provider: string) => Promise<Id<'organization'> | null>
}

/** The descriptions of errors for returned browsers; none reveals more than its code. */
const DESCRIPTIONS: ErrorDescriptions = {
  FORBIDDEN: 'This address is not invited, or the invitation was for another one.',
  UNAUTHORIZED: 'The sign-in could not be verified.',
  RATE_LIMITED: 'Too many requests arrived at once. Try again in a moment.',
  INTEGRATION_PROVIDER_ERROR: 'The identity provider could not be reached or answered unexpectedly.',
}

/** A name of the settings, or the id of an organization's identity provider. */
const PROVIDER = '^([a-z0-9][a-z0-9-]{0,31}|idp_[0-9a-f-]{36})$'

/**
 * `GET /v1/auth/callback/{provider}` (specification 5.3).
 *
 * The state is valid once, for ten minutes, at one provider, and in the browser that holds the cookie. A callback with an unknown
 * state gets an error page; after that check every failure returns the browser to the page of its beginning.
 */
export function callbackRoute(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'vault'>,
  doors: CallbackHandler[],
): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.get(
    '/v1/auth/callback/:provider',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'finishSignInWithProvider',
        summary: 'Return from an identity provider',
        description:
          'Called by the provider. Redirects to the `callbackURL` with a session, or to the `errorCallbackURL` with `error` and `error_description`.',
        params: strict({
          provider: Type.String({
            pattern: PROVIDER,
            maxLength: 40,
            description: 'The identity provider.',
            ...documented({ examples: ['google'] }),
          }),
        }),
        querystring: CallbackQuery,
        response: { 302: Type.Null({ description: 'To where the sign-in began.' }) },
      },
    },
    async (request, reply) => {
      const { provider } = request.params
      const door = doors.find(({ knows }) => knows(provider))
      if (door === undefined) throw unknownProvider(provider)
      const { state = '' } = request.query
      const key = { state, provider, binding: bindingOf(request, cookies.social) ?? '' }
      const { flow, beganAt } = await database.tx((tx) => consumeState(tx, vault, key, request.now))
      const query = new URL(request.url, config.web.baseUrl).searchParams
      const outcome = await door
        .complete(request, { provider, state, query, flow, beganAt })
        .catch(flowErrorOf(DESCRIPTIONS))
      if (!(outcome instanceof ApiError)) {
        if (outcome.kind === 'pending')
          return redirectToSecondFactor(reply, config.web.baseUrl, cookies, outcome, 302)
        if (outcome.kind !== 'tested') setSignInCookie(reply, cookies, outcome)
        return reply.redirect(flow.callbackURL, 302)
      }
      // An overloaded database is no refusal, and could not store the entry.
      if (outcome.code !== 'RATE_LIMITED')
        await noteFailure(database, request, { provider, owner: await door.ownerOf(provider) }, outcome)
      return reply.redirect(withFlowError(flow.errorCallbackURL, outcome, DESCRIPTIONS), 302)
    },
  )
}

/** @throws ApiError VALIDATION_FAILED when the provider is not configured, or no longer */
export function unknownProvider(name: string): ApiError<'VALIDATION_FAILED'> {
  return new ApiError('VALIDATION_FAILED', { field: 'provider', value: name, reason: 'not_configured' })
}

/** The data of a new flow, except the data for its provider. */
type NewFlow = Pick<Flow, 'callbackURL' | 'errorCallbackURL' | 'invitationToken' | 'setupLinkId'>

/** The secrets of a new flow. */
export const newSecrets = () => ({ state: newToken(), nonce: newToken(), codeVerifier: newToken() })

/** Stores a flow until its callback, and binds it to the browser. */
export async function beginFlow(
  { config, database, vault }: Pick<AccessDeps, 'config' | 'database' | 'vault'>,
  request: FastifyRequest,
  provider: string,
  { state, ...secrets }: ReturnType<typeof newSecrets> & { requestId?: string },
  beginning: NewFlow,
): Promise<{ name: string; value: string; options: object }> {
  const cookies = cookiesFor(config.web.baseUrl)
  // The binding is per browser and not per flow, because a browser may sign in from two tabs at once.
  const binding = bindingOf(request, cookies.social) ?? newToken()
  const flow: Flow = { ...secrets, ...beginning }
  await database.tx((tx) => storeFlow(tx, vault, { state, provider, binding }, flow, request.now))
  const options = { ...cookies.options, maxAge: LIFETIME.socialState / 1_000 }
  return { name: cookies.social, value: binding, options }
}

async function noteFailure(
  database: AccessDeps['database'],
  request: FastifyRequest,
  { provider, owner }: { provider: string; owner: Id<'organization'> | null },
  { code, details }: ApiError,
): Promise<void> {
  const { reason, check, accountId } = details as {
    reason?: string
    check?: string
    accountId?: Id<'account'>
  }
  request.log.info({ requestId: request.id, provider, code, reason, check }, 'sign-in by a provider refused')
  await database.tx((tx) =>
    audit(tx, trailOf(request), {
      action: 'sign_in.failed',
      ...(owner !== null && { organizationId: owner }),
      accountId: accountId ?? null,
      details: { how: provider, code, reason: reason ?? null, check: check ?? null },
    }),
  )
}
