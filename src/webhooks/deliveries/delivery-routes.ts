import { type Static, Type } from 'typebox'
import { fromIso, toIso, toIsoOrNull } from '../../core/clock.ts'
import { type Id, idFloor, parseId } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { attemptsOf, type RecordedAttempt } from '../../delivery/store/attempts.ts'
import { redeliver } from '../../delivery/store/redeliver.ts'
import { EVER, windowsOf } from '../../delivery/store/windows.ts'
import { callerOf } from '../../http/principal.ts'
import { Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook } from '../endpoints/webhook-wire.ts'

const Shown = {
  id: Type.String(),
  webhookId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  status: Type.String({ enum: ['pending', 'held', 'delivered', 'failed'] }),
  reason: Nullable(Type.String()),
  test: Type.Boolean({ description: 'Asked for to try the webhook; no replay makes it again.' }),
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

type Delivery = Tables['delivery'] & { webhook_status: Tables['webhook']['status'] }

/** What is pending while its webhook is not active is held, and has failed when its webhook is gone (decisions: webhooks). */
function toWire(row: Delivery): Static<typeof DeliverySchema> {
  const isPending = row.status === 'pending'
  const isDeleted = isPending && row.webhook_status === 'deleted'
  const isHeld = isPending && !isDeleted && row.webhook_status !== 'active'
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: isDeleted ? 'failed' : isHeld ? 'held' : row.status,
    reason: isDeleted ? 'webhook_deleted' : row.reason,
    test: row.sample === 1,
    attemptCount: row.attempts,
    nextAttemptAt: isDeleted || isHeld ? null : toIsoOrNull(row.due_at),
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

function selectDeliveries(db: Db | Tx) {
  return db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .selectAll('delivery')
    .select('webhook.status as webhook_status')
}

function toAttempt(row: RecordedAttempt) {
  return {
    id: row.id,
    number: row.number,
    startedAt: toIso(row.started_at),
    durationMs: row.duration_ms,
    outcome: row.outcome,
    statusCode: row.status_code,
    error: row.error,
    requestHeaders: row.requestHeaders,
    responseHeaders:
      row.response_headers === null ? null : (JSON.parse(row.response_headers) as Record<string, string>),
    responseBody: row.response_body === null ? null : Buffer.from(row.response_body).toString('utf8'),
    signedWith: row.secret_index === 0 ? 'current' : 'previous',
  }
}

/** What became of the events that were sent to a webhook. */
export function deliveryRoutes(server: Server, { database, once, dispatch }: WebhookDeps): void {
  server.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'listDeliveries',
        summary: 'List the deliveries of a webhook',
        params: strict({ id: IdSchema('webhook') }),
        querystring: strict({
          ...PageQuery,
          status: Type.Optional(Shown.status),
          eventType: Type.Optional(Type.String({ maxLength: 128 })),
          since: Type.Optional(Moment),
        }),
        response: { 200: Page(DeliverySchema) },
      },
    },
    async (request) => {
      const { status, eventType, since } = request.query
      const webhook = await getWebhook(database.db, callerOf(request).organizationId, request.params.id)
      const page = readPage('delivery', request.query)
      const span = {
        from: since === undefined ? EVER.from : idFloor('delivery', fromIso(since) ?? 0),
        before: page.before,
      }
      const rows: Delivery[] = []
      // A page of what is rare may be spread over a great many others.
      const isRare = status !== undefined || eventType !== undefined
      for await (const { from, before } of isRare ? windowsOf(database.db, webhook.id, span) : [span]) {
        const found = await selectDeliveries(database.db)
          .where('delivery.webhook_id', '=', webhook.id)
          .where('delivery.id', '>=', from)
          .where('delivery.id', '<', before)
          .$if(status !== undefined, (query) =>
            query.where('delivery.status', '=', storedStatus(status, webhook.status)),
          )
          .$if(eventType !== undefined, (query) => query.where('delivery.event_type', '=', eventType ?? ''))
          .orderBy('delivery.id', 'desc')
          .limit(page.take - rows.length)
          .execute()
        rows.push(...found)
        if (rows.length === page.take) break
      }
      return toPage(rows, page, toWire)
    },
  )

  server.get(
    '/v1/deliveries/:id',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readDelivery',
        summary: 'Read a delivery with all its attempts',
        params: strict({ id: IdSchema('delivery') }),
        response: { 200: Type.Object({ ...Shown, attempts: Type.Array(AttemptSchema) }) },
      },
    },
    async (request) => {
      const id = parseId('delivery', request.params.id)
      const { db } = database
      const row = await getDelivery(db, callerOf(request).organizationId, id)
      const attempts = await attemptsOf(db, row)
      return { ...toWire(row), attempts: attempts.map(toAttempt) }
    },
  )

  server.post(
    '/v1/deliveries/:id/retry',
    {
      config: { access: 'administrator', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'retryDelivery',
        summary: 'Make a delivery again',
        description:
          'An ended delivery is made again as a new one with the full schedule. One that still waits for its next attempt makes it now.',
        params: strict({ id: IdSchema('delivery') }),
        response: { 202: DeliverySchema },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { now } = request
        const id = parseId('delivery', request.params.id)
        const row = await getDelivery(tx, callerOf(request).organizationId, id)
        if (row.webhook_status === 'deleted') throw notFound('id', id)
        const { webhook_status, ...delivery } = row
        const made = await redeliver(tx, delivery, now)
        afterCommit(tx, () => dispatch.expedite(row.webhook_id, made.id))
        return { status: 202, body: toWire({ ...made, webhook_status }) }
      }),
  )
}

/** @throws ApiError ENTITY_NOT_FOUND */
async function getDelivery(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  id: Id<'delivery'>,
): Promise<Delivery> {
  const row = await selectDeliveries(db)
    .where('delivery.id', '=', id)
    .where('delivery.organization_id', '=', organizationId)
    .executeTakeFirst()
  if (row === undefined) throw notFound('id', id)
  return row
}

/** The stored status of a shown one; `nothing` where the webhook's own status leaves none. */
function storedStatus(
  shown: string | undefined,
  webhook: Tables['webhook']['status'],
): Tables['delivery']['status'] {
  const nothing = '' as Tables['delivery']['status']
  if (shown === 'held') return webhook === 'active' ? nothing : 'pending'
  if (shown === 'pending') return webhook === 'active' ? 'pending' : nothing
  return shown as Tables['delivery']['status']
}
