import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'

export const ByName = strict({
  name: Type.String({
    maxLength: 63,
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'Its name for the clients that fetch its deliveries, such as the name of a machine.',
    examples: ['anns-laptop'],
  }),
})

const Signature = Type.Integer({
  minimum: 0,
  maximum: 10,
  description:
    'Which signature the request had that counts: 0 that of `headers`, else the place in `previousSignatures`, from 1 on.',
})
/** Most characters of header names and values in an answer, as workers accept from a destination. */
export const MOST_HEADERS = 16 * 1024
const Headers = Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), {
  maxProperties: 100,
  propertyNames: { maxLength: 256 },
  description: 'Of the answer; 16 KiB of names and values together.',
})
const Duration = Type.Integer({
  minimum: 0,
  maximum: 3_600_000,
  description: 'How long the attempt took, in milliseconds; 0 unless set.',
})
const Receipt = Type.String({ maxLength: 16_384, description: 'The value from the delivery.' })

const FAILURES = ['timeout', 'dns', 'refused', 'reset', 'tls', 'invalid_answer'] as const

/** A client's report about a delivery: exactly one of `status`, `failure` and `released`. */
export const ResultSchema = strict({
  receipt: Receipt,
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'Of the answer.' })),
  headers: Type.Optional(Headers),
  bodyBase64: Type.Optional(
    Type.String({ maxLength: 24_000, description: 'The first 16 KiB of the body of the answer.' }),
  ),
  failure: Type.Optional(
    Type.Unsafe<(typeof FAILURES)[number]>(
      Type.String({ enum: [...FAILURES], description: 'Why there was no whole answer.' }),
    ),
  ),
  error: Type.Optional(Type.String({ maxLength: 300, description: 'That, in words.' })),
  released: Type.Optional(
    Type.Boolean({ description: 'True where no attempt has begun: another client may have it.' }),
  ),
  durationMs: Type.Optional(Duration),
  signature: Type.Optional(Signature),
})

export const OutcomeSchema = Type.Object({
  deliveryId: Type.String({ description: 'The delivery that the receipt came with.' }),
  outcome: Type.String({
    enum: ['delivered', 'pending', 'failed', 'released', 'lost'],
    description:
      '`pending`: another attempt follows. `lost`: the claim has ended and the report changed nothing, because the delivery was already reported, went to another client after 45 seconds, or ended. `GET /v1/deliveries/{id}` returns its current state.',
  }),
})

export const FetchedSchema = Type.Object({
  receipt: Type.String({ description: 'Send it back with the result. It is valid for one attempt.' }),
  deliveryId: Type.String({ description: 'The same for each attempt.' }),
  eventId: Type.String({ description: 'The event of the delivery, the same as in `webhook-id`.' }),
  eventType: Type.String({ description: 'The name under which the event was published.' }),
  attempt: Type.Integer({ description: '1 for the first attempt.' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The headers of the request, signed at this moment.',
  }),
  previousSignatures: Type.Array(Type.String(), {
    description:
      'Values of `x-service-signature` by retired secrets: a receiver that answers 401 or 403 is asked again with each, in the same attempt.',
  }),
  bodyBase64: Type.String({ description: 'The exact bytes that the signatures are of.' }),
  deadline: Type.String({ format: 'date-time', description: 'An answer after this moment is a timeout.' }),
})
