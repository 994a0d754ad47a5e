import { getOwned } from '../../db/owned-row.ts'
import { cancelReplays } from '../../delivery/replays/replay-row.ts'
import { callerOf } from '../../http/principal.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook } from '../endpoints/webhook-wire.ts'
import { prepareReplay } from './prepare-replay.ts'
import { Ended, FilterFields, MatchedSchema, ReplaySchema, readReplayRequest, toWire } from './replay-wire.ts'

/**
 * Replay: a durable job that redelivers a time range, each delivery as a new one with the full schedule. For each event
 * it takes the newest delivery to the webhook if that matches the filter; samples are excluded.
 *
 * running --all created--> completed
 * running --DELETE--> cancelled; created deliveries stay
 */
export function replayRoutes(server: Server, deps: WebhookDeps): void {
  const { database, once } = deps

  server.post(
    '/v1/webhooks/:id/replay',
    {
      config: { access: 'deliveries:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'createReplay',
        summary: 'Make deliveries of a time again',
        description:
          'Makes one new delivery for each event that has a delivery of that time and status, and whose newest delivery to the webhook still has that status. Events that were delivered since or are on their way again, and tests, are left out.',
        params: strict({ id: IdSchema('webhook') }),
        body: strict({ ...FilterFields, since: Moment, status: Ended }),
        response: { 200: MatchedSchema, 202: ReplaySchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const { organizationId } = callerOf(request)
      const whose = { organization_id: organizationId, filter: body.status ?? 'failed' }
      // A wrong body is refused before the webhook is read.
      readReplayRequest({ ...whose, webhook_id: null }, body)
      const webhook = await getWebhook(database.db, organizationId, request.params.id)
      const asked = readReplayRequest({ ...whose, webhook_id: webhook.id }, body)
      const { count, begin } = await prepareReplay(deps, asked, now)
      if (body.dryRun === true) return reply.code(200).send(await count())
      return once(request, reply, begin, count)
    },
  )

  server.get(
    '/v1/replays',
    {
      config: { access: 'deliveries:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'listReplays',
        summary: 'List the replays of the organization',
        description: 'Newest first, of all webhooks or of one, with their progress.',
        querystring: strict(PageQuery),
        response: { 200: Page(ReplaySchema) },
      },
    },
    async (request) =>
      listOwned(database.db, 'replay', callerOf(request).organizationId, request.query, toWire),
  )

  server.get(
    '/v1/replays/:id',
    {
      config: { access: 'deliveries:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readReplay',
        summary: 'Read the progress of a replay',
        params: strict({ id: IdSchema('replay') }),
        response: { 200: ReplaySchema },
      },
    },
    async (request) =>
      toWire(await getOwned(database.db, 'replay', request.params.id, callerOf(request).organizationId)),
  )

  server.delete(
    '/v1/replays/:id',
    {
      config: { access: 'deliveries:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'cancelReplay',
        summary: 'Cancel a replay',
        description: 'Deliveries that it has made stay. Cancelling an ended replay changes nothing.',
        params: strict({ id: IdSchema('replay') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await database.tx(async (tx) => {
        const { id } = await getOwned(tx, 'replay', request.params.id, callerOf(request).organizationId)
        await cancelReplays(tx, { id }, request.now)
      })
      return reply.code(204).send(null)
    },
  )
}
