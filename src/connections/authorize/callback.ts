import type { FastifyRequest } from 'fastify'
import { audit, type Trail, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { withQuery } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { type ErrorDescriptions, flowErrorOf, withFlowError } from '../../oauth/flow-error.ts'
import { CallbackQuery } from '../../oauth/flow-state.ts'
import { keepConnection, type Owner } from '../connection-store.ts'
import type { Connection } from '../connection-wire.ts'
import type { ConnectionDeps } from '../deps.ts'
import { revokeOrphanedTokens } from '../end-connections.ts'
import { getProvider, toApiError } from '../failures.ts'
import type { Provider } from '../provider.ts'
import { providerSchema } from './authorize.ts'
import { consumeState, type Flow } from './connection-state.ts'

type CallbackDeps = Pick<
  ConnectionDeps,
  'config' | 'clock' | 'database' | 'vault' | 'log' | 'providers' | 'addRevocation'
>

const PATH = '/v1/connections/oauth/callback'

/** The callback URL, exactly as it must be registered at a provider. */
export function redirectUriOf(baseUrl: string, provider: string): string {
  return `${baseUrl}${PATH}/${provider}`
}

/** The errors that a browser returns with; a sentence reveals no more than its code. */
const DESCRIPTIONS: ErrorDescriptions = {
  FORBIDDEN: 'The access was not granted, or may not be used by who asked for it.',
  UNAUTHORIZED: 'The answer of the provider could not be verified.',
  RATE_LIMITED: 'Too many requests arrived at once. Try again in a moment.',
  INTEGRATION_RATE_LIMIT: 'The provider was asked too often. Try again later.',
  INTEGRATION_PROVIDER_ERROR: 'The provider could not be reached or answered unexpectedly.',
}

/**
 * `GET /v1/connections/oauth/callback/{provider}`: the browser returns from the provider.
 *
 * The state is valid once, for ten minutes, for one provider, in the browser with the cookie. An unknown state gets an
 * error page; any later failure redirects the browser to the return URL.
 */
export function callbackRoutes(server: Server, deps: CallbackDeps): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.get(
    `${PATH}/:provider`,
    {
      config: { access: 'public' },
      schema: {
        tags: ['Connections'],
        operationId: 'finishConnection',
        summary: 'Return from a provider',
        description:
          'Called by the provider. Redirects to the `redirectUrl` with `connectionId`, or with `error` and `error_description`.',
        params: strict({ provider: providerSchema(deps.providers) }),
        querystring: CallbackQuery,
        response: { 302: Type.Null({ description: 'To where it began.' }) },
      },
    },
    async (request, reply) => {
      const { now } = request
      const provider = getProvider(deps, request.params.provider)
      const { state = '' } = request.query
      const binding = bindingOf(request, cookies.connect) ?? ''
      const key = { state, provider: provider.settings.name, binding }
      const known = await database.tx((tx) => consumeState(tx, vault, key, now))
      const outcome = await complete(deps, request, provider, { ...known, state }).catch(
        flowErrorOf(DESCRIPTIONS),
      )
      const { redirectUrl } = known.flow
      if (!(outcome instanceof ApiError))
        return reply.redirect(withQuery(redirectUrl, { connectionId: outcome.id }), 302)
      // An overloaded database is no refusal, and could not store the entry.
      if (outcome.code !== 'RATE_LIMITED') await noteFailure(deps, request, known.owner, provider, outcome)
      return reply.redirect(withFlowError(redirectUrl, outcome, DESCRIPTIONS), 302)
    },
  )
}

interface Returned {
  flow: Flow
  owner: Owner
  state: string
}

async function complete(
  deps: CallbackDeps,
  request: FastifyRequest,
  provider: Provider,
  { flow, owner, state }: Returned,
): Promise<Connection> {
  const { config, clock, database, vault, log } = deps
  const { name, scopes } = provider.settings
  const query = new URL(request.url, config.web.baseUrl).searchParams
  const { organizationId } = owner
  const granted = await provider
    .exchange(query, { ...flow, state }, request.now, organizationId)
    .catch((error: unknown) => {
      throw toApiError(error, name, clock.now())
    })
  try {
    return await database.tx(async (tx) => {
      // The creator may have lost the permission while the browser was at the provider.
      await mustStillHave(tx, owner, 'connections:write', request.now)
      const source = { provider: name, asked: scopes }
      const { connection, isNew } = await keepConnection(tx, vault, owner, source, granted, clock.now())
      await audit(tx, trailOfOwner(request, owner), {
        action: isNew ? 'connection.created' : 'connection.renewed',
        organizationId: owner.organizationId,
        actorId: owner.actorId,
        targetId: connection.id,
        details: { provider: name },
      })
      return connection
    })
  } catch (error) {
    const { tokens } = granted
    const facts = { organizationId, provider: name, requestId: request.id }
    await database
      .tx((tx) => revokeOrphanedTokens(tx, deps, { organizationId, provider: name, tokens }, clock.now()))
      .then(
        (keptAs) => log.info({ ...facts, keptAs }, 'tokens given up'),
        // The database accepts no write; the first error is the answer.
        (failure: unknown) => log.error({ ...facts, err: failure }, 'tokens not given up'),
      )
    throw error
  }
}

async function noteFailure(
  { database }: CallbackDeps,
  request: FastifyRequest,
  owner: Owner,
  { settings: { name } }: Provider,
  { code, details }: ApiError,
): Promise<void> {
  const { reason } = details as { reason?: string }
  request.log.info({ requestId: request.id, provider: name, code, reason }, 'connection refused')
  await database.tx((tx) =>
    audit(tx, trailOfOwner(request, owner), {
      action: 'connection.refused',
      organizationId: owner.organizationId,
      actorId: owner.actorId,
      details: { provider: name, code, reason: reason ?? null },
    }),
  )
}

/**
 * The audit trail of a callback. A callback has no credential: the API key is that of the request that began the flow.
 */
function trailOfOwner(request: FastifyRequest, { keyId }: Owner): Trail {
  return { ...trailOf(request), keyId: keyId ?? undefined }
}
