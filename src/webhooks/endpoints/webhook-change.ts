import { audit, trailOf } from '../../audit/audit.ts'
import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { afterCommit, noteChanges, noteMany, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { OVERLAP, renewSecret } from '../../delivery/attempt/secrets.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { checkDestination } from '../../net/check-destination.ts'
import type { WebhookDeps } from '../deps.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { reservePath } from './reserve-path.ts'
import { checkEndpointPath, checkEvents, Fields } from './webhook-fields.ts'
import { changeUrl } from './webhook-urls.ts'
import { lockWebhook, toWebhooks, WebhookSchema } from './webhook-wire.ts'

type Webhook = Tables['webhook']

const ById = strict({ id: IdSchema('webhook') })

/**
 * Changing, pausing and deleting a webhook, and rotating its secret.
 *
 * active --PATCH paused--> paused --PATCH active--> active
 * active --destination answers 410--> disabled --PATCH active--> active
 * any --DELETE--> deleted
 *
 * Due deliveries wait while it is not active, and have 24 hours from its next activation (decisions: webhooks). Each
 * change writes one row, for any number of deliveries.
 */
export function webhookChangeRoutes(server: Server, deps: WebhookDeps): void {
  const { database, vault, once, dispatch, forgetWebhook } = deps

  server.patch(
    '/v1/webhooks/:id',
    {
      config: { access: 'webhooks:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'updateWebhook',
        summary: 'Change, pause or resume a webhook',
        params: ById,
        body: strict(
          {
            url: Type.Optional(Fields.url),
            events: Type.Optional(Fields.events),
            endpointPath: Type.Optional(Nullable(Fields.endpointPath)),
            description: Type.Optional(Nullable(Fields.description)),
            status: Type.Optional(
              Type.Unsafe<'active' | 'paused'>(Type.String({ enum: ['active', 'paused'] })),
            ),
            maxInFlight: Type.Optional(Fields.maxInFlight),
            maxPerSecond: Type.Optional(Nullable(Fields.maxPerSecond)),
          },
          { minProperties: 1 },
        ),
        response: { 200: WebhookSchema },
      },
    },
    async (request) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      if (body.events !== undefined) await checkEvents(database.db, organizationId, body.events)
      checkEndpointPath(body.endpointPath)
      if (body.url !== undefined) await checkDestination(body.url, callerOf(request).organizationId, deps)
      const work = async (tx: Tx) => {
        const before = await lockWebhook(tx, organizationId, request.params.id)
        refuseOfListener(before, body)
        await reservePath(tx, organizationId, body.endpointPath, now)
        const change: Partial<Webhook> = {
          ...(body.url === undefined ? {} : await changeUrl(tx, before, body.url)),
          ...(body.events === undefined ? {} : { events: JSON.stringify([...new Set(body.events)]) }),
          ...(body.endpointPath === undefined ? {} : { endpoint_path: body.endpointPath }),
          ...(body.description === undefined ? {} : { description: body.description }),
          ...(body.maxInFlight === undefined ? {} : { max_in_flight: body.maxInFlight }),
          ...(body.maxPerSecond === undefined ? {} : { max_per_second: body.maxPerSecond }),
          ...(body.status === undefined ? {} : statusChange(before, body.status, now)),
        }
        const after = await tx
          .updateTable('webhook')
          .set({ ...change, updated_at: now })
          .where('id', '=', before.id)
          .where('status', '!=', 'deleted')
          .returningAll()
          .executeTakeFirst()
        if (after === undefined) throw notFound('id', before.id)
        forgetWebhook(tx, after)
        noteChanges(tx, 'webhook', [after])
        // The shown status of its pending deliveries changes.
        if (after.status !== before.status) noteMany(tx, organizationId)
        if (after.status === 'active') afterCommit(tx, () => dispatch.expedite(after.id))
        await audit(tx, trailOf(request), {
          action: 'webhook.updated',
          organizationId,
          actorId,
          targetId: after.id,
          details: { changed: Object.keys(body).join(' '), status: after.status },
        })
        const [wire] = await toWebhooks(tx, [after], now)
        return wire as NonNullable<typeof wire>
      }
      return database.tx(work).catch((error: unknown) => {
        // The path is the only unique value of a webhook: another request has taken it since.
        if (!database.isUniqueViolation(error)) throw error
        throw new ApiError('DUPLICATE', { field: 'endpointPath', value: body.endpointPath })
      })
    },
  )

  server.delete(
    '/v1/webhooks/:id',
    {
      config: { access: 'webhooks:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description:
          'Its pending deliveries fail with the reason `webhook_deleted`; the record of the others stays.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId, actorId } = callerOf(request)
      await database.tx(async (tx) => {
        const webhook = await lockWebhook(tx, organizationId, request.params.id)
        await deleteWebhook(tx, deps, webhook, request.now)
        await audit(tx, trailOf(request), {
          action: 'webhook.deleted',
          organizationId,
          actorId,
          targetId: webhook.id,
        })
      })
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/webhooks/:id/rotate-secret',
    {
      config: { access: 'webhooks:write', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret',
        description:
          'Only this answer has the new `secret`. It signs from now on; the previous one stays valid for 24 hours, so a receiver that still has it is not affected.',
        params: ById,
        response: {
          200: Type.Object({ id: Type.String(), secret: Type.String(), previousSecretExpiresAt: Moment }),
        },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { organizationId, actorId } = callerOf(request)
        // The second of two concurrent rotations waits here, and then retires the first one's secret.
        const webhook = await lockWebhook(tx, organizationId, request.params.id)
        await tx
          .updateTable('webhook')
          .set({ updated_at: request.now })
          .where('id', '=', webhook.id)
          .execute()
        const secret = await renewSecret(tx, vault, webhook.id, request.now)
        forgetWebhook(tx, webhook)
        noteChanges(tx, 'webhook', [webhook])
        await audit(tx, trailOf(request), {
          action: 'webhook.secret_rotated',
          organizationId,
          actorId,
          targetId: webhook.id,
        })
        return {
          status: 200,
          body: { id: webhook.id, secret, previousSecretExpiresAt: toIso(request.now + OVERLAP) },
        }
      }),
  )
}

/** Refuses members that only webhooks with a destination have. @throws ApiError VALIDATION_FAILED */
function refuseOfListener(
  { listener }: Webhook,
  body: { url?: string; status?: string; maxInFlight?: number; maxPerSecond?: number | null },
): void {
  if (listener === null) return
  const [field] = (['url', 'maxInFlight', 'maxPerSecond'] as const).filter((name) => body[name] !== undefined)
  const refused = field ?? (body.status === 'paused' ? 'status' : undefined)
  if (refused !== undefined)
    throw new ApiError('VALIDATION_FAILED', { field: refused, value: body[refused], reason: 'listener' })
}

/** The columns that resuming or pausing changes. */
export function statusChange(before: Webhook, status: 'active' | 'paused', now: Millis): Partial<Webhook> {
  // A listener in use is stored as paused.
  const stored = before.listener === null ? status : 'paused'
  if (before.status === stored) return {}
  const change = { status: stored, disabled_reason: null, status_at: now }
  return status === 'paused' ? change : { ...change, resumed_at: now }
}
