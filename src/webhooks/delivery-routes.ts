import { Type } from 'typebox'
import { toIso, toIsoOrNull } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, parseId } from '../core/id.ts'
import type { Tables } from '../db/tables.ts'
import { Page, PageQuery, readPage, toPage } from '../http/list.ts'
import { callerOf } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { IdSchema, Moment, Nullable, strict } from '../http/validation.ts'
import type { WebhookDeps } from './deps.ts'
import { getWebhook } from './webhook-wire.ts'

const Shown = {
  id: Type.String(),
  webhookId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  status: Type.String({ enum: ['pending', 'held', 'delivered', 'failed'] }),
  reason: Nullable(Type.String()),
  attemptCount: Type.Integer(),
  nextAttemptAt: Nullable(Moment),
  createdAt: Moment,
  updatedAt: Moment,
}
const DeliverySchema = Type.Object(Shown)

const AttemptSchema = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  startedAt: Moment,
  durationMs: Type.Integer(),
  outcome: Type.String(),
  statusCode: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  requestHeaders: Type.Record(Type.String(), Type.String()),
  responseHeaders: Nullable(Type.Record(Type.String(), Type.String())),
  responseBody: Nullable(Type.String()),
  signedWith: Type.String({
    enum: ['current', 'previous'],
    description: 'Which secret the counting request was signed with.',
  }),
})

function toWire(row: Tables['delivery']) {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    reason: row.reason,
    attemptCount: row.attempts,
    nextAttemptAt: toIsoOrNull(row.due_at),
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

function toAttempt(row: Tables['attempt']) {
  return {
    id: row.id,
    number: row.number,
    startedAt: toIso(row.started_at),
    durationMs: row.duration_ms,
    outcome: row.outcome,
    statusCode: row.status_code,
    error: row.error,
    requestHeaders: JSON.parse(row.request_headers) as Record<string, string>,
    responseHeaders:
      row.response_headers === null ? null : (JSON.parse(row.response_headers) as Record<string, string>),
    responseBody: row.response_body === null ? null : Buffer.from(row.response_body).toString('utf8'),
    signedWith: row.secret_index === 0 ? 'current' : 'previous',
  }
}

/** What became of the events that were sent to a webhook. */
export function deliveryRoutes(server: Server, { database }: Pick<WebhookDeps, 'database'>): void {
  server.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { access: 'member' },
      schema: {
        tags: ['Webhooks'],
        summary: 'List the deliveries of a webhook',
        params: strict({ id: IdSchema('webhook') }),
        querystring: strict({
          ...PageQuery,
          status: Type.Optional(Type.Unsafe<Tables['delivery']['status']>(Shown.status)),
        }),
        response: { 200: Page(DeliverySchema) },
      },
    },
    async (request) => {
      const { status } = request.query
      const webhook = await getWebhook(database.db, callerOf(request).organizationId, request.params.id)
      const page = readPage(request.query)
      const rows = await database.db
        .selectFrom('delivery')
        .selectAll()
        .where('webhook_id', '=', webhook.id)
        .$if(status !== undefined, (query) =>
          query.where('status', '=', status as Tables['delivery']['status']),
        )
        .$if(page.before !== undefined, (query) => query.where('id', '<', page.before as Id<'delivery'>))
        .orderBy('id', 'desc')
        .limit(page.take)
        .execute()
      return toPage(rows, page, toWire)
    },
  )

  server.get(
    '/v1/deliveries/:id',
    {
      config: { access: 'member' },
      schema: {
        tags: ['Webhooks'],
        summary: 'Read a delivery with all its attempts',
        params: strict({ id: IdSchema('delivery') }),
        response: { 200: Type.Object({ ...Shown, attempts: Type.Array(AttemptSchema) }) },
      },
    },
    async (request) => {
      const id = parseId('delivery', request.params.id)
      const { db } = database
      const row = await db
        .selectFrom('delivery')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', callerOf(request).organizationId)
        .executeTakeFirst()
      if (row === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'id', value: id })
      const attempts = await db
        .selectFrom('attempt')
        .selectAll()
        .where('delivery_id', '=', id)
        .orderBy('number')
        .execute()
      return { ...toWire(row), attempts: attempts.map(toAttempt) }
    },
  )
}
