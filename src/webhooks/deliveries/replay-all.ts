import { parseId } from '../../core/id.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook } from '../endpoints/webhook-wire.ts'
import { several } from './delivery-filter.ts'
import { prepareReplay } from './prepare-replay.ts'
import { Ended, FilterFields, MatchedSchema, ReplaySchema, readReplayRequest } from './replay-wire.ts'

/**
 * `POST /v1/replays` and `POST /v1/deliveries/retry`: replays of all webhooks of an organization, one after the other.
 */
export function replayAllRoutes(server: Server, deps: WebhookDeps): void {
  const { database, once } = deps

  server.post(
    '/v1/replays',
    {
      config: { access: 'deliveries:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'createOrganizationReplay',
        summary: 'Make deliveries of a time again, of all webhooks',
        description:
          'Like the replay of one webhook, for all webhooks of the organization, one after the other.',
        body: strict({ ...FilterFields, since: Moment, status: Ended }),
        response: { 200: MatchedSchema, 202: ReplaySchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const { organizationId } = callerOf(request)
      const filter = body.status ?? 'failed'
      const asked = readReplayRequest({ organization_id: organizationId, webhook_id: null, filter }, body)
      const { count, begin } = await prepareReplay(deps, asked, now)
      if (body.dryRun === true) return reply.code(200).send(await count())
      return once(request, reply, begin, count)
    },
  )

  server.post(
    '/v1/deliveries/retry',
    {
      config: { access: 'deliveries:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'retryDeliveries',
        summary: 'Try deliveries now',
        description:
          'Waiting deliveries are attempted now, and failed ones are made again, as by a replay. The filter is that of the list of deliveries; without one it takes all deliveries that were not delivered. The result is a replay with the filter `pending`, `failed` or `undelivered`, and its progress.',
        body: strict({
          status: Type.Optional(several(['pending', 'failed'], 'pending,failed')),
          webhookId: Type.Optional(IdSchema('webhook')),
          ...FilterFields,
        }),
        response: { 200: MatchedSchema, 202: ReplaySchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const { organizationId } = callerOf(request)
      const webhookId = body.webhookId === undefined ? null : parseId('webhook', body.webhookId)
      if (webhookId !== null) await getWebhook(database.db, organizationId, webhookId)
      const filter = filterOf(body.status)
      const asked = readReplayRequest(
        { organization_id: organizationId, webhook_id: webhookId, filter },
        body,
      )
      const { count, begin } = await prepareReplay(deps, asked, now, { expedite: true })
      if (body.dryRun === true) return reply.code(200).send(await count())
      return once(request, reply, begin, count)
    },
  )
}

function filterOf(status: string | undefined): 'pending' | 'failed' | 'undelivered' {
  const named = new Set(status?.split(',') ?? ['pending', 'failed'])
  if (named.size > 1) return 'undelivered'
  return named.has('pending') ? 'pending' : 'failed'
}
