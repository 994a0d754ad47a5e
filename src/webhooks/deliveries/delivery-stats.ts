import { DAY, HOUR, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { finestOf, readTotals, startOf, sumOf, type Totals } from '../../delivery/counts/read-counts.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeps } from '../deps.ts'
import { HOW_COUNTED, LatencySchema, readWindow, toLatency, WindowSchema } from '../endpoints/stats.ts'
import { readPendingCounts } from './pending-counts.ts'

const MOST_BUCKETS = 200
const BUCKET = `\`1h\` unless said, and \`1d\` where that would be more than ${MOST_BUCKETS}; quarters of an hour where the window is longer than 4 h, hours where it is longer than 95 h.`

const Outcomes = { delivered: Type.Integer(), failed: Type.Integer(), pending: Type.Integer() }

/** `GET /v1/stats/deliveries`: counts of deliveries by outcome, over time. */
export function deliveryStatsRoutes(server: Server, { database }: Pick<WebhookDeps, 'database'>): void {
  server.get(
    '/v1/stats/deliveries',
    {
      config: { access: 'deliveries:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readDeliveryStats',
        summary: 'Read how deliveries fare over time',
        description: `Deliveries by the time of their creation and their outcome, in at most ${MOST_BUCKETS} buckets; the last ends with the current minute (windows up to 4 h), quarter of an hour (up to 95 h) or hour, in UTC. ${HOW_COUNTED}`,
        querystring: strict({
          window: Type.Optional(WindowSchema({ default: '24h' })),
          bucket: Type.Optional(WindowSchema({ description: BUCKET })),
          webhookId: Type.Optional(IdSchema('webhook')),
        }),
        response: {
          200: Type.Object({
            windowMs: Type.Integer(),
            bucketMs: Type.Integer(),
            buckets: Type.Array(Type.Object({ at: Moment, ...Outcomes, latencyMs: LatencySchema })),
            totals: Type.Object(Outcomes),
            latencyMs: LatencySchema,
            backlog: Type.Object({
              pending: Type.Integer({
                description: 'All of active webhooks that have not ended, whenever they were made.',
              }),
              held: Type.Integer({ description: 'The same of webhooks that are paused or disabled.' }),
              oldestPendingAt: Nullable(Moment),
            }),
          }),
        },
      },
    },
    async (request) => {
      const { query, now } = request
      const windowMs = readWindow(query.window ?? '24h')
      const bucketMs = query.bucket === undefined ? usualBucket(windowMs) : readWindow(query.bucket, 'bucket')
      const count = Math.ceil(windowMs / bucketMs)
      const wholeMs = count * bucketMs
      if (count > MOST_BUCKETS)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'bucket',
          value: query.bucket,
          reason: 'too_many_buckets',
        })
      if (bucketMs % finestOf(wholeMs) !== 0)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'bucket',
          value: query.bucket,
          reason: finestOf(wholeMs) === HOUR ? 'whole_hours' : 'whole_quarters_of_an_hour',
        })
      const webhookId = query.webhookId === undefined ? undefined : parseId('webhook', query.webhookId)
      const whose = { organizationId: callerOf(request).organizationId, webhookId }
      const start = startOf(wholeMs, now)
      const buckets = await readTotals(database.db, whose, { start, width: bucketMs, count })
      const totals = sumOf(buckets)
      const { pending, held, oldest } = await readPendingCounts(database.db, whose)
      return {
        windowMs,
        bucketMs,
        buckets: buckets.map((bucket, index) => ({
          at: toIso(start + index * bucketMs),
          ...toOutcomes(bucket),
          latencyMs: toLatency(bucket.durations),
        })),
        totals: toOutcomes(totals),
        latencyMs: toLatency(totals.durations),
        backlog: { pending, held, oldestPendingAt: toIsoOrNull(oldest) },
      }
    },
  )
}

function usualBucket(windowMs: Millis): Millis {
  return windowMs > MOST_BUCKETS * HOUR ? DAY : HOUR
}

/** The counts in the form of the answer. */
function toOutcomes({ delivered, failed, pending }: Totals) {
  return { delivered, failed, pending }
}
