import { Ajv, type ValidateFunction } from 'ajv'
import { Type } from 'typebox'
import { toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { SIZE } from '../core/limits.ts'
import { callerOf } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { issuesOf, Moment, strict } from '../http/validation.ts'
import type { WebhookDeps } from './deps.ts'
import { EVENT_TYPES } from './event-types.ts'

const ajv = new Ajv({ allErrors: true, verbose: true, strict: false })
const validators = new Map<string, ValidateFunction>()

/** `POST /v1/events`: tells the organization's webhooks that something happened; answered after the commit. */
export function eventRoutes(server: Server, { once, publish }: Pick<WebhookDeps, 'once' | 'publish'>): void {
  server.post(
    '/v1/events',
    {
      config: { access: 'administrator' },
      bodyLimit: SIZE.eventBody,
      schema: {
        tags: ['Events'],
        summary: 'Publish an event',
        description:
          'Once this is answered the event is on disk, and so is its delivery to each matching webhook.',
        body: strict({
          type: Type.String({ minLength: 1, maxLength: 128, examples: ['agent.run.completed'] }),
          data: Type.Object({}, { additionalProperties: true }),
        }),
        response: {
          202: Type.Object({
            id: Type.String(),
            type: Type.String(),
            createdAt: Moment,
            deliveries: Type.Integer(),
          }),
        },
      },
    },
    (request, reply) => {
      const { type, data } = request.body
      checkData(type, data)
      return once(request, reply, async (tx) => {
        const { id, deliveries } = await publish(tx, request.now, {
          organizationId: callerOf(request).organizationId,
          type,
          data,
        })
        return { status: 202, body: { id, type, createdAt: toIso(request.now), deliveries } }
      })
    },
  )
}

/**
 * Checks that a type is known, open to publishers, and that its data is as its schema says.
 * @throws ApiError VALIDATION_FAILED
 */
function checkData(type: string, data: object): void {
  const known = EVENT_TYPES.find((candidate) => candidate.type === type)
  if (known === undefined)
    throw new ApiError('VALIDATION_FAILED', { field: 'type', value: type, reason: 'unknown_event_type' })
  // The platform's own facts are believed because nobody else can tell them.
  if (known.isOwnFact)
    throw new ApiError('VALIDATION_FAILED', { field: 'type', value: type, reason: 'reserved_event_type' })
  let validate = validators.get(type)
  if (validate === undefined) {
    validate = ajv.compile(known.schema)
    validators.set(type, validate)
  }
  if (validate(data)) return
  const issues = issuesOf(validate.errors ?? [], '').map((issue) => ({
    ...issue,
    code: 'VALIDATION_FAILED' as const,
    field: ['data', issue.field].filter((part) => part !== '').join('.'),
  }))
  const [first] = issues
  throw new ApiError('VALIDATION_FAILED', {
    field: first?.field ?? 'data',
    ...(first !== undefined && 'value' in first ? { value: first.value } : {}),
    issues,
  })
}
