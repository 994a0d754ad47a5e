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
import { openTokens } from '../connection-store.ts'
import { type Connection, LONGEST_BACKOFF } from '../connection-wire.ts'
import type { Asker, ConnectionDeps } from '../deps.ts'
import { integrationError } from '../failures.ts'
import type { Provider } from '../provider.ts'
import { expire, notBefore } from '../settle.ts'
import { currentConnection } from './current.ts'
import { FetchAnswer, toAnswer, whyUnreadable } from './fetch-answer.ts'
import { checkTarget, FetchBody, LARGEST_ORDER, toRequest } from './fetch-request.ts'

/** One call of an API, from the connection to the last byte. */
export const FETCH_DEADLINE: Millis = 30 * SECOND
/** The largest answer that is passed on. */
export const LARGEST_FETCH = 2 * 1024 * 1024

/** `POST /v1/connections/{id}/fetch`: a call to the provider's API with the connection's token. */
export function fetchRoutes(server: Server, deps: ConnectionDeps): void {
  server.post(
    '/v1/connections/:id/fetch',
    {
      config: { access: 'connections:use' },
      bodyLimit: LARGEST_ORDER,
      schema: {
        tags: ['Connections'],
        operationId: 'fetchThroughConnection',
        summary: "Call the provider's API",
        description:
          'Adds the token of the connection, which is refreshed first where it has ended. Redirects are not followed. What the API answers is passed on, but for 401, 429 and 5xx.',
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
      const asker = { trail: trailOf(request), actorId }
      return charged(deps, request, seen, async () => {
        const { answer, token } = await fetchWith(deps, provider, seen, { url, order }, asker)
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

/** Takes the price of a fetch for `work` that brings an answer, and gives it back for one that does not. */
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

interface Order {
  url: URL
  order: CallRequest
}

/**
 * One call; a second one with a renewed token where the first token had ended, or the API refused it.
 * @throws ApiError with the four INTEGRATION codes
 */
async function fetchWith(
  deps: FetchDeps,
  provider: Provider,
  seen: Connection,
  order: Order,
  asker: Asker,
): Promise<{ answer: CallAnswer; token: string }> {
  const { clock, refresh } = deps
  const current = await currentConnection(deps, seen, asker)
  const { isRefreshed } = current
  let { connection } = current
  let { answer, token } = await callOnce(deps, connection, order)
  if (answer.status !== 401) return { answer: await judged(deps, provider, connection, answer), token }
  if (connection.refreshable === 0) {
    await expire(deps, connection, asker.trail, 'refused')
    throw integrationError('INTEGRATION_EXPIRED', connection, 'refused', clock.now())
  }
  if (!isRefreshed) {
    connection = await refresh(connection, asker)
    ;({ answer, token } = await callOnce(deps, connection, order))
  }
  // The token is new, so the API refuses this call, not the token.
  if (answer.status === 401)
    throw integrationError('INTEGRATION_EXPIRED', connection, 'refused_after_refresh', clock.now())
  return { answer: await judged(deps, provider, connection, answer), token }
}

async function callOnce(
  { clock, vault, agent }: FetchDeps,
  connection: Connection,
  { url, order }: Order,
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

/** @throws ApiError INTEGRATION_RATE_LIMIT for 429, which is kept in the row; INTEGRATION_PROVIDER_ERROR for 5xx */
async function judged(
  { clock, database }: FetchDeps,
  { settings }: Provider,
  connection: Connection,
  answer: CallAnswer,
): Promise<CallAnswer> {
  const { id, refusals } = connection
  const now = clock.now()
  if (answer.status === 429) {
    const asked = readRetryAfter(headerOf(answer, 'retry-after'), now)
    const not_before = notBefore(settings, { asked, refusals, now })
    await database.tx((tx) =>
      tx
        .updateTable('connection')
        .set({ not_before, refusals: refusals + 1 })
        .where('id', '=', id)
        // Of several refusals at once the longest counts.
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
  // The API answers again: an earlier refusal or limit is over.
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
