import { type Millis, toIso } from '../../core/clock.ts'
import { currentSpan } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { classify } from '../../delivery/attempt/outcome.ts'
import { secretsOf } from '../../delivery/attempt/secrets.ts'
import { recordSample } from '../../delivery/queue/record-sample.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { findEventType } from '../events/event-type-store.ts'
import { unknownEventTypes } from '../events/unknown-event-type.ts'
import { getWebhook } from './webhook-wire.ts'

/**
 * `POST /v1/webhooks/{id}/test` (specification 4): sends a sample event once, for any status and events of
 * the webhook, and answers with the result, also of a failed attempt. It uses one of the organization's places for
 * attempts, where some are reserved for tests. A delivered test ends the pause of a parked webhook.
 */
export function sendTestEventRoutes(server: Server, deps: WebhookDeps): void {
  const { database, shares, dispatch } = deps
  server.post(
    '/v1/webhooks/:id/test',
    {
      config: { access: 'webhooks:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'testWebhook',
        summary: 'Send a sample event',
        description:
          'Sends the sample of an event type once, for any status and events of the webhook. Tests do not count for `health`. After a delivered test, waiting deliveries of the webhook are tried at once, also where it is parked; these attempts then decide about `health`.',
        params: strict({ id: IdSchema('webhook') }),
        body: Type.Optional(
          Nullable(
            strict({ type: Type.Optional(Type.String({ maxLength: 128, examples: ['webhook.test'] })) }),
          ),
        ),
        response: {
          200: Type.Object({
            eventId: Type.String(),
            deliveryId: Type.String(),
            delivered: Type.Boolean(),
            attempt: Type.Object({
              statusCode: Nullable(Type.Integer()),
              durationMs: Type.Integer(),
              responseBody: Nullable(Type.String()),
              error: Nullable(Type.String()),
            }),
          }),
        },
      },
    },
    async (request) => {
      const { now } = request
      const { organizationId } = callerOf(request)
      // Before the first read, so that a refused test takes no database connection.
      const place = shares.beginTest(organizationId, now)
      if ('retryAfterSeconds' in place) throw new ApiError('RATE_LIMITED', place)
      const type = request.body?.type ?? 'webhook.test'
      const { url, webhookId, body, letter, sent } = await sendSample(deps, {
        organizationId,
        webhook: request.params.id,
        type,
        now,
      }).finally(place.end)
      const { eventId, deliveryId } = letter
      const outcome = classify(sent.result, now)
      // Recorded after the call: a test need not survive a crash.
      traceSample(deps.trace, { organizationId, url, webhookId, type, letter, sent, outcome, now })
      const sample = { organizationId, webhookId, eventId, deliveryId, type, body, sent, outcome }
      const isDelivered = outcome.verdict === 'delivered'
      await database.tx(async (tx) => {
        await recordSample(tx, sample, now)
        // The destination answers, so waiting deliveries are tried now; these attempts determine its health.
        if (isDelivered) afterCommit(tx, () => dispatch.expedite(webhookId))
      })
      return {
        eventId,
        deliveryId,
        delivered: isDelivered,
        attempt: {
          statusCode: 'status' in sent.result ? sent.result.status : null,
          durationMs: Math.round(sent.durationMs),
          responseBody: sent.responseBody === null ? null : Buffer.from(sent.responseBody).toString('utf8'),
          error: sent.error,
        },
      }
    },
  )
}

/** @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND, VALIDATION_FAILED */
async function sendSample(
  { database: { db }, vault, send }: WebhookDeps,
  {
    organizationId,
    webhook: text,
    type,
    now,
  }: { organizationId: Id<'organization'>; webhook: string; type: string; now: Millis },
) {
  const webhook = await getWebhook(db, organizationId, text)
  // A listener has no destination: clients fetch its deliveries.
  if (webhook.listener !== null)
    throw new ApiError('VALIDATION_FAILED', { field: 'id', value: text, reason: 'listener' })
  const known = await findEventType(db, organizationId, type)
  if (known === undefined) throw await unknownEventTypes(db, organizationId, 'subscribing')('type', type)
  const [eventId, deliveryId] = [newId('event', now), newId('delivery', now)]
  const body = Buffer.from(JSON.stringify({ id: eventId, type, createdAt: toIso(now), data: known.example }))
  const secrets = await secretsOf(db, vault, webhook.id, now)
  const letter = { organizationId, eventId, deliveryId, attempt: 1, body, hops: 0, startedAt: now }
  const sent = await send({ url: webhook.url, urlVersion: webhook.url_version, secrets }, letter)
  return { url: webhook.url, webhookId: webhook.id, body, letter, sent }
}

/** Ends the spans of a test: an event with one delivery and one attempt. */
function traceSample(
  trace: WebhookDeps['trace'],
  made: Pick<Awaited<ReturnType<typeof sendSample>>, 'url' | 'webhookId' | 'letter' | 'sent'> & {
    organizationId: Id<'organization'>
    type: string
    outcome: ReturnType<typeof classify>
    now: Millis
  },
): void {
  if (trace === undefined) return
  const { organizationId, url, webhookId, type, letter, sent, outcome, now } = made
  const { eventId, deliveryId } = letter
  const fact = { organizationId, type }
  trace.published([{ fact, now }], [{ id: eventId, deliveries: 1 }], currentSpan(), now)
  const status = outcome.verdict === 'delivered' ? 'delivered' : 'failed'
  const job = { id: deliveryId, laneId: webhookId, organizationId, eventId, attempts: 0 }
  trace.attempted({ job, url, startedAt: now, sent, status, reason: outcome.reason })
}
