import { fromIso, type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, idFloor, newId } from '../../core/id.ts'
import { afterCommit, type Db } from '../../db/database.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cancelReplays, insertReplay } from '../../delivery/store/replay-row.ts'
import { selectSources } from '../../delivery/store/replay-step.ts'
import { windowsOf } from '../../delivery/store/windows.ts'
import { callerOf } from '../../http/principal.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { View } from '../../live/kinds.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook, holdWebhook } from '../endpoints/webhook-wire.ts'

type Replay = Tables['replay']

const ReplaySchema = Type.Object({
  id: Type.String(),
  webhookId: Type.String(),
  status: Type.String({ enum: ['running', 'completed', 'cancelled'] }),
  filter: Type.String({ enum: ['failed', 'delivered', 'all'] }),
  since: Moment,
  until: Moment,
  total: Type.Integer({
    description:
      'How many there were to make when it began; more where others have come to have the status since.',
  }),
  replayed: Type.Integer({
    description: 'How many are made: fewer in the end where some have recovered meanwhile.',
  }),
  createdAt: Moment,
  updatedAt: Moment,
})

function toWire(row: Replay): Static<typeof ReplaySchema> {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    status: row.status,
    filter: row.filter,
    since: toIso(row.since),
    until: toIso(row.until),
    total: row.total,
    replayed: row.replayed,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

/** Replays as readers of the live stream are shown them. */
export const replayView: View = {
  kind: 'replay',
  async show(db, ids) {
    const rows = await db
      .selectFrom('replay')
      .selectAll()
      .where('id', 'in', ids as Id<'replay'>[])
      .execute()
    return rows.map((row) => ({
      ...{ id: row.id, organization_id: row.organization_id, about: row.webhook_id },
      data: toWire(row),
    }))
  },
}

/**
 * Replay: a durable job that makes deliveries of a time again, each as a new delivery with the full schedule: one for
 * each event whose newest delivery to the webhook is one of those that are asked for, samples left out.
 *
 * running --all made--> completed
 * running --DELETE--> cancelled; what was made stays
 */
export function replayRoutes(server: Server, { config, database, once, dispatch }: WebhookDeps): void {
  server.post(
    '/v1/webhooks/:id/replay',
    {
      config: { access: 'administrator', module: 'webhooks', once: true },
      schema: {
        tags: ['Webhooks'],
        operationId: 'createReplay',
        summary: 'Make deliveries of a time again',
        description:
          'Makes one new delivery for each event that has a delivery of that time and status, and whose newest delivery to the webhook has that status still. What has recovered meanwhile, is on its way again or was a test is passed over.',
        params: strict({ id: IdSchema('webhook') }),
        body: strict({
          since: Moment,
          until: Type.Optional(Moment),
          status: Type.Optional(
            Type.Unsafe<Replay['filter']>(
              Type.String({ enum: ['failed', 'delivered', 'all'], default: 'failed' }),
            ),
          ),
          dryRun: Type.Optional(
            Type.Boolean({ default: false, description: 'Only tells how many there are to make.' }),
          ),
        }),
        response: {
          200: Type.Object({ matched: Type.Integer() }, { description: 'Nothing was made.' }),
          202: ReplaySchema,
        },
      },
    },
    async (request, reply) => {
      const { now } = request
      const { organizationId } = callerOf(request)
      const range = readRange(request.body, now)
      const webhook = await getWebhook(database.db, organizationId, request.params.id)
      if (request.body.dryRun === true)
        return reply.code(200).send({ matched: await countSources(database.db, webhook.id, range) })
      return once(
        request,
        reply,
        async (tx, total) => {
          const row: Replay = {
            id: newId('replay', now),
            organization_id: organizationId,
            webhook_id: (await holdWebhook(tx, organizationId, webhook.id)).id,
            ...range,
            status: 'running',
            position: '',
            total,
            replayed: 0,
            created_at: now,
            updated_at: now,
          }
          await insertReplay(tx, row)
          afterCommit(tx, dispatch.poll)
          return {
            status: 202,
            body: toWire(row),
            headers: { location: `${config.web.baseUrl}/v1/replays/${row.id}` },
          }
        },
        // There may be a million to count; nobody waits for a transaction that does.
        () => countSources(database.db, webhook.id, range),
      )
    },
  )

  server.get(
    '/v1/replays/:id',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readReplay',
        summary: 'Read the progress of a replay',
        params: strict({ id: IdSchema('replay') }),
        response: { 200: ReplaySchema },
      },
    },
    async (request) =>
      toWire(await getOwned(database.db, 'replay', request.params.id, callerOf(request).organizationId)),
  )

  server.delete(
    '/v1/replays/:id',
    {
      config: { access: 'administrator', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'cancelReplay',
        summary: 'Cancel a replay',
        description: 'What it has made already stays. Cancelling one that has ended changes nothing.',
        params: strict({ id: IdSchema('replay') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await database.tx(async (tx) => {
        const { id } = await getOwned(tx, 'replay', request.params.id, callerOf(request).organizationId)
        await cancelReplays(tx, { id }, request.now)
      })
      return reply.code(204).send(null)
    },
  )
}

type Range = Pick<Replay, 'since' | 'until' | 'filter'>

/** @throws ApiError VALIDATION_FAILED */
function readRange(body: { since: string; until?: string; status?: Replay['filter'] }, now: Millis): Range {
  const since = fromIso(body.since) ?? 0
  const until = Math.min(body.until === undefined ? now : (fromIso(body.until) ?? now), now)
  if (since > until)
    throw new ApiError('VALIDATION_FAILED', { field: 'since', value: body.since, reason: 'after_until' })
  return { since, until, filter: body.status ?? 'failed' }
}

async function countSources(
  db: Db,
  webhookId: Id<'webhook'>,
  { since, until, filter }: Range,
): Promise<number> {
  let total = 0
  const span = { from: idFloor('delivery', since), before: idFloor('delivery', until) }
  const wanted = { webhookId, filter, end: span.before }
  for await (const window of windowsOf(db, webhookId, span)) {
    const { count } = await selectSources(db, wanted, window)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}
