import { DAY, HOUR, MINUTE, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Histogram, LATENCY_ERROR, percentilesOf } from '../../delivery/counts/latency-buckets.ts'
import { readTotals, startOf, sumOf } from '../../delivery/counts/read-counts.ts'
import { findLanes } from '../../delivery/queue/lane-store.ts'
import { callerOf } from '../../http/principal.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { FIRST_LIMIT } from '../../jobs/lanes/concurrency-limit.ts'
import { isUnclaimed } from '../../jobs/queue/queue-rows.ts'
import type { WebhookDeps } from '../deps.ts'
import { getWebhook } from './webhook-wire.ts'

const UNIT: Record<string, Millis> = { m: MINUTE, h: HOUR, d: DAY }
const LONGEST_WINDOW = 30 * DAY
/** The rule in JSON Schema. */
const UP_TO_30_DAYS = documented({
  pattern: '^([1-9][0-9]{0,3}m|([1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|([1-9]|[12][0-9]|30)d)$',
})

/** A duration up to 30 days: `90m`, `24h`, `7d`. @param more its default or description */
export const WindowSchema = (more: { default: string } | { description: string }) =>
  Type.String({ maxLength: 5, pattern: '^[1-9]\\d{0,3}[mhd]$', ...more, ...UP_TO_30_DAYS })

/** Percentiles of the attempts that ended deliveries, in milliseconds; null without such attempts. */
export const LatencySchema = Nullable(
  Type.Object(
    {
      p50: Type.Integer(),
      p95: Type.Integer(),
      p99: Type.Integer(),
      error: Type.Number({
        description: 'The largest relative error of each percentile.',
      }),
    },
    {
      description: `The durations of the attempts that ended deliveries, in milliseconds: estimates, each within ${100 * LATENCY_ERROR} % of the true percentile.`,
    },
  ),
)

/** The sentence about counts, for the description of every operation that returns some. */
export const HOW_COUNTED =
  'Counts are exact, and written with the deliveries: each counts at the time when it was made, as pending until it is delivered or has failed. A retry by hand and a replay make new deliveries. Samples count. Pending deliveries of a deleted webhook count as failed.'

/** `GET /v1/webhooks/{id}/stats`: counts and latencies of a webhook. */
export function statsRoutes(server: Server, { database }: Pick<WebhookDeps, 'database'>): void {
  server.get(
    '/v1/webhooks/:id/stats',
    {
      config: { access: 'webhooks:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readWebhookStats',
        summary: 'Read how a destination fares',
        description: `Deliveries by their outcome since \`from\`: the window ends with the current minute (up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. ${HOW_COUNTED}`,
        params: strict({ id: IdSchema('webhook') }),
        querystring: strict({
          window: Type.Optional(WindowSchema({ default: '24h' })),
        }),
        response: {
          200: Type.Object({
            windowMs: Type.Integer(),
            from: Moment,
            deliveries: Type.Object({
              pending: Type.Integer(),
              delivered: Type.Integer(),
              failed: Type.Integer(),
            }),
            successRate: Nullable(
              Type.Number({ description: 'Delivered of all that ended; null when none did.' }),
            ),
            latencyMs: LatencySchema,
            oldestPendingAt: Nullable(Moment),
            inFlight: Type.Object({
              level: Type.Integer({
                description: 'The current concurrency limit, at most `maxInFlight`; up to 10 s old.',
              }),
              parkedAt: Nullable(Moment),
            }),
          }),
        },
      },
    },
    async (request) => {
      const { db } = database
      const windowMs = readWindow(request.query.window ?? '24h')
      const webhook = await getWebhook(db, callerOf(request).organizationId, request.params.id)
      const from = startOf(windowMs, request.now)
      const whose = { organizationId: webhook.organization_id, webhookId: webhook.id }
      const all = await readTotals(db, whose, { start: from, width: windowMs, count: 1 })
      const { pending, delivered, failed, durations } = sumOf(all)
      const oldest = await db
        .selectFrom('delivery')
        .select(({ fn }) => fn.min('due_at').as('due_at'))
        .where('webhook_id', '=', webhook.id)
        .where(isUnclaimed({ table: 'delivery' }))
        .executeTakeFirst()
      const lane = (await findLanes(db, [webhook.id], request.now)).get(webhook.id)
      return {
        windowMs,
        from: toIso(from),
        deliveries: { pending, delivered, failed },
        successRate: delivered + failed === 0 ? null : delivered / (delivered + failed),
        latencyMs: toLatency(durations),
        oldestPendingAt: toIsoOrNull(oldest?.due_at ?? null),
        inFlight: {
          level: Math.min(lane?.level ?? FIRST_LIMIT, webhook.max_in_flight),
          parkedAt: toIsoOrNull(lane?.parkedAt ?? null),
        },
      }
    },
  )
}

/** @throws ApiError VALIDATION_FAILED */
export function readWindow(text: string, field = 'window'): Millis {
  const window = Number(text.slice(0, -1)) * (UNIT[text.slice(-1)] ?? 0)
  if (window > LONGEST_WINDOW)
    throw new ApiError('VALIDATION_FAILED', { field, value: text, reason: 'at_most_30d' })
  return window
}

/** The percentiles of a histogram of durations. */
export function toLatency(durations: Histogram) {
  const percentiles = percentilesOf(durations)
  return percentiles === null ? null : { ...percentiles, error: LATENCY_ERROR }
}
