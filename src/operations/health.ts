import { sql } from 'kysely'
import { type Clock, type Millis, SECOND, sleep, toIso } from '../core/clock.ts'
import type { Database } from '../db/database.ts'
import { plainSerializer } from '../http/schema/serializer.ts'
import { Type } from '../http/schema/type.ts'
import { ofType } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import type { ReadMetrics } from './read-metrics.ts'

/** Whether the process accepts traffic; the first SIGTERM sets it to false. */
export interface Readiness {
  stopping: boolean
  /** The delay of the oldest due delivery, in milliseconds. */
  lag: (now: Millis) => Millis
}

/** A database that needs longer for an empty query counts as unreachable. */
const PATIENCE: Millis = 2 * SECOND
/** The result of the query is cached for this time, which makes a rate limit unnecessary. */
const FRESH: Millis = SECOND

/** The largest delay of a healthy process. */
const TOLERATED_LAG: Millis = 60_000

const Checks = Type.Object({
  status: Type.String(),
  checks: Type.Object({
    database: Type.String(),
    databaseHost: Type.Optional(Type.String()),
    deliveries: Type.String(),
  }),
})

export interface HealthDeps {
  clock: Clock
  database: Database
  readiness: Readiness
  metrics: ReadMetrics
}

/**
 * `/livez`, `/readyz` and `/metrics` (decisions: conventions). The first two have no rate: a limit that several processes share is
 * counted in the database, and without one `/livez` must still answer.
 */
export function healthRoutes(server: Server, { clock, database, readiness, metrics }: HealthDeps): void {
  let asked: { at: Millis; answers: Promise<boolean> } | undefined

  function answers(now: Millis): Promise<boolean> {
    if (asked !== undefined && now >= asked.at && now - asked.at < FRESH) return asked.answers
    // A reserved connection answers although all others are in use.
    const query = sql`select 1 as one`.execute(database.reserved.db).then(
      () => true,
      () => false,
    )
    asked = { at: now, answers: Promise.race([query, sleep(clock, PATIENCE).then(() => false)]) }
    return asked.answers
  }

  server.get(
    '/livez',
    {
      config: { access: 'public', ownRate: true },
      serializerCompiler: plainSerializer,
      schema: {
        tags: ['Health'],
        operationId: 'checkLiveness',
        summary: 'Whether the process lives',
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    async () => ({ status: 'ok' }),
  )
  server.get(
    '/readyz',
    {
      config: { access: 'public', ownRate: true },
      serializerCompiler: plainSerializer,
      schema: {
        tags: ['Health'],
        operationId: 'checkReadiness',
        summary: 'Whether the process should get traffic',
        response: { 200: Checks, 503: Checks },
      },
    },
    async (request, reply) => {
      const databaseOk = await answers(request.now)
      const lag = readiness.lag(request.now)
      const host = database.host()
      const checks = {
        database: databaseOk ? 'ok' : 'failed',
        ...(host && { databaseHost: `${host.place} of ${host.of}, since ${toIso(host.since)}` }),
        deliveries: lag <= TOLERATED_LAG ? 'ok' : `${Math.round(lag / 1_000)} s late`,
      }
      const status = readiness.stopping ? 'stopping' : databaseOk ? 'ok' : 'failed'
      // A late queue does not fail readiness, because fewer processes would make it later.
      void reply.code(status === 'ok' ? 200 : 503)
      return { status, checks }
    },
  )
  server.get(
    '/metrics',
    {
      config: { access: 'operator' },
      schema: {
        tags: ['Health'],
        operationId: 'readMetrics',
        summary: 'Prometheus metrics',
        response: { 200: ofType('text/plain', Type.String()) },
      },
    },
    async (request, reply) => {
      void reply.type(metrics.contentType)
      return metrics.text(request.now)
    },
  )
}
