import { type Id, parseId } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { readReach } from '../../delivery/attempt/kept-reach.ts'
import { attemptsOf } from '../../delivery/lists/read-attempts.ts'
import { windowsOf } from '../../delivery/lists/windows.ts'
import { redeliver } from '../../delivery/replays/redeliver.ts'
import { callerOf } from '../../http/principal.ts'
import { Page, PageQuery, readPage, readSpan, restOf, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { urlsOf } from '../endpoints/webhook-urls.ts'
import { getWebhook } from '../endpoints/webhook-wire.ts'
import { AttemptSchema, DeliverySchema, Shown, toAttempt, toWire } from './delivery-wire.ts'
import { WaitingSchema, waitingOf } from './waiting-reason.ts'

type Delivery = Tables['delivery'] & { webhook_status: Tables['webhook']['status'] }

function selectDeliveries(db: Db | Tx) {
  return db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .selectAll('delivery')
    .select('webhook.status as webhook_status')
}

/** Reading a webhook's deliveries, and redelivering one. */
export function deliveryRoutes(server: Server, { database, once, dispatch }: WebhookDeps): void {
  server.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { access: 'deliveries:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'listWebhookDeliveries',
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
      const { status, eventType } = request.query
      const webhook = await getWebhook(database.db, callerOf(request).organizationId, request.params.id)
      const page = readPage('delivery', request.query)
      const span = restOf(page, readSpan('delivery', request.query))
      const rows: Delivery[] = []
      // Rows of a rare status may be far apart among many others.
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
      config: { access: 'deliveries:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readDelivery',
        summary: 'Read a delivery with all its attempts',
        params: strict({ id: IdSchema('delivery') }),
        response: {
          200: Type.Object({ ...Shown, waiting: WaitingSchema, attempts: Type.Array(AttemptSchema) }),
        },
      },
    },
    async (request) => {
      const id = parseId('delivery', request.params.id)
      const { db } = database
      const row = await getDelivery(db, callerOf(request).organizationId, id)
      const attempts = await attemptsOf(db, row)
      const versions = attempts.map(({ reach }) => readReach(reach).urlVersion)
      const urls = await urlsOf(db, row.webhook_id, versions)
      const waiting = await waitingOf(db, row, request.now)
      return { ...toWire(row), waiting, attempts: attempts.map((attempt) => toAttempt(attempt, urls)) }
    },
  )

  server.post(
    '/v1/deliveries/:id/retry',
    {
      config: { access: 'deliveries:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'retryDelivery',
        summary: 'Make a delivery again',
        description:
          'An ended delivery is made again as a new one with the full schedule. A waiting delivery is attempted now.',
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

/** The stored status of a shown one; `nothing` where the webhook's own status excludes it. */
function storedStatus(
  shown: string | undefined,
  webhook: Tables['webhook']['status'],
): Tables['delivery']['status'] {
  const nothing = '' as Tables['delivery']['status']
  if (shown === 'held') return webhook === 'active' ? nothing : 'pending'
  if (shown === 'pending') return webhook === 'active' ? 'pending' : nothing
  return shown as Tables['delivery']['status']
}
