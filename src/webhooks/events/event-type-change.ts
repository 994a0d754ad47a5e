import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { checkType, lockEventTypes, refuseBeyondLimits } from './event-type-check.ts'
import { findEventType, type KnownType } from './event-type-store.ts'
import { EventTypeFields, EventTypeSchema, toWire } from './event-type-wire.ts'

const ByType = strict({ type: Type.String({ maxLength: 128, examples: ['order.paid'] }) })
const Change = strict(EventTypeFields, { minProperties: 1 })

/**
 * Changing and deleting an organization's own event types. Published events stay unchanged with their deliveries,
 * retries and replays: a type restricts later events only.
 */
export function eventTypeChangeRoutes(server: Server, { database }: Pick<WebhookDeps, 'database'>): void {
  server.patch(
    '/v1/event-types/:type',
    {
      config: { access: 'event_types:write' },
      schema: {
        tags: ['Events'],
        operationId: 'updateEventType',
        summary: 'Change an event type',
        description:
          'Later events are checked against the new `schema`; published events do not change, and are delivered, retried and replayed as before. Inform your receivers first, because they rely on the schema.',
        params: ByType,
        body: Change,
        response: { 200: EventTypeSchema },
      },
    },
    async (request) => {
      const { body, params } = request
      const { organizationId, actorId } = callerOf(request)
      return database.tx(async (tx) => {
        const before = await lockOwnType(tx, organizationId, params.type)
        const after = changed(before, body)
        // The resulting example must fit the resulting schema.
        checkType(after, body.example !== undefined || body.schema !== undefined)
        await refuseBeyondLimits(tx, organizationId, after)
        await tx
          .updateTable('event_type')
          .set({
            description: after.description,
            schema: JSON.stringify(after.schema),
            example: JSON.stringify(after.example),
          })
          .where('organization_id', '=', organizationId)
          .where('name', '=', after.type)
          .execute()
        await audit(tx, trailOf(request), {
          action: 'event_type.updated',
          organizationId,
          actorId,
          targetId: null,
          details: { type: after.type, changed: Object.keys(body).join(' ') },
        })
        return toWire(after)
      })
    },
  )

  server.delete(
    '/v1/event-types/:type',
    {
      config: { access: 'event_types:write' },
      schema: {
        tags: ['Events'],
        operationId: 'deleteEventType',
        summary: 'Delete an event type',
        description:
          'No more events of the type can be published. Published events stay, and are delivered, retried and replayed as before; webhooks that subscribe to the type keep it in their lists, and get its events again if it is made again.',
        params: ByType,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      await database.tx(async (tx) => {
        const { type } = await lockOwnType(tx, organizationId, request.params.type)
        await tx
          .deleteFrom('event_type')
          .where('organization_id', '=', organizationId)
          .where('name', '=', type)
          .execute()
        await audit(tx, trailOf(request), {
          action: 'event_type.deleted',
          organizationId,
          actorId,
          targetId: null,
          details: { type },
        })
      })
      return reply.code(204).send(null)
    },
  )
}

function changed(before: KnownType, { description, schema, example }: Static<typeof Change>): KnownType {
  return {
    ...before,
    description: description ?? before.description,
    schema: schema ?? before.schema,
    example: example ?? before.example,
  }
}

/**
 * An organization's own type, locked until the transaction ends.
 * @throws ApiError ENTITY_NOT_FOUND; FORBIDDEN for a built-in type
 */
async function lockOwnType(tx: Tx, organizationId: Id<'organization'>, type: string): Promise<KnownType> {
  await lockEventTypes(tx, organizationId)
  const known = await findEventType(tx, organizationId, type)
  if (known === undefined) throw notFound('type', type)
  if (known.owner === null) throw new ApiError('FORBIDDEN', { reason: 'built_in_event_type' })
  return known
}
