import { DAY, HOUR, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { idFloor, momentOf, parseId } from '../../core/id.ts'
import { grouped } from '../../core/text/grouped.ts'
import type { Db } from '../../db/database.ts'
import { QUEUE } from '../../delivery/store/claim.ts'
import { type ListedDelivery, newestFirst, type Whose } from '../../delivery/store/newest-first.ts'
import { EVER } from '../../delivery/store/windows.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { findShare } from '../../jobs/rows/share-store.ts'
import type { WebhookDeps } from '../deps.ts'
import { percentiles, readWindow, ShareSchema, WindowSchema } from '../endpoints/stats.ts'
import { readWaiting } from './waiting.ts'

const MOST_BUCKETS = 200
/** Deliveries that are counted for one answer: each bucket has its even part, and beyond that is estimated. */
const MOST_COUNTED = 20_000
const BUCKET = `\`1h\` unless said, and \`1d\` where that would be more than ${MOST_BUCKETS}.`

const Outcomes = { delivered: Type.Integer(), failed: Type.Integer(), pending: Type.Integer() }
const Latency = Nullable(Type.Object({ p50: Type.Integer(), p95: Type.Integer(), p99: Type.Integer() }))

/** `GET /v1/stats/deliveries`: what became of what was sent, over time. */
export function deliveryStatsRoutes(server: Server, { database }: Pick<WebhookDeps, 'database'>): void {
  server.get(
    '/v1/stats/deliveries',
    {
      config: { access: 'member', module: 'webhooks' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'readDeliveryStats',
        summary: 'Read how deliveries fare over time',
        description: `Deliveries by when they were made and what became of them, with the time that their last attempts took; at most ${MOST_BUCKETS} buckets. About ${grouped(MOST_COUNTED)} deliveries are counted, in even parts of the time: where one holds more, that is estimated from its newest, and \`estimated\` says so.`,
        querystring: strict({
          window: Type.Optional(WindowSchema({ default: '24h' })),
          bucket: Type.Optional(WindowSchema({ description: BUCKET })),
          webhookId: Type.Optional(IdSchema('webhook')),
        }),
        response: {
          200: Type.Object({
            windowMs: Type.Integer(),
            bucketMs: Type.Integer(),
            buckets: Type.Array(
              Type.Object({ at: Moment, ...Outcomes, estimated: Type.Boolean(), latencyMs: Latency }),
            ),
            totals: Type.Object({ ...Outcomes, estimated: Type.Boolean() }),
            latencyMs: Latency,
            backlog: Type.Object({
              pending: Type.Integer({ description: 'That wait to be sent or are being sent.' }),
              held: Type.Integer({ description: 'That wait for their webhook to be active.' }),
              oldestPendingAt: Nullable(Moment),
            }),
            share: ShareSchema,
          }),
        },
      },
    },
    async (request) => {
      const { query, now } = request
      const windowMs = readWindow(query.window ?? '24h')
      const bucketMs = query.bucket === undefined ? usualBucket(windowMs) : readWindow(query.bucket, 'bucket')
      const count = Math.ceil(windowMs / bucketMs)
      if (count > MOST_BUCKETS)
        throw new ApiError('VALIDATION_FAILED', {
          field: 'bucket',
          value: query.bucket,
          reason: 'too_many_buckets',
        })
      const webhookId = query.webhookId === undefined ? undefined : parseId('webhook', query.webhookId)
      const whose = { organizationId: callerOf(request).organizationId, webhookId }
      const start = now - count * bucketMs
      const slices = slicesOf(start, count, bucketMs)
      await fill(database.db, whose, slices)
      const bucketOf = ({ start: begins }: Slice) => Math.floor((begins - start + 1) / bucketMs)
      const ofBucket = Map.groupBy(slices, bucketOf)
      const buckets = Array.from({ length: count }, (_, index) => sum(ofBucket.get(index) ?? []))
      const { pending, held, oldest } = await readWaiting(database.db, whose)
      return {
        windowMs,
        bucketMs,
        buckets: buckets.map(({ durations, ...bucket }, index) => ({
          at: toIso(start + index * bucketMs),
          ...bucket,
          latencyMs: percentiles(durations),
        })),
        totals: {
          delivered: total(buckets, 'delivered'),
          failed: total(buckets, 'failed'),
          pending: total(buckets, 'pending'),
          estimated: buckets.some(({ estimated }) => estimated),
        },
        latencyMs: percentiles(buckets.flatMap(({ durations }) => durations)),
        backlog: { pending, held, oldestPendingAt: toIsoOrNull(oldest) },
        share: (await findShare(database.db, QUEUE, whose.organizationId, now)) ?? null,
      }
    },
  )
}

interface Counted {
  delivered: number
  failed: number
  pending: number
  estimated: boolean
}

function total(counted: Counted[], name: 'delivered' | 'failed' | 'pending'): number {
  return counted.reduce((sum, one) => sum + one[name], 0)
}

function usualBucket(windowMs: Millis): Millis {
  return windowMs > MOST_BUCKETS * HOUR ? DAY : HOUR
}

/** Each bucket in as many parts as there may be in all: what is estimated is estimated of a short time. */
function slicesOf(start: Millis, count: number, bucketMs: Millis): Slice[] {
  const each = Math.floor(MOST_BUCKETS / count)
  return Array.from(
    { length: count * each },
    (_, index) => new Slice(start + Math.floor((index * bucketMs) / each)),
  )
}

function sum(slices: Slice[]): Counted & { durations: number[] } {
  const shown = slices.map((slice) => slice.show())
  return {
    delivered: total(shown, 'delivered'),
    failed: total(shown, 'failed'),
    pending: total(shown, 'pending'),
    estimated: shown.some(({ estimated }) => estimated),
    durations: slices.flatMap(({ durations }) => durations),
  }
}

/** What was made in a part of the time. */
class Slice {
  readonly durations: number[] = []
  readonly start: Millis
  readonly #counts = { delivered: 0, failed: 0, pending: 0 }
  #seen = 0
  #newest: Millis = 0
  /** When the newest that was not counted was made. */
  #reached: Millis | undefined

  constructor(start: Millis) {
    this.start = start
  }

  /** @returns whether it takes more */
  add(row: ListedDelivery, most: number): boolean {
    if (this.#seen === most) {
      this.#reached = momentOf(row.id)
      return false
    }
    if (this.#seen === 0) this.#newest = momentOf(row.id)
    this.#seen += 1
    const isOrphan = row.status === 'pending' && row.webhook_status === 'deleted'
    this.#counts[isOrphan ? 'failed' : row.status] += 1
    if (row.last_duration_ms !== null) this.durations.push(row.last_duration_ms)
    return true
  }

  /** What was not counted is taken to have come as fast as what was, from the beginning of its time. */
  show(): Counted {
    const { delivered, failed, pending } = this.#counts
    if (this.#reached === undefined) return { delivered, failed, pending, estimated: false }
    const counted = Math.max(1, this.#newest - this.#reached)
    const factor = 1 + Math.max(0, this.#reached - this.start) / counted
    const scaled = (count: number) => Math.round(count * factor)
    return { delivered: scaled(delivered), failed: scaled(failed), pending: scaled(pending), estimated: true }
  }
}

/** Goes through the deliveries of the time, newest first; from a part of it that has its share on to the next. */
async function fill(db: Db, whose: Whose, slices: Slice[]): Promise<void> {
  const most = Math.ceil(MOST_COUNTED / slices.length)
  const start = slices[0]?.start ?? 0
  /** The last one that is not counted yet. */
  let last: number | undefined = slices.length - 1
  let before = EVER.before
  while (last !== undefined && last >= 0) {
    last = await countDownFrom(last)
    if (last !== undefined) before = idFloor('delivery', slices[last + 1]?.start ?? 0)
  }

  async function countDownFrom(newest: number): Promise<number | undefined> {
    let index = newest
    const span = { from: idFloor('delivery', start), before }
    for await (const rows of newestFirst(db, whose, span, most)) {
      for (const row of rows) {
        const moment = momentOf(row.id)
        while (index > 0 && moment < (slices[index]?.start ?? 0)) index -= 1
        if (slices[index]?.add(row, most) === false) return index - 1
      }
    }
    return undefined
  }
}
