import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import { type Millis, SECOND, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { type Db, noteChanges, noteMany, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Report } from '../../delivery/listening/create-listening.ts'
import { openReceipt, type Receipt } from '../../delivery/listening/receipt.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { addWebhook } from '../endpoints/add-webhook.ts'
import { recordPoll } from '../endpoints/record-poll.ts'
import { statusChange } from '../endpoints/webhook-change.ts'
import { checkEvents, DEFAULT_IN_FLIGHT, Fields } from '../endpoints/webhook-fields.ts'
import { refuseBeyondPlan } from '../endpoints/webhook-limit.ts'
import { lockWebhook, toWebhooks, WebhookSchema } from '../endpoints/webhook-wire.ts'
import { ByName, FetchedSchema, MOST_HEADERS, OutcomeSchema, ResultSchema } from './listener-fields.ts'

type Webhook = Tables['webhook']

/** Most deliveries that one request fetches, and the default. */
const [MOST_FETCHED, USUAL] = [32, 8]
const LONGEST_WAIT: Millis = 25 * SECOND

/**
 * Listeners: webhooks whose deliveries a client fetches, sends locally and reports. The client's report is the attempt
 * (architecture: the way of a delivery that is fetched).
 */
export function listenerRoutes(server: Server, deps: WebhookDeps): void {
  const { config, database, vault, forgetWebhook, listening } = deps

  server.put(
    '/v1/listeners/:name',
    {
      config: { access: 'webhooks:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'openListener',
        summary: 'Open a listener',
        description:
          'A listener is a webhook without a destination: clients fetch its deliveries, like `postern listen`. If one of this name exists, its event types are set, and it is active again if an answer 410 had disabled it. It is deleted with its waiting deliveries after 7 days without a request of a client.',
        params: ByName,
        body: strict({ events: Fields.events, description: Type.Optional(Nullable(Fields.description)) }),
        response: { 200: OpenedSchema, 201: OpenedSchema },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      await checkEvents(database.db, organizationId, request.body.events)
      const open = () => database.tx((tx) => openListener(tx, request.params.name, request))
      const opened = await open().catch((error: unknown) => {
        // Another request has opened it since.
        if (!database.isUniqueViolation(error)) throw error
        return open()
      })
      return reply.code(opened.secret === null ? 200 : 201).send(opened)
    },
  )

  async function openListener(
    tx: Tx,
    name: string,
    request: FastifyRequest & { body: { events: string[]; description?: string | null } },
  ): Promise<Static<typeof OpenedSchema>> {
    const { now, body } = request
    const { organizationId, actorId } = callerOf(request)
    const events = JSON.stringify([...new Set(body.events)])
    const known = await findListener(tx, organizationId, name)
    if (known === undefined) {
      await refuseBeyondPlan(tx, config.plans.book, organizationId)
      const made = await addWebhook(tx, deps, request, {
        id: newId('webhook', now),
        organization_id: organizationId,
        url: `listener:${name}`,
        url_version: 0,
        events,
        endpoint_path: null,
        description: body.description ?? null,
        status: 'paused',
        disabled_reason: null,
        max_in_flight: DEFAULT_IN_FLIGHT,
        max_per_second: null,
        status_at: now,
        resumed_at: null,
        listener: name,
        listened_at: null,
        created_at: now,
        updated_at: now,
      })
      return { ...made, resumed: false }
    }
    const before = await lockWebhook(tx, organizationId, known.id)
    const change = {
      events,
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(before.status === 'disabled' ? statusChange(before, 'active', now) : {}),
    }
    const resumed = before.status === 'disabled'
    const isChanged =
      resumed || before.events !== events || (change.description ?? before.description) !== before.description
    const after = isChanged ? { ...before, ...change, updated_at: now } : before
    if (isChanged) {
      await tx
        .updateTable('webhook')
        .set({ ...change, updated_at: now })
        .where('id', '=', before.id)
        .execute()
      forgetWebhook(tx, after)
      noteChanges(tx, 'webhook', [after])
      // The shown status of its pending deliveries changes.
      if (resumed) noteMany(tx, organizationId)
      await audit(tx, trailOf(request), {
        action: 'webhook.updated',
        organizationId,
        actorId,
        targetId: after.id,
        details: {
          changed: Object.keys({ ...body, ...(resumed ? { status: 'active' } : {}) }).join(' '),
          status: 'active',
        },
      })
    }
    const [wire] = await toWebhooks(tx, [after], now)
    return { ...(wire as NonNullable<typeof wire>), secret: null, resumed }
  }

  server.post(
    '/v1/listeners/:name/claims',
    {
      config: { access: 'webhooks:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'fetchDeliveries',
        summary: 'Fetch deliveries of a listener',
        description:
          'Returns due deliveries, the oldest first, and waits for the first one. The client has 45 seconds to send each delivery and report the answer; after that another client gets it, and no attempt is counted.',
        params: ByName,
        body: strict({
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: MOST_FETCHED,
              default: USUAL,
              description: 'The most deliveries to fetch; their bodies have 1 MiB together at most.',
            }),
          ),
          waitMs: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: LONGEST_WAIT,
              default: 0,
              description: 'How long to wait where none is due.',
            }),
          ),
        }),
        response: {
          200: Type.Object({
            deliveries: Type.Array(FetchedSchema, { description: 'None where none came in time.' }),
          }),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { limit = USUAL, waitMs = 0 } = request.body
      const webhook = await getListener(database.db, caller.organizationId, request.params.name)
      refuseDisabled(webhook)
      const taken = await listening.take({
        organizationId: caller.organizationId,
        webhookId: webhook.id,
        limit,
        patience: waitMs,
        // The request may have waited for long, so the transaction checks the permission again.
        check: (tx, now) => mustStillHave(tx, caller, 'webhooks:write', now),
        note: recordPoll,
        isGone: () => reply.raw.destroyed,
      })
      if (taken === undefined) {
        // The listener was deleted or disabled during the wait.
        refuseDisabled(await getListener(database.db, caller.organizationId, request.params.name))
        throw notFound('name', request.params.name)
      }
      return {
        deliveries: taken.map(({ receipt, delivery, headers, previousSignatures, deadline }) => ({
          ...{ receipt, headers, previousSignatures },
          deliveryId: delivery.id,
          eventId: delivery.event_id,
          eventType: delivery.event_type,
          attempt: delivery.attempts + 1,
          bodyBase64: Buffer.from(delivery.body).toString('base64'),
          deadline: toIso(deadline),
        })),
      }
    },
  )

  server.post(
    '/v1/listeners/:name/results',
    {
      config: { access: 'webhooks:write' },
      // Room for results with answers of 16 KiB.
      bodyLimit: 1024 * 1024,
      schema: {
        tags: ['Webhooks'],
        operationId: 'reportDeliveries',
        summary: 'Report the results of fetched deliveries',
        description:
          'The reported answer is the attempt, with the outcome and the schedule of any other delivery. A result that is sent again is `lost`, and changes nothing.',
        params: ByName,
        body: strict({
          results: Type.Array(ResultSchema, {
            minItems: 1,
            maxItems: MOST_FETCHED,
            description: 'One for each delivery.',
          }),
        }),
        response: {
          200: Type.Object({
            results: Type.Array(OutcomeSchema, { description: 'In the order of the request.' }),
          }),
        },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const webhook = await getListener(database.db, organizationId, request.params.name)
      const reports = request.body.results.map((result, index) => ({
        receipt: readReceipt(webhook, result.receipt, index),
        report: readReport(result, index),
      }))
      // All results are validated before any is settled.
      const results = []
      for (const { receipt, report } of reports)
        results.push(await listening.report(webhook, receipt, report))
      return { results }
    },
  )

  /** @throws ApiError VALIDATION_FAILED */
  function readReceipt(webhook: Webhook, text: string, index: number): Receipt {
    const receipt = openReceipt(vault, webhook.id, text)
    if (receipt !== undefined) return receipt
    const field = `results.${index}.receipt`
    throw new ApiError('VALIDATION_FAILED', { field, value: text, reason: 'receipt' })
  }
}

/** @throws ApiError FORBIDDEN */
function refuseDisabled({ status, listener }: Webhook): void {
  if (status === 'disabled') throw new ApiError('FORBIDDEN', { reason: 'listener_disabled', name: listener })
}

const OpenedSchema = Type.Intersect([
  WebhookSchema,
  Type.Object({
    secret: Nullable(
      Type.String({ description: 'Of a listener that this request has made; null where there was one.' }),
    ),
    resumed: Type.Boolean({
      description: 'Whether it was disabled, and this request has made it active again.',
    }),
  }),
])

async function findListener(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  name: string,
): Promise<Webhook | undefined> {
  return db
    .selectFrom('webhook')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('listener', '=', name)
    .where('status', '!=', 'deleted')
    .executeTakeFirst()
}

/** @throws ApiError ENTITY_NOT_FOUND */
async function getListener(db: Db, organizationId: Id<'organization'>, name: string): Promise<Webhook> {
  const found = await findListener(db, organizationId, name)
  if (found === undefined) throw notFound('name', name)
  return found
}

/** @throws ApiError VALIDATION_FAILED where it has none or several of these members */
function readReport(result: Static<typeof ResultSchema>, index: number): Report {
  const {
    status,
    failure,
    released,
    headers = {},
    bodyBase64 = '',
    error,
    durationMs = 0,
    signature = 0,
  } = result
  const said = [status, failure, released === true ? released : undefined].filter((one) => one !== undefined)
  if (said.length !== 1)
    throw new ApiError('VALIDATION_FAILED', {
      field: `results.${index}`,
      reason: 'one_of_status_failure_released',
    })
  if (failure !== undefined) return { failure, error: error ?? failure, durationMs, signature }
  if (status === undefined) return 'released'
  const size = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (size > MOST_HEADERS)
    throw new ApiError('VALIDATION_FAILED', { field: `results.${index}.headers`, reason: 'too_large' })
  return { status, headers, body: Buffer.from(bodyBase64, 'base64'), durationMs, signature }
}
