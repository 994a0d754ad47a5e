import { sql } from 'kysely'
import { type Id, newId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findBound, type Span, seek, windowsOf } from '../../db/windows.ts'
import { callerOf } from '../../http/principal.ts'
import {
  inPage,
  inSpan,
  Page,
  PageQuery,
  type PageRequest,
  readPage,
  readSpan,
  restOf,
  toPage,
} from '../../http/schema/list.ts'
import { findPage, searchOf } from '../../http/schema/search.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { checkDestination } from '../../net/check-destination.ts'
import type { WebhookDeps } from '../deps.ts'
import { addWebhook } from './add-webhook.ts'
import { reservePath } from './reserve-path.ts'
import { checkEndpointPath, checkEvents, DEFAULT_IN_FLIGHT, Fields } from './webhook-fields.ts'
import { refuseBeyondPlan } from './webhook-limit.ts'
import { getWebhook, toWebhooks, WebhookSchema } from './webhook-wire.ts'

/** Registering webhooks (specification 4), and reading them. */
export function webhookRoutes(server: Server, deps: WebhookDeps): void {
  const { config, database, once } = deps

  server.post(
    '/v1/webhooks',
    {
      config: { access: 'webhooks:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'createWebhook',
        summary: 'Register a webhook',
        description: 'The answer holds the `secret` that signs its deliveries; it is never shown again.',
        body: strict({
          url: Fields.url,
          events: Fields.events,
          endpointPath: Type.Optional(Fields.endpointPath),
          description: Type.Optional(Fields.description),
          maxInFlight: Type.Optional(Fields.maxInFlight),
          maxPerSecond: Type.Optional(Nullable(Fields.maxPerSecond)),
        }),
        response: { 201: Type.Intersect([WebhookSchema, Type.Object({ secret: Type.String() })]) },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const { organizationId } = callerOf(request)
      checkEndpointPath(body.endpointPath)
      const check = async () => {
        await checkEvents(database.db, organizationId, body.events)
        await checkDestination(body.url, organizationId, deps)
      }
      const work = async (tx: Tx) => {
        await refuseBeyondPlan(tx, config.plans.book, organizationId)
        const id = newId('webhook', now)
        const row: Tables['webhook'] = {
          id,
          organization_id: organizationId,
          url: body.url,
          url_version: 0,
          events: JSON.stringify([...new Set(body.events)]),
          endpoint_path: body.endpointPath ?? null,
          description: body.description ?? null,
          status: 'active',
          disabled_reason: null,
          max_in_flight: body.maxInFlight ?? DEFAULT_IN_FLIGHT,
          max_per_second: body.maxPerSecond ?? null,
          status_at: now,
          resumed_at: null,
          ...{ listener: null, listened_at: null },
          created_at: now,
          updated_at: now,
        }
        await reservePath(tx, organizationId, body.endpointPath, now)
        const created = await addWebhook(tx, deps, request, row)
        return {
          status: 201,
          body: created,
          headers: { location: `${config.web.baseUrl}/v1/webhooks/${row.id}` },
        }
      }
      return once(request, reply, work, check)
    },
  )

  server.get(
    '/v1/webhooks',
    {
      config: { access: 'webhooks:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        querystring: strict({
          ...PageQuery,
          search: searchOf('their URL or description'),
          eventType: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 128,
              description: 'Webhooks that subscribe to this event type, or to all.',
              examples: ['agent.run.completed'],
            }),
          ),
        }),
        response: { 200: Page(WebhookSchema) },
      },
    },
    async (request) => {
      const page = readPage('webhook', request.query)
      const rows = await findWebhooks(database.db, callerOf(request).organizationId, request.query, page)
      return toPage(await toWebhooks(database.db, rows, request.now), page, (wire) => wire)
    },
  )

  server.get(
    '/v1/webhooks/:id',
    {
      config: { access: 'webhooks:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readWebhook',
        summary: 'Read a webhook',
        params: strict({ id: IdSchema('webhook') }),
        response: { 200: WebhookSchema },
      },
    },
    async (request) => {
      const row = await getWebhook(database.db, callerOf(request).organizationId, request.params.id)
      const [wire] = await toWebhooks(database.db, [row], request.now)
      return wire as NonNullable<typeof wire>
    },
  )
}

/** A page of an organization's webhooks. No index covers the filters, so the search goes in steps or windows. */
function findWebhooks(
  db: Db,
  organizationId: Id<'organization'>,
  { eventType, search }: { eventType?: string; search?: string },
  page: PageRequest<'webhook'>,
): Promise<Tables['webhook'][]> {
  const own = db
    .selectFrom('webhook')
    .where('organization_id', '=', organizationId)
    .where('status', '!=', 'deleted')
  const isAsking = eventType === undefined ? sql<boolean>`1 = 1` : asks(eventType)
  const read = (part: PageRequest<'webhook'>) =>
    own
      .select('id')
      // Webhooks that do not match `eventType` count as rows of the step, and have no text.
      .select([
        sql<string | null>`case when ${isAsking} then url end`.as('url'),
        sql<string | null>`case when ${isAsking} then description end`.as('description'),
      ])
      .$call(inPage(part))
      .execute()
  if (search !== undefined || eventType === undefined)
    return findPage(page, search, read, (ofPage) => own.selectAll().$call(ofPage).execute())
  // In windows, where the statement compares: steps would read every row, and take two to four times as long.
  const within = (one: Span<'webhook'>) => own.$call(inSpan(one)).orderBy('id', 'desc')
  const span = restOf(page, readSpan('webhook', {}))
  return seek(
    windowsOf(span, (one) => findBound(within(one).select('id'))),
    page.take,
    (one, rest) => within(one).selectAll().where(isAsking).limit(rest).execute(),
  )
}

/**
 * Whether `events`, a JSON list, contains a type or `*`. `like` would ignore case; names are matched with their quotation
 * marks.
 */
function asks(eventType: string) {
  const named = (name: string) => sql<boolean>`replace(events, ${JSON.stringify(name)}, '') <> events`
  return sql<boolean>`(${named('*')} or ${named(eventType)})`
}
