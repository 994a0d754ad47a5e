import { toIsoOrNull } from '../../core/clock.ts'
import { FreeObject } from '../../http/schema/free-value.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { OWN_SCHEMA } from './event-type-document.ts'
import type { KnownType } from './event-type-store.ts'

const AnyObject = Type.Object({}, { additionalProperties: true })

/** The members that an event type's owner sets, on creation and change. */
export const EventTypeFields = {
  description: Type.Optional(Type.String({ maxLength: 500 })),
  schema: Type.Optional(Type.Object({}, { additionalProperties: true, ...OWN_SCHEMA })),
  example: Type.Optional(FreeObject),
}

export const EventTypeSchema = Type.Object({
  name: Type.String(),
  description: Type.String(),
  schema: AnyObject,
  example: AnyObject,
  builtIn: Type.Boolean(),
  publishable: Type.Boolean({
    description: 'Whether `POST /v1/events` accepts it; only the platform publishes the others.',
  }),
  createdAt: Nullable(Moment),
})

/** An item of the list, which counts webhooks for all types at once. */
export const ListedEventTypeSchema = Type.Object({
  ...EventTypeSchema.properties,
  subscribers: Type.Integer({
    description: 'The number of webhooks that subscribe to it, inactive ones included.',
  }),
})

/** An event type as the API shows it. */
export function toWire(known: KnownType): Static<typeof EventTypeSchema> {
  return {
    name: known.type,
    description: known.description,
    schema: known.schema,
    example: known.example,
    builtIn: known.owner === null,
    publishable: !known.isOwnFact,
    createdAt: toIsoOrNull(known.createdAt),
  }
}
