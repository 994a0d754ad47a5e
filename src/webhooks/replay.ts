import { type Static, Type } from 'typebox'
import { fromIso, type Millis, toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, idFloor, newId, parseId } from '../core/id.ts'
import { afterCommit, type Database, type Db, type Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables.ts'
import { callerOf } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { IdSchema, Moment, strict } from '../http/validation.ts'
import { again, insertDeliveries } from './again.ts'
import type { WebhookDeps } from './deps.ts'
import { getWebhook } from './webhook-wire.ts'

type Replay = Tables['replay']

const ReplaySchema = Type.Object({
  id: Type.String(),
  webhookId: Type.String(),
  status: Type.String({ enum: ['running', 'completed', 'cancelled'] }),
  filter: Type.String({ enum: ['failed', 'delivered', 'all'] }),
  since: Moment,
  until: Moment,
  total: Type.Integer(),
  replayed: Type.Integer(),
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

/**
 * Replay: a durable job that makes deliveries of a time again, each as a new delivery with the full schedule.
 *
 * running --all made--> completed
 * running --DELETE--> cancelled; what was made stays
 */
export function replayRoutes(server: Server, { config, database, once, look }: WebhookDeps): void {
  server.post(
    '/v1/webhooks/:id/replay',
    {
      config: { access: 'administrator', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        summary: 'Make deliveries of a time again',
        params: strict({ id: IdSchema('webhook') }),
        body: strict({
          since: Moment,
          until: Type.Optional(Moment),
          status: Type.Optional(
            Type.Unsafe<Replay['filter']>(
              Type.String({ enum: ['failed', 'delivered', 'all'], default: 'failed' }),
            ),
          ),
        }),
        response: { 202: ReplaySchema },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const { body, now } = request
        const webhook = await getWebhook(tx, callerOf(request).organizationId, request.params.id)
        const since = fromIso(body.since) ?? 0
        const until = Math.min(body.until === undefined ? now : (fromIso(body.until) ?? now), now)
        if (since > until)
          throw new ApiError('VALIDATION_FAILED', {
            field: 'since',
            value: body.since,
            reason: 'after_until',
          })
        const filter = body.status ?? 'failed'
        const { count } = await selectSources(tx, webhook.id, { since, until, filter, position: '' })
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
        const row: Replay = {
          id: newId('replay', now),
          organization_id: webhook.organization_id,
          webhook_id: webhook.id,
          since,
          until,
          filter,
          status: 'running',
          position: '',
          total: Number(count),
          replayed: 0,
          created_at: now,
          updated_at: now,
        }
        await tx.insertInto('replay').values(row).execute()
        afterCommit(tx, look)
        return {
          status: 202,
          body: toWire(row),
          headers: { location: `${config.baseUrl}/v1/replays/${row.id}` },
        }
      }),
  )

  server.get(
    '/v1/replays/:id',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        summary: 'Read the progress of a replay',
        params: strict({ id: IdSchema('replay') }),
        response: { 200: ReplaySchema },
      },
    },
    async (request) =>
      toWire(await getReplay(database.db, callerOf(request).organizationId, request.params.id)),
  )

  server.delete(
    '/v1/replays/:id',
    {
      config: { access: 'administrator', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        summary: 'Cancel a replay',
        description: 'What it has made already stays. Cancelling one that has ended changes nothing.',
        params: strict({ id: IdSchema('replay') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await database.tx(async (tx) => {
        const { id } = await getReplay(tx, callerOf(request).organizationId, request.params.id)
        await tx
          .updateTable('replay')
          .set({ status: 'cancelled', updated_at: request.now })
          .where('id', '=', id)
          .where('status', '=', literal('running'))
          .execute()
      })
      return reply.code(204).send(null)
    },
  )
}

/** @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND */
async function getReplay(db: Db | Tx, organizationId: Id<'organization'>, text: string): Promise<Replay> {
  const id = parseId('replay', text)
  const row = await db
    .selectFrom('replay')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'id', value: id })
  return row
}

type Range = Pick<Replay, 'since' | 'until' | 'filter' | 'position'>

/** The ended deliveries of a time that come after `position`; ids are ordered by time. */
function selectSources(db: Db | Tx, webhookId: Id<'webhook'>, { since, until, filter, position }: Range) {
  const from = idFloor('delivery', since)
  const statuses: Tables['delivery']['status'][] = filter === 'all' ? ['delivered', 'failed'] : [filter]
  return db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where('id', '>', (position > from ? position : from) as Id<'delivery'>)
    .where('id', '<', idFloor('delivery', until))
    .where('status', 'in', statuses)
}

/** Deliveries made again in one step: small, so that nobody waits for it. */
const STEP = 500

/** What a step of the running replays did. */
export interface ReplayStep {
  /** Webhooks that have new deliveries; while there are any, there may be more to do. */
  webhooks: Id<'webhook'>[]
}

/**
 * One step of each running replay. The position moves in the transaction that makes the deliveries, so that a
 * crash neither loses nor repeats any.
 */
export async function stepReplays(database: Database, now: Millis): Promise<ReplayStep> {
  const running = await database.db
    .selectFrom('replay')
    .select('id')
    .where('status', '=', literal('running'))
    .orderBy('id')
    .limit(20)
    .execute()
  const webhooks: Id<'webhook'>[] = []
  for (const { id } of running) {
    const webhookId = await database.tx((tx) => stepReplay(tx, database, id, now))
    if (webhookId !== undefined) webhooks.push(webhookId)
  }
  return { webhooks }
}

async function stepReplay(
  tx: Tx,
  { skipLocked }: Database,
  id: Id<'replay'>,
  now: Millis,
): Promise<Id<'webhook'> | undefined> {
  const replay = await tx
    .selectFrom('replay')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', literal('running'))
    .$call(skipLocked)
    .executeTakeFirst()
  if (replay === undefined) return undefined
  const sources = await selectSources(tx, replay.webhook_id, replay)
    .selectAll()
    .orderBy('id')
    .limit(STEP)
    .execute()
  const last = sources.at(-1)
  if (last === undefined) {
    await tx
      .updateTable('replay')
      .set({ status: 'completed', updated_at: now })
      .where('id', '=', id)
      .execute()
    return undefined
  }
  await insertDeliveries(
    tx,
    sources.map((source) => again(source, now)),
  )
  await tx
    .updateTable('replay')
    .set({ position: last.id, replayed: replay.replayed + sources.length, updated_at: now })
    .where('id', '=', id)
    .execute()
  return replay.webhook_id
}
