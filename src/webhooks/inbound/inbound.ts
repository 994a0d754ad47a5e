import type { FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { equalInConstantTime } from '../../core/secret.ts'
import { createSymbolProperty } from '../../core/symbol-property.ts'
import { notFound } from '../../db/owned-row.ts'
import { HOPS_HEADER, readHops } from '../../delivery/attempt/hops.ts'
import { secretsOf } from '../../delivery/attempt/secrets.ts'
import { serviceSignature } from '../../delivery/attempt/signature.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { captureCall } from './capture-window.ts'
import { inboundEventData, readInboundCall } from './inbound-call.ts'

/**
 * `POST /v1/webhooks/{endpointPath}` (specification 4): external systems call it without a token. The call becomes a
 * `webhook.received` event for this webhook only, or fills its open capture window.
 */
export function inboundRoutes(server: Server, { database, vault, limiter, publish }: WebhookDeps): void {
  void server.register(async (scope) => {
    // Accepts any content type, unchanged. Fastify refuses a malformed one before it calls a parser.
    const contentTypes = createSymbolProperty<FastifyRequest, string>()
    scope.addHook('onRequest', async (request) => {
      const { 'content-type': given } = request.headers
      if (given !== undefined) contentTypes.set(request, given)
      delete request.headers['content-type']
    })
    scope.addHook('preValidation', async (request) => {
      const given = contentTypes.of(request)
      if (given !== undefined) request.headers['content-type'] = given
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => body,
    )
    scope.post<{ Params: { endpointPath: string } }>(
      '/v1/webhooks/:endpointPath',
      {
        config: { access: 'public', rates: ['inboundPerIp'], ownRate: true, crossSite: true },
        bodyLimit: SIZE.eventBody,
        schema: {
          tags: ['Webhooks'],
          operationId: 'callWebhook',
          summary: 'Call a webhook from outside',
          description:
            'No token is required. A caller that sends `X-Service-Signature` must sign with a live secret of the webhook. Calls that were caused by Postern’s deliveries have `X-Service-Hops`; with more than 5 a call is refused.',
          params: strict({ endpointPath: Type.String({ maxLength: 128 }) }),
          response: {
            202: Type.Object({ id: Type.String(), status: Type.String({ enum: ['queued', 'captured'] }) }),
          },
        },
      },
      async (request, reply) => {
        const { now } = request
        const { endpointPath } = request.params
        const webhook = await database.db
          .selectFrom('webhook')
          .innerJoin('organization', 'organization.id', 'webhook.organization_id')
          .select(['webhook.id', 'webhook.organization_id'])
          .where('webhook.endpoint_path', '=', endpointPath)
          .where('webhook.status', '!=', 'deleted')
          .where('organization.disabled_at', 'is', null)
          .executeTakeFirst()
        if (webhook === undefined) throw notFound('endpointPath', endpointPath)
        await limiter.take(webhook.id, 'inboundPerWebhook', now)
        const call = readInboundCall(request)
        const hops = readHops(call.headers[HOPS_HEADER])
        await refuseForgery(request, webhook.id, call.body, now)
        const answer = await database.tx(async (tx) => {
          const captured = await captureCall(tx, webhook, call, now)
          if (captured !== undefined) return { id: captured as string, status: 'captured' }
          const { id } = await publish(tx, now, {
            organizationId: webhook.organization_id,
            type: 'webhook.received',
            ...inboundEventData(call),
            only: webhook.id,
            hops,
          })
          return { id: id as string, status: 'queued' }
        })
        return reply.code(202).send(answer)
      },
    )
  })

  /** @throws ApiError UNAUTHORIZED where no valid secret matches the signature */
  async function refuseForgery(
    request: FastifyRequest,
    webhookId: Id<'webhook'>,
    body: Uint8Array,
    now: Millis,
  ): Promise<void> {
    const signature = request.headers['x-service-signature']
    if (signature === undefined) return
    const secrets = await secretsOf(database.db, vault, webhookId, now)
    if (secrets.some((secret) => equalInConstantTime(serviceSignature(secret, body), String(signature))))
      return
    throw new ApiError('UNAUTHORIZED', {})
  }
}
