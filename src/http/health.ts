import {
  collectDefaultMetrics,
  type Histogram,
  Counter as PromCounter,
  Histogram as PromHistogram,
  Registry as PromRegistry,
  type Registry,
} from '@prometheus-io/client'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Millis } from '../core/clock.ts'
import type { Database } from '../db/database.ts'
import type { Server } from './server.ts'

/** Whether the process should be given traffic; set to false by the first SIGTERM. */
export interface Readiness {
  stopping: boolean
  /** How late the oldest due delivery is, in milliseconds. */
  lag: (now: Millis) => Millis
}

/** A healthy process keeps its deliveries this current. */
const TOLERATED_LAG: Millis = 60_000

const Checks = Type.Object({
  status: Type.String(),
  checks: Type.Object({ database: Type.String(), deliveries: Type.String() }),
})

/** `/livez`, `/readyz` and `/metrics` (decisions 1). */
export function healthRoutes(
  server: Server,
  { database, readiness, metrics }: { database: Database; readiness: Readiness; metrics: Metrics },
): void {
  server.get(
    '/livez',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Whether the process lives',
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    async () => ({ status: 'ok' }),
  )
  server.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Whether the process should get traffic',
        response: { 200: Checks, 503: Checks },
      },
    },
    async (request, reply) => {
      const databaseOk = await sql`select 1 as one`.execute(database.db).then(
        () => true,
        () => false,
      )
      const lag = readiness.lag(request.now)
      const checks = {
        database: databaseOk ? 'ok' : 'failed',
        deliveries: lag <= TOLERATED_LAG ? 'ok' : `${Math.round(lag / 1_000)} s late`,
      }
      const status = readiness.stopping ? 'stopping' : databaseOk ? 'ok' : 'failed'
      // A late queue is shown and measured; taking the process out of service would only make it later.
      void reply.code(status === 'ok' ? 200 : 503)
      return { status, checks }
    },
  )
  server.get(
    '/metrics',
    {
      config: { access: 'operator' },
      schema: { tags: ['Health'], summary: 'Prometheus metrics', response: { 200: Type.String() } },
    },
    async (_request, reply) => {
      void reply.type(metrics.registry.contentType)
      return metrics.registry.metrics()
    },
  )
}

export interface Metrics {
  registry: Registry
  requests: Histogram<'route' | 'method' | 'status'>
  attempts: Histogram<'outcome'>
  mails: PromCounter<'outcome'>
}

/** The process's metrics; one registry an app, so that several apps of one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new PromRegistry()
  collectDefaultMetrics({ register: registry, prefix: 'postern_' })
  const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]
  return {
    registry,
    requests: new PromHistogram({
      name: 'postern_http_request_duration_seconds',
      help: 'Duration of HTTP requests',
      labelNames: ['route', 'method', 'status'],
      buckets,
      registers: [registry],
    }),
    attempts: new PromHistogram({
      name: 'postern_delivery_attempt_duration_seconds',
      help: 'Duration of delivery attempts by outcome',
      labelNames: ['outcome'],
      buckets,
      registers: [registry],
    }),
    mails: new PromCounter({
      name: 'postern_mails_total',
      help: 'Mails by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    }),
  }
}
