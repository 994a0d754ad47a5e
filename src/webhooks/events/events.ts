import { createYielder, toIso, turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import type { Tx } from '../../db/database.ts'
import type { Fact, Published } from '../../delivery/publish/publish.ts'
import { findAmbiguity, itemTextsOf, memberTexts, textOf } from '../../http/body/json-text.ts'
import { hasKey } from '../../http/idempotency.ts'
import { callerOf } from '../../http/principal.ts'
import { FreeObject } from '../../http/schema/free-value.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { DryRunSchema, dryRun } from './dry-run.ts'
import { checkData, createSchemaLookup, publishableTypes, refuseDeep } from './event-type-store.ts'
import { unknownEventTypes } from './unknown-event-type.ts'

const AnyObject = Type.Object({}, { additionalProperties: true })
const EventBody = {
  type: Type.String({ minLength: 1, maxLength: 128, examples: ['agent.run.completed'] }),
  data: FreeObject,
}
const DeliveriesOfEvent = Type.Integer({
  description: 'The number of webhooks that get it, paused and disabled ones included.',
})

const BatchResult = Type.Object({
  id: Type.Optional(Type.String()),
  deliveries: Type.Optional(DeliveriesOfEvent),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String(), details: AnyObject })),
})

type EventDeps = Pick<
  WebhookDeps,
  'config' | 'database' | 'once' | 'publishAll' | 'publishGrouped' | 'publish' | 'publishers'
>

/** `POST /v1/events` for one event or a batch: answered after the commit (decisions: webhooks). */
export function eventRoutes(server: Server, deps: EventDeps): void {
  const { database, once, publish, publishAll, publishGrouped, publishers } = deps
  const findSchema = createSchemaLookup(database)
  /** The event types of one organization, cached for one request. */
  const typesOf = (organizationId: Id<'organization'>): Types => ({
    typeOf: publishableTypes(findSchema, organizationId),
    unknown: unknownEventTypes(database.lookups, organizationId, 'publishing'),
  })

  server.post(
    '/v1/events',
    {
      config: { access: 'events:write', also: { dryRun: 'webhooks:read' }, keepsText: true, once: true },
      bodyLimit: SIZE.eventBody,
      schema: {
        tags: ['Events'],
        operationId: 'publishEvent',
        summary: 'Publish an event',
        description:
          'After the answer the event is on disk, with one delivery for each matching webhook: `deliveries` is their number.',
        querystring: strict({
          dryRun: Type.Optional(
            Type.Boolean({
              description: 'Checks the event and names its webhooks; writes nothing.',
            }),
          ),
        }),
        body: strict(EventBody),
        response: {
          200: DryRunSchema,
          202: Type.Object({
            id: Type.String(),
            type: Type.String(),
            createdAt: Moment,
            deliveries: DeliveriesOfEvent,
          }),
        },
      },
    },
    async (request, reply) => {
      const { type, data } = request.body
      const { organizationId } = callerOf(request)
      const text = textOf(request)
      refuseDeep(data, 'data')
      const check = () => checkEvent(typesOf(organizationId), request.body, text)
      const fact = { organizationId, type, data, text: memberTexts(text).get('data') as string }
      if (request.query.dryRun === true) {
        await check()
        return reply.code(200).send(await dryRun(database, organizationId, type))
      }
      const createdAt = toIso(request.now)
      const checked = async (): Promise<Fact> => {
        await check()
        return { ...fact, publisher: await publishers.numberOf(callerOf(request)) }
      }
      if (!hasKey(request))
        return reply
          .code(202)
          .send({ type, createdAt, ...(await publishGrouped(request.now, await checked())) })
      const work = async (tx: Tx, good: Fact) => {
        return { status: 202, body: { type, createdAt, ...(await publish(tx, request.now, good)) } }
      }
      return once(request, reply, work, checked)
    },
  )

  server.post(
    '/v1/events/batch',
    {
      config: {
        ...{ access: 'events:write', keepsText: true, once: true },
        longestItem: { characters: SIZE.eventBody, instead: '{"type":"too_large","data":{}}' },
      },
      bodyLimit: SIZE.batchBody,
      schema: {
        tags: ['Events'],
        operationId: 'publishEvents',
        summary: 'Publish up to 1,000 events',
        description:
          'Each event succeeds or fails independently; the answer has one result per event, in the same order: its `id` and `deliveries`, or its `error`.',
        body: strict({ events: Type.Array(strict(EventBody), { minItems: 1, maxItems: 1_000 }) }),
        response: { 202: Type.Object({ results: Type.Array(BatchResult) }) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { events } = request.body
      const texts = itemTextsOf(request, 'events')
      const dataTexts: string[] = []
      const problems: Awaited<ReturnType<typeof problemOf>>[] = []
      const types = typesOf(organizationId)
      const nextTurn = createYielder()
      for (const [index, event] of events.entries()) {
        const text = texts[index] as string
        const problem = await problemOf(types, event, text)
        problems.push(problem)
        dataTexts.push(problem === undefined ? (memberTexts(text).get('data') as string) : '')
        // Other requests get a turn between events: a check takes as long as the schema makes it.
        await nextTurn()
      }
      const publisher = await publishers.numberOf(callerOf(request))
      return once(request, reply, async (tx) => {
        const good = events.flatMap(({ type, data }, index) => {
          const text = dataTexts[index] as string
          return problems[index] === undefined ? [{ organizationId, type, data, text, publisher }] : []
        })
        const published: Published[] = []
        for (const part of partsOf(good)) {
          const requests = part.map((fact) => ({ now: request.now, fact }))
          published.push(...(await publishAll(tx, requests)))
          await turn()
        }
        const rest = published.values()
        const results = problems.map(
          (error): Static<typeof BatchResult> => (error === undefined ? { ...rest.next().value } : { error }),
        )
        return { status: 202, body: { results } }
      })
    },
  )
}

/** Characters of events that one statement writes; other requests get a turn between statements. */
const PART = 1024 * 1024

/** Splits events into parts of about a megabyte, which are written one after the other. */
function partsOf<T extends { text: string }>(events: T[]): T[][] {
  const parts: T[][] = []
  let size = PART
  for (const event of events) {
    if (size >= PART) parts.push([])
    size = (size >= PART ? 0 : size) + event.text.length
    parts.at(-1)?.push(event)
  }
  return parts
}

interface Given {
  type: string
  data: object
}

interface Types {
  typeOf: ReturnType<typeof publishableTypes>
  unknown: ReturnType<typeof unknownEventTypes>
}

/** Events with at least this many characters get their own turn of the event loop for the check. */
const LARGE = 64 * 1024

/**
 * Checks that a type is registered and open to publishers, that the data fits its schema, and that all parsers read its
 * text alike. Deep data is refused before, because parts of the check recurse.
 * @throws ApiError VALIDATION_FAILED
 */
async function checkEvent({ typeOf, unknown }: Types, { type, data }: Given, text: string): Promise<void> {
  const isLarge = text.length > LARGE
  if (isLarge) await turn()
  const ambiguity = findAmbiguity(text)
  if (isLarge) await turn()
  if (ambiguity !== undefined) throw new ApiError('VALIDATION_FAILED', { ...ambiguity })
  const known = await typeOf(type)
  if (known === undefined) throw await unknown('type', type)
  // Receivers trust the platform's own events because no publisher can send them.
  if (known.isOwnFact)
    throw new ApiError('VALIDATION_FAILED', { field: 'type', value: type, reason: 'reserved_event_type' })
  checkData(known, data, text.length)
}

async function problemOf(types: Types, event: Given, text: string) {
  try {
    if (Buffer.byteLength(text) > SIZE.eventBody)
      throw new ApiError('VALIDATION_FAILED', { field: 'data', reason: 'too_large' })
    refuseDeep(event.data, 'data')
    await checkEvent(types, event, text)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, message: error.message, details: error.details as object }
  }
}
