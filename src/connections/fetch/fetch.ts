import type { FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { type Millis, SECOND } from '../../core/clock.ts'
import { VERSION } from '../../core/version.ts'
import { getOwned } from '../../db/owned-row.ts'
import { isDue } from '../../db/plausible-time.ts'
import { callerOf } from '../../http/principal.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { type CallAnswer, CallError, type CallRequest, call, headerOf } from '../../net/call.ts'
import { readRetryAfter } from '../../net/retry-after.ts'
import { expire, notBefore } from '../connection-status.ts'
import { openTokens } from '../connection-store.ts'
import { type Connection, LONGEST_BACKOFF } from '../connection-wire.ts'
import type { ConnectionDeps, RefreshCause } from '../deps.ts'
import { integrationError } from '../failures.ts'
import type { Provider } from '../provider.ts'
import { currentConnection } from './current-connection.ts'
import { FetchAnswer, toAnswer, whyUnreadable } from './fetch-answer.ts'
import { checkTarget, FetchBody, LARGEST_FETCH_REQUEST, toRequest } from './fetch-request.ts'

/** One API call, from name resolution to the last byte. */
export const FETCH_DEADLINE: Millis = 30 * SECOND
/** Largest answer that is passed on. */
export const LARGEST_FETCH = 2 * 1024 * 1024

/** `POST /v1/connections/{id}/fetch`: a call to the provider's API with the connection's token. */
export function fetchRoutes(server: Server, deps: ConnectionDeps): void {
  server.post(
    '/v1/connections/:id/fetch',
    {
      config: { access: 'connections:use' },
      bodyLimit: LARGEST_FETCH_REQUEST,
      schema: {
        tags: ['Connections'],
        operationId: 'fetchThroughConnection',
        summary: "Call the provider's API",
        description:
          'Adds the token of the connection, which is first refreshed if it has expired. Redirects are not followed. The API’s answer is returned, except for 401, 429 and 5xx.',
        params: strict({ id: IdSchema('connection') }),
        body: FetchBody,
        response: { 200: FetchAnswer },
      },
    },
    async (request) => {
      const { organizationId, actorId } = callerOf(request)
      const seen = await getOwned(deps.database.db, 'connection', request.params.id, organizationId)
      const provider = deps.providers.get(seen.provider)
      if (provider === undefined)
        throw integrationError('INTEGRATION_PROVIDER_ERROR', seen, 'not_configured', request.now)
      const url = checkTarget(provider.settings, request.body.url)
      const order = toRequest(request.body)
      const cause = { trail: trailOf(request), actorId }
      return charged(deps, request, seen, async () => {
        const { answer, token } = await fetchWith(deps, provider, seen, { url, order }, cause)
        request.log.info(
          { requestId: request.id, connectionId: seen.id, host: url.host, status: answer.status },
          'connection fetch',
        )
        const reason = whyUnreadable(answer)
        if (reason !== undefined)
          throw integrationError('INTEGRATION_PROVIDER_ERROR', seen, reason, deps.clock.now())
        return toAnswer(answer, token)
      })
    },
  )
}

/** Charges the price of a fetch for `work`, and refunds it where no answer arrives. */
async function charged<T>(
  { charge, database, clock }: Pick<ConnectionDeps, 'charge' | 'database' | 'clock'>,
  { now }: FastifyRequest,
  { id: reference, organization_id: organizationId }: Connection,
  work: () => Promise<T>,
): Promise<T> {
  const action = 'connection.fetch'
  const reservation = await database.tx((tx) =>
    charge.reserve(tx, { organizationId, action, reference, now }),
  )
  try {
    const result = await work()
    await database.tx((tx) => charge.settle(tx, reservation, clock.now()))
    return result
  } catch (error) {
    await database.tx((tx) => charge.release(tx, reservation, clock.now()))
    throw error
  }
}

type FetchDeps = Pick<ConnectionDeps, 'clock' | 'database' | 'vault' | 'publish' | 'agent' | 'refresh'>

interface FetchCall {
  url: URL
  order: CallRequest
}

/**
 * Makes one call, and a second one with a renewed token where the first token had expired or the API refused it.
 * @throws ApiError with the four INTEGRATION codes
 */
async function fetchWith(
  deps: FetchDeps,
  provider: Provider,
  seen: Connection,
  order: FetchCall,
  cause: RefreshCause,
): Promise<{ answer: CallAnswer; token: string }> {
  const { clock, refresh } = deps
  const current = await currentConnection(deps, seen, cause)
  const { isRefreshed } = current
  let { connection } = current
  let { answer, token } = await callOnce(deps, connection, order)
  if (answer.status !== 401) return { answer: await checkStatus(deps, provider, connection, answer), token }
  if (connection.refreshable === 0) {
    await expire(deps, connection, cause.trail, 'refused')
    throw integrationError('INTEGRATION_EXPIRED', connection, 'refused', clock.now())
  }
  if (!isRefreshed) {
    connection = await refresh(connection, cause)
    ;({ answer, token } = await callOnce(deps, connection, order))
  }
  // The token is new, so the API refuses this call, not the token.
  if (answer.status === 401)
    throw integrationError('INTEGRATION_EXPIRED', connection, 'refused_after_refresh', clock.now())
  return { answer: await checkStatus(deps, provider, connection, answer), token }
}

async function callOnce(
  { clock, vault, agent }: FetchDeps,
  connection: Connection,
  { url, order }: FetchCall,
): Promise<{ answer: CallAnswer; token: string }> {
  const token = openTokens(vault, connection)?.accessToken ?? ''
  const headers = {
    accept: '*/*',
    'user-agent': `Postern/${VERSION}`,
    ...order.headers,
    'accept-encoding': 'identity',
    authorization: `Bearer ${token}`,
  }
  const owner = connection.organization_id
  const limits = { clock, agent, owner, deadline: FETCH_DEADLINE, largest: LARGEST_FETCH }
  try {
    return { answer: await call(url, { ...order, headers }, limits), token }
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    throw integrationError('INTEGRATION_PROVIDER_ERROR', connection, error.reason, clock.now())
  }
}

/**
 * Checks an answer for failures of the provider. @throws ApiError INTEGRATION_RATE_LIMIT for 429, which is stored in
 * the row; INTEGRATION_PROVIDER_ERROR for 5xx
 */
async function checkStatus(
  { clock, database }: FetchDeps,
  { settings }: Provider,
  connection: Connection,
  answer: CallAnswer,
): Promise<CallAnswer> {
  const { id, refusals } = connection
  const now = clock.now()
  if (answer.status === 429) {
    const requested = readRetryAfter(headerOf(answer, 'retry-after'), now)
    const not_before = notBefore(settings, { requested, refusals, now })
    await database.tx((tx) =>
      tx
        .updateTable('connection')
        .set({ not_before, refusals: refusals + 1 })
        .where('id', '=', id)
        // The longest of several concurrent limits counts.
        .where((where) =>
          where.or([
            where('not_before', 'is', null),
            where('not_before', '<', not_before),
            isDue('not_before', now, LONGEST_BACKOFF),
          ]),
        )
        .execute(),
    )
    throw integrationError('INTEGRATION_RATE_LIMIT', { ...connection, not_before }, 'status_429', now)
  }
  if (answer.status >= 500)
    throw integrationError('INTEGRATION_PROVIDER_ERROR', connection, `status_${answer.status}`, now)
  // The API answers again, so an earlier refusal or limit is over.
  if (refusals > 0 || connection.status === 'expired')
    await database.tx((tx) =>
      tx
        .updateTable('connection')
        .set({
          refusals: 0,
          ...(connection.status === 'expired'
            ? { status: 'active', outcome: null, outcome_reason: null }
            : {}),
        })
        .where('id', '=', id)
        .where('version', '=', connection.version)
        .execute(),
    )
  return answer
}
