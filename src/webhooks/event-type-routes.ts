import { type Static, Type } from 'typebox'
import { toIsoOrNull } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { callerOf } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { Moment, Nullable, strict } from '../http/validation.ts'
import type { WebhookDeps } from './deps.ts'
import { refuseDeep } from './depth.ts'
import { OWN_SCHEMA } from './event-type-document.ts'
import { checkSchema } from './event-type-schema.ts'
import { builtInTypes, checkData, findEventType, type KnownType } from './event-type-store.ts'

const AnyObject = Type.Object({}, { additionalProperties: true })

const EventTypeSchema = Type.Object({
  name: Type.String(),
  description: Type.String(),
  schema: AnyObject,
  example: AnyObject,
  builtIn: Type.Boolean(),
  publishable: Type.Boolean({
    description: 'Whether `POST /v1/events` takes it; the platform alone publishes the others.',
  }),
  createdAt: Nullable(Moment),
})

function toWire(known: KnownType): Static<typeof EventTypeSchema> {
  return {
    name: known.type,
    description: known.description,
    schema: known.schema,
    example: known.example,
    builtIn: known.createdAt === null,
    publishable: !known.isOwnFact,
    createdAt: toIsoOrNull(known.createdAt),
  }
}

/** Types that one organization may make. */
const MOST_TYPES = 500

/** The event types that there are, and the organization's own. */
export function eventTypeRoutes(server: Server, { config, database, once }: WebhookDeps): void {
  server.get(
    '/v1/event-types',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Events'],
        operationId: 'listEventTypes',
        summary: 'List event types',
        response: { 200: Type.Object({ data: Type.Array(EventTypeSchema), nextCursor: Type.Null() }) },
      },
    },
    async (request) => {
      const own = await database.db
        .selectFrom('event_type')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .orderBy('created_at', 'desc')
        .orderBy('name')
        .execute()
      const mine = own.map((row) =>
        toWire({
          type: row.name,
          description: row.description,
          schema: JSON.parse(row.schema) as object,
          example: JSON.parse(row.example) as object,
          isOwnFact: false,
          createdAt: row.created_at,
        }),
      )
      return { data: [...mine, ...builtInTypes().map(toWire)], nextCursor: null }
    },
  )

  server.get(
    '/v1/event-types/:type',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Events'],
        operationId: 'readEventType',
        summary: 'Read an event type',
        params: strict({ type: Type.String({ maxLength: 128 }) }),
        response: { 200: EventTypeSchema },
      },
    },
    async (request) => {
      const { type } = request.params
      const known = await findEventType(database.db, callerOf(request).organizationId, type)
      if (known === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'type', value: type })
      return toWire(known)
    },
  )

  server.post(
    '/v1/event-types',
    {
      config: { access: 'administrator', module: 'webhooks' },
      schema: {
        tags: ['Events'],
        operationId: 'createEventType',
        summary: 'Make an event type',
        description:
          'Data published under it is checked against `schema`, a JSON Schema without `pattern`, `uniqueItems` and `$ref`. A type cannot be changed: receivers rely on it.',
        body: strict({
          name: Type.String({
            pattern: '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$',
            maxLength: 128,
            examples: ['order.paid'],
          }),
          description: Type.Optional(Type.String({ maxLength: 500, default: '' })),
          schema: Type.Optional(Type.Object({}, { additionalProperties: true, ...OWN_SCHEMA })),
          example: Type.Optional(AnyObject),
        }),
        response: { 201: EventTypeSchema },
      },
    },
    (request, reply) => {
      const { body, now } = request
      const { organizationId } = callerOf(request)
      const known: KnownType = {
        type: body.name,
        description: body.description ?? '',
        schema: body.schema ?? {},
        example: body.example ?? {},
        isOwnFact: false,
        createdAt: now,
      }
      for (const member of ['schema', 'example'] as const) refuseDeep(known[member], member)
      checkSchema(known.schema)
      compileOrRefuse(known)
      if (body.example !== undefined) checkData(known, known.example, 'example')
      return once(request, reply, async (tx) => {
        const duplicate = new ApiError('DUPLICATE', { field: 'name', value: body.name })
        if ((await findEventType(tx, organizationId, body.name)) !== undefined) throw duplicate
        const { count } = await tx
          .selectFrom('event_type')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('organization_id', '=', organizationId)
          .executeTakeFirstOrThrow()
        if (Number(count) >= MOST_TYPES) throw new ApiError('FORBIDDEN', { reason: 'too_many_event_types' })
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
        return {
          status: 201,
          body: toWire(known),
          headers: { location: `${config.baseUrl}/v1/event-types/${known.type}` },
        }
      })
    },
  )
}

/** @throws ApiError VALIDATION_FAILED when the schema is none that can be used */
function compileOrRefuse(known: KnownType): void {
  try {
    checkData(known, {})
  } catch (error) {
    // That an empty object does not fit is the schema at work.
    if (error instanceof ApiError) return
    throw new ApiError('VALIDATION_FAILED', { field: 'schema', reason: 'not_a_schema' })
  }
}
