import { type Millis, plausible, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { notFound } from '../../db/owned-row.ts'
import { HOPS_HEADER, readHops } from '../../delivery/attempt/hops.ts'
import { callerOf } from '../../http/principal.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { LiveView } from '../../live/live-kinds.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook, holdWebhook } from '../endpoints/webhook-wire.ts'
import { type Capture, closeWindow, openWindow, WINDOW } from './capture-window.ts'
import { type InboundCall, inboundEventData } from './inbound-call.ts'

const ById = strict({ id: IdSchema('webhook') })

const WindowSchema = Type.Object({
  captureId: Type.String(),
  status: Type.String({ enum: ['open', 'closed'] }),
  expiresAt: Moment,
  inboundUrl: Type.String(),
})

const CaptureSchema = Type.Object({
  id: Type.String(),
  status: Type.String({ enum: ['open', 'captured', 'closed'] }),
  createdAt: Moment,
  expiresAt: Moment,
  capturedAt: Nullable(Moment),
  method: Nullable(Type.String()),
  query: Nullable(Type.Record(Type.String(), Type.Unknown())),
  headers: Nullable(Type.Record(Type.String(), Type.String())),
  contentType: Nullable(Type.String()),
  body: Nullable(Type.String({ description: 'The exact bytes, as text.' })),
  bodyBase64: Nullable(Type.String({ description: 'The exact bytes.' })),
})

/** The capture window, and its captured calls. */
export function captureRoutes(
  server: Server,
  { config, database, once, publish, publishers }: WebhookDeps,
): void {
  server.post(
    '/v1/webhooks/:id/test/start',
    {
      config: { access: 'captures:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'openCaptureWindow',
        summary: 'Open a capture window',
        description: 'For the next call to the inbound path. A window that is open already is the answer.',
        params: ById,
        response: { 200: WindowSchema },
      },
    },
    async (request) => {
      const { now } = request
      return database.tx(async (tx) => {
        const webhook = await holdWebhook(tx, callerOf(request).organizationId, request.params.id)
        if (webhook.endpoint_path === null) {
          throw new ApiError('VALIDATION_FAILED', { field: 'endpointPath', value: null, reason: 'required' })
        }
        const row = await openWindow(tx, webhook, now)
        return {
          captureId: row.id,
          status: 'open',
          expiresAt: toIso(row.expires_at),
          inboundUrl: `${config.web.baseUrl}/v1/webhooks/${webhook.endpoint_path}`,
        }
      })
    },
  )

  server.post(
    '/v1/webhooks/:id/test/stop',
    {
      config: { access: 'captures:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'closeCaptureWindow',
        summary: 'Close the capture window',
        description: 'Idempotent: without an open window it succeeds too.',
        params: ById,
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    async (request) => {
      await database.tx(async (tx) => {
        await closeWindow(tx, await getWebhook(tx, callerOf(request).organizationId, request.params.id))
      })
      return { status: 'closed' }
    },
  )

  server.get(
    '/v1/webhooks/:id/test/captures',
    {
      config: { access: 'captures:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'listCaptures',
        summary: 'List captured calls',
        params: ById,
        querystring: strict(PageQuery),
        response: { 200: Page(CaptureSchema) },
      },
    },
    async (request) => {
      const webhook = await getWebhook(database.db, callerOf(request).organizationId, request.params.id)
      return listOwned(database.db, 'capture', webhook.id, request.query, (row) => toWire(row, request.now))
    },
  )

  server.post(
    '/v1/webhooks/:id/test/captures/:captureId/deliver',
    {
      config: { access: 'captures:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'deliverCapture',
        summary: 'Deliver a captured call after all',
        description:
          'Each request makes a new event, with the returned `id`, and delivers it; requests with the same `Idempotency-Key` make one.',
        params: strict({ id: IdSchema('webhook'), captureId: IdSchema('capture') }),
        response: { 202: Type.Object({ id: Type.String(), status: Type.String() }) },
      },
    },
    async (request, reply) => {
      const publisher = await publishers.numberOf(callerOf(request))
      return once(request, reply, async (tx) => {
        const { organizationId } = callerOf(request)
        const webhook = await holdWebhook(tx, organizationId, request.params.id)
        const captureId = parseId('capture', request.params.captureId, 'captureId')
        const row = await tx
          .selectFrom('capture')
          .selectAll()
          .where('id', '=', captureId)
          .where('webhook_id', '=', webhook.id)
          .where('status', '=', 'captured')
          .executeTakeFirst()
        if (row === undefined) throw notFound('captureId', captureId)
        const call = toCall(row)
        const { id } = await publish(tx, request.now, {
          organizationId,
          type: 'webhook.received',
          ...inboundEventData(call),
          only: webhook.id,
          hops: readHops(call.headers[HOPS_HEADER]),
          publisher,
        })
        return { status: 202, body: { id, status: 'queued' } }
      })
    },
  )
}

function toCall(row: Capture): InboundCall {
  return {
    method: row.method ?? 'POST',
    query: JSON.parse(row.query ?? '{}') as InboundCall['query'],
    headers: JSON.parse(row.headers ?? '{}') as InboundCall['headers'],
    contentType: row.content_type,
    body: row.body ?? new Uint8Array(),
  }
}

/** Windows in the live stream, without the captured call, which may be large. */
export const captureView: LiveView = {
  kind: 'capture',
  async show(db, ids, now) {
    const rows = await db
      .selectFrom('capture')
      .innerJoin('webhook', 'webhook.id', 'capture.webhook_id')
      .selectAll('capture')
      .select('webhook.organization_id')
      .where('capture.id', 'in', ids as Capture['id'][])
      .execute()
    return rows.map(({ organization_id, ...row }) => ({
      ...{ id: row.id, organization_id, about: row.webhook_id },
      data: { ...windowOf(row, now), webhookId: row.webhook_id },
    }))
  },
}

/** The shown status of a window. */
function windowOf(row: Capture, now: Millis) {
  const isOver = row.status === 'open' && plausible(row.expires_at, now, WINDOW) <= now
  return {
    id: row.id,
    status: isOver ? ('closed' as const) : row.status,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    capturedAt: toIsoOrNull(row.captured_at),
  }
}

function toWire(row: Capture, now: Millis): Static<typeof CaptureSchema> {
  const hasCall = row.status === 'captured'
  const call = toCall(row)
  return {
    ...windowOf(row, now),
    method: row.method,
    query: hasCall ? call.query : null,
    headers: hasCall ? call.headers : null,
    contentType: row.content_type,
    body: hasCall ? Buffer.from(call.body).toString('utf8') : null,
    bodyBase64: hasCall ? Buffer.from(call.body).toString('base64') : null,
  }
}
