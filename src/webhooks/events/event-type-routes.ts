import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { NoCursor } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { checkType, refuseBeyondLimits } from './event-type-check.ts'
import { builtInTypes, findEventType, type KnownType, toKnownType } from './event-type-store.ts'
import { EventTypeFields, EventTypeSchema, ListedEventTypeSchema, toWire } from './event-type-wire.ts'
import { countSubscribers } from './subscribers.ts'

/** Listing, reading and registering event types. */
export function eventTypeRoutes(server: Server, { config, database, once }: WebhookDeps): void {
  server.get(
    '/v1/event-types',
    {
      config: { access: 'event_types:read' },
      schema: {
        tags: ['Events'],
        operationId: 'listEventTypes',
        summary: 'List event types',
        response: { 200: Type.Object({ data: Type.Array(ListedEventTypeSchema), nextCursor: NoCursor }) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const own = await database.db
        .selectFrom('event_type')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('created_at', 'desc')
        .orderBy('name')
        .execute()
      const count = await countSubscribers(database, organizationId)
      const all = [...own.map(toKnownType), ...builtInTypes()]
      return {
        data: all.map((type) => ({ ...toWire(type), subscribers: count(type.type) })),
        nextCursor: null,
      }
    },
  )

  server.get(
    '/v1/event-types/:type',
    {
      config: { access: 'event_types:read' },
      schema: {
        tags: ['Events'],
        operationId: 'readEventType',
        summary: 'Read an event type',
        params: strict({ type: Type.String({ maxLength: 128, examples: ['order.paid'] }) }),
        response: { 200: EventTypeSchema },
      },
    },
    async (request) => {
      const { type } = request.params
      const known = await findEventType(database.db, callerOf(request).organizationId, type)
      if (known === undefined) throw notFound('type', type)
      return toWire(known)
    },
  )

  server.post(
    '/v1/event-types',
    {
      config: { access: 'event_types:write', once: true },
      schema: {
        tags: ['Events'],
        operationId: 'createEventType',
        summary: 'Make an event type',
        description:
          'Data published under it is checked against `schema`, a JSON Schema without `pattern`, `uniqueItems` and `$ref` that costs little to check.',
        body: strict({
          name: Type.String({
            pattern: '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$',
            maxLength: 128,
            examples: ['order.paid'],
          }),
          ...EventTypeFields,
        }),
        response: { 201: EventTypeSchema },
      },
    },
    (request, reply) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      const known: KnownType = {
        type: body.name,
        owner: organizationId,
        description: body.description ?? '',
        schema: body.schema ?? {},
        example: body.example ?? {},
        isOwnFact: false,
        createdAt: now,
      }
      checkType(known, body.example !== undefined)
      return once(request, reply, async (tx) => {
        const duplicate = new ApiError('DUPLICATE', { field: 'name', value: body.name })
        if ((await findEventType(tx, organizationId, body.name)) !== undefined) throw duplicate
        await refuseBeyondLimits(tx, organizationId, known)
        const inserted = await tx
          .insertInto('event_type')
          .values({
            organization_id: organizationId,
            name: known.type,
            description: known.description,
            schema: JSON.stringify(known.schema),
            example: JSON.stringify(known.example),
            created_at: now,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning('name')
          .executeTakeFirst()
        if (inserted === undefined) throw duplicate
        await audit(tx, trailOf(request), {
          action: 'event_type.created',
          organizationId,
          actorId,
          targetId: null,
          details: { type: known.type },
        })
        return {
          status: 201,
          body: toWire(known),
          headers: { location: `${config.web.baseUrl}/v1/event-types/${known.type}` },
        }
      })
    },
  )
}
