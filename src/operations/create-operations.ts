import { sleep } from '../core/clock.ts'
import { isSecureUrl } from '../core/text/secure-url.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import { type HealthDeps, healthRoutes, type Readiness } from './health.ts'
import { createMeasure, type Measured } from './measure.ts'
import { createMetricsPush } from './push-metrics.ts'
import { createReadMetrics } from './read-metrics.ts'
import { createHousekeeping } from './retention.ts'

/** Health, metrics, retention and shutdown of the server. */
interface Operations {
  routes: (server: Server) => void
  /** Called after every request. */
  onFinished: (route: string, method: string, status: number, durationMs: number) => void
  isStopping: () => boolean
  start: () => void
  /** Sets `/readyz` to 503 and waits, so that a load balancer stops sending requests. */
  drain: (isListening: boolean) => Promise<void>
  stop: () => Promise<void>
}

interface OperationsParts extends Measured {
  /** Periodic work of the slices. */
  chores: (() => Promise<void>)[]
}

/** Ties the parts together; nothing runs before `start`. */
export function createOperations(shared: Shared, { chores, ...measured }: OperationsParts): Operations {
  const { config, clock, log, database, metrics, telemetry } = shared
  const readiness: Readiness = { stopping: false, lag: measured.lag }
  const measure = createMeasure(shared, measured)
  const readMetrics = createReadMetrics({ ...shared, measure })
  const health: HealthDeps = { clock, database, readiness, metrics: readMetrics }
  const housekeeping = createHousekeeping({
    database: database.background,
    clock,
    retention: config.operations,
    chores,
    log,
  })
  const pushing =
    telemetry?.metrics && createMetricsPush(telemetry.metrics, { clock, log, metrics: readMetrics })
  return {
    routes: (server) => healthRoutes(server, health),
    onFinished(route, method, status, durationMs) {
      metrics.requests.observe({ route, method, status: String(status) }, durationMs / 1_000)
      if (status === 500) metrics.errors.inc()
    },
    isStopping: () => readiness.stopping,
    start() {
      if (config.role !== 'api') housekeeping.start()
      pushing?.start()
    },
    async drain(isListening) {
      readiness.stopping = true
      if (isListening) await sleep(clock, config.operations.drain)
    },
    async stop() {
      await Promise.all([housekeeping.stop(), pushing?.stop()])
    },
  }
}

/** Logs settings that are allowed but probably unintended. */
export function warnOf({ config, log }: Pick<Shared, 'config' | 'log'>): void {
  if (!isSecureUrl(config.web.baseUrl))
    log.warn(
      { baseUrl: config.web.baseUrl },
      'plain http over a network: passwords and cookies can be read on the way',
    )
  if (config.store.databaseUrl !== undefined && config.blobs.s3 === undefined)
    log.warn({}, 'the bytes of files are in a folder of this machine: several processes need BLOBS_URL')
  if (config.mail.smtpUrl === undefined && config.role !== 'api')
    log.info({}, 'no SMTP_URL: mails are kept; read them with `npx postern mail`')
  for (const { name, nearest } of config.misspelt)
    log.warn({ variable: name, nearest }, 'a variable that is nearly a setting, and is none')
}
