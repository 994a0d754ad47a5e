import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { DESTINATION_PATTERN } from '../../net/destination.ts'
import { findEventType } from '../events/event-type-store.ts'
import { unknownEventTypes } from '../events/unknown-event-type.ts'

/** Names of routes under `/v1/webhooks/`, present or reserved. */
const RESERVED_PATHS = [
  'preview',
  'test',
  'stats',
  'events',
  'deliveries',
  'captures',
  'replay',
  'replays',
  'rotate-secret',
  'retry',
  'inbound',
]

const LIKE_AN_ID = '^[0-9a-f]{8}-[0-9a-f]{4}-'

/** The default limit of attempts in flight (decisions: webhooks); the engine adapts the level below it. */
export const DEFAULT_IN_FLIGHT = 256

/** The members that a webhook's owner sets, on creation and change. */
export const Fields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    examples: ['https://example.com/hooks'],
    ...documented({ pattern: DESTINATION_PATTERN }),
  }),
  events: Type.Array(Type.String({ maxLength: 128 }), {
    minItems: 1,
    maxItems: 100,
    description: 'Event types, or `*` for every one.',
    examples: [['agent.run.completed']],
  }),
  endpointPath: Type.String({
    maxLength: 64,
    pattern: '^[a-z0-9][a-z0-9-]{2,63}$',
    description: 'Opens `POST /v1/webhooks/{endpointPath}` to external systems.',
    ...documented({ not: { anyOf: [{ enum: RESERVED_PATHS }, { pattern: LIKE_AN_ID }] } }),
  }),
  description: Type.String({ maxLength: 500 }),
  maxInFlight: Type.Integer({
    minimum: 1,
    maximum: 256,
    description:
      `The most concurrent attempts; ${DEFAULT_IN_FLIGHT} by default. ` +
      'Below it as many are made as are answered well, and no slower than usual.',
  }),
  maxPerSecond: Type.Number({
    minimum: 0.1,
    maximum: 10_000,
    description:
      'The most calls per second to the destination. Deliveries that wait for this limit are neither late nor failed.',
  }),
}

/** @throws ApiError VALIDATION_FAILED for the first unregistered type */
export async function checkEvents(
  db: Db,
  organizationId: Id<'organization'>,
  events: string[],
): Promise<void> {
  for (const [index, type] of events.entries()) {
    if (type === '*' || (await findEventType(db, organizationId, type)) !== undefined) continue
    throw await unknownEventTypes(db, organizationId, 'subscribing')(`events.${index}`, type)
  }
}

/** @throws ApiError VALIDATION_FAILED where the path would hide another route, or looks like an id */
export function checkEndpointPath(path: string | null | undefined): void {
  if (path === undefined || path === null) return
  const looksLikeId = new RegExp(LIKE_AN_ID).test(path)
  if (!RESERVED_PATHS.includes(path) && !looksLikeId) return
  throw new ApiError('VALIDATION_FAILED', { field: 'endpointPath', value: path, reason: 'reserved' })
}
