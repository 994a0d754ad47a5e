import { DAY, HOUR, MINUTE, type Millis, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, idFloor } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { QUEUE } from '../../delivery/store/claim.ts'
import { findLane } from '../../delivery/store/lane-store.ts'
import { EVER, type Window, windowsOf } from '../../delivery/store/windows.ts'
import { callerOf } from '../../http/principal.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { findShare } from '../../jobs/rows/share-store.ts'
import { FIRST_LIMIT } from '../../jobs/turns/level.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook } from './webhook-wire.ts'

const UNIT: Record<string, Millis> = { m: MINUTE, h: HOUR, d: DAY }
const LONGEST_WINDOW = 30 * DAY
/** In words of JSON Schema. */
const UP_TO_30_DAYS = documented({
  pattern: '^([1-9][0-9]{0,3}m|([1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|([1-9]|[12][0-9]|30)d)$',
})

/** A time up to 30 days: `90m`, `24h`, `7d`. @param more what the document says of it beside */
export const WindowSchema = (more: { default: string } | { description: string }) =>
  Type.String({ maxLength: 5, pattern: '^[1-9]\\d{0,3}[mhd]$', ...more, ...UP_TO_30_DAYS })

/** Attempts that latency is told from: the newest, so that the answer costs the same however much was sent. */
const SAMPLE = 1_000

/** That an organization has used up its share, where it is told. */
export const ShareSchema = Nullable(
  Type.Object(
    {
      places: Type.Integer({
        minimum: 0,
        description: 'Attempts at once that it may have while others have what they do.',
      }),
      held: Type.Integer({
        minimum: 0,
        description:
          'Attempts that are under way. Webhooks that are new or failed last may have half of the places together.',
      }),
      waiting: Type.Integer({
        minimum: 1,
        description: 'Deliveries next in turn that wait for nothing else; more may wait behind them.',
      }),
    },
    {
      description:
        "The organization's share of the attempts at once, while deliveries wait for it; null while none does. Up to 10 s old.",
    },
  ),
)

/** `GET /v1/webhooks/{id}/stats`: how a destination fares. */
export function statsRoutes(server: Server, { database }: Pick<WebhookDeps, 'database'>): void {
  server.get(
    '/v1/webhooks/:id/stats',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readWebhookStats',
        summary: 'Read how a destination fares',
        description: `Deliveries of the time window by outcome; latencies of its newest ${SAMPLE} attempts.`,
        params: strict({ id: IdSchema('webhook') }),
        querystring: strict({
          window: Type.Optional(WindowSchema({ default: '24h' })),
        }),
        response: {
          200: Type.Object({
            windowMs: Type.Integer(),
            deliveries: Type.Object({
              pending: Type.Integer(),
              delivered: Type.Integer(),
              failed: Type.Integer(),
            }),
            successRate: Nullable(
              Type.Number({ description: 'Delivered of all that ended; null when none did.' }),
            ),
            latencyMs: Nullable(
              Type.Object({ p50: Type.Integer(), p95: Type.Integer(), p99: Type.Integer() }),
            ),
            oldestPendingAt: Nullable(Moment),
            inFlight: Type.Object({
              level: Type.Integer({
                description:
                  'Attempts at once that it is trusted with at present, within `maxInFlight`; up to 10 s old.',
              }),
              parkedAt: Nullable(Moment),
            }),
            share: ShareSchema,
          }),
        },
      },
    },
    async (request) => {
      const { db } = database
      const windowMs = readWindow(request.query.window ?? '24h')
      const webhook = await getWebhook(db, callerOf(request).organizationId, request.params.id)
      const from = idFloor('delivery', request.now - windowMs)
      const { pending, delivered, failed } = await countByStatus(db, webhook.id, { ...EVER, from })
      const durations = await newestDurations(db, webhook.id, from)
      const oldest = await db
        .selectFrom('delivery')
        .select(({ fn }) => fn.min('due_at').as('due_at'))
        .where('webhook_id', '=', webhook.id)
        .where('status', '=', literal('pending'))
        .where('claim_id', 'is', null)
        .executeTakeFirst()
      const lane = await findLane(db, webhook.id, request.now)
      return {
        windowMs,
        deliveries: { pending, delivered, failed },
        successRate: delivered + failed === 0 ? null : delivered / (delivered + failed),
        latencyMs: percentiles(durations),
        oldestPendingAt: toIsoOrNull(oldest?.due_at ?? null),
        inFlight: {
          level: Math.min(lane?.level ?? FIRST_LIMIT, webhook.max_in_flight),
          parkedAt: toIsoOrNull(lane?.parkedAt ?? null),
        },
        share: (await findShare(db, QUEUE, webhook.organization_id, request.now)) ?? null,
      }
    },
  )
}

/** Of the newest attempts, whether they stand in the rows of their deliveries or in their own. */
async function newestDurations(db: Db, webhookId: Id<'webhook'>, from: Id<'delivery'>): Promise<number[]> {
  const newest = db
    .selectFrom('delivery')
    .where('delivery.webhook_id', '=', webhookId)
    .where('delivery.id', '>=', from)
    .orderBy('delivery.id', 'desc')
    .limit(SAMPLE)
  const inRow = await newest
    .select(['delivery.id', 'delivery.duration_ms'])
    .where('delivery.duration_ms', 'is not', null)
    .execute()
  const apart = await newest
    .innerJoin('attempt', 'attempt.delivery_id', 'delivery.id')
    .select(['delivery.id', 'attempt.duration_ms'])
    .execute()
  return [...inRow, ...apart]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, SAMPLE)
    .map(({ duration_ms }) => duration_ms ?? 0)
}

async function countByStatus(
  db: Db,
  webhookId: Id<'webhook'>,
  span: Window,
): Promise<Record<Tables['delivery']['status'], number>> {
  const counts = { pending: 0, delivered: 0, failed: 0 }
  for await (const { from, before } of windowsOf(db, webhookId, span)) {
    const rows = await db
      .selectFrom('delivery')
      .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
      .where('webhook_id', '=', webhookId)
      .where('id', '>=', from)
      .where('id', '<', before)
      .groupBy('status')
      .execute()
    for (const { status, count } of rows) counts[status] += Number(count)
  }
  return counts
}

/** @throws ApiError VALIDATION_FAILED */
export function readWindow(text: string, field = 'window'): Millis {
  const window = Number(text.slice(0, -1)) * (UNIT[text.slice(-1)] ?? 0)
  if (window > LONGEST_WINDOW)
    throw new ApiError('VALIDATION_FAILED', { field, value: text, reason: 'at_most_30d' })
  return window
}

/** Of some durations, in milliseconds; null where there are none. */
export function percentiles(durations: number[]): { p50: number; p95: number; p99: number } | null {
  if (durations.length === 0) return null
  const sorted = [...durations].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
