import type { AddressInfo } from 'node:net'
import { type Logger, pino } from 'pino'
import { createAuthenticator } from './access/sessions/authenticate.ts'
import { ownTrail } from './audit/audit.ts'
import { checkPlansInUse } from './billing/plans/plans-in-use.ts'
import type { Config } from './config/config.ts'
import { freeClaims } from './connections/refresh.ts'
import { expireOver } from './connections/settle.ts'
import { type Clock, type Millis, SECOND, sleep } from './core/clock.ts'
import type { Vault } from './core/secret.ts'
import { VERSION } from './core/version.ts'
import { isSafe } from './core/web-address.ts'
import type { Database } from './db/database.ts'
import { openapiRoutes } from './http/openapi/openapi.ts'
import { createLimiter, memoryCounter } from './http/rate-limit.ts'
import { createServer, type Server } from './http/server.ts'
import { databaseCounter } from './http/shared-counter.ts'
import type { Resolve } from './net/destination.ts'
import { createResolver } from './net/resolver.ts'
import { type HealthDeps, healthRoutes, type Readiness } from './operations/health.ts'
import { createMeasure } from './operations/measure.ts'
import { createMetrics } from './operations/metrics.ts'
import { createHousekeeping } from './operations/retention.ts'
import { endInTurn, LONGEST_WORK } from './operations/shutdown.ts'
import { registerRoutes } from './routes.ts'
import { createServices } from './services.ts'
import { openStore, proveKey } from './store/open-store.ts'
import { DATA_SCHEMAS } from './webhooks/events/event-type-document.ts'
import { EVENT_TYPES } from './webhooks/events/event-types.ts'
/** Postern, started. */
export interface App {
  server: Server
  database: Database
  vault: Vault
  /** Where it listens. */
  address: string
  /**
   * Ends intake, lets what is under way end, closes everything. It always resolves, with the names of the parts that
   * could not be ended as they should be.
   */
  stop(): Promise<string[]>
}

export interface AppOptions {
  config: Config
  clock: Clock
  log?: Logger
  /** Adds to the server before its routes; for tests that look at every answer. */
  extend?: (server: Server) => void
  /** Is told that the store cannot be written any more: the process must end, as if it had been killed. */
  onBroken?: (error: Error) => void
  /** Resolves the names of whoever is called; the machine's name servers unless a test knows names of its own. */
  resolve?: Resolve
}

/** Requests under way when it ends may take this long. */
const PATIENCE: Millis = 30 * SECOND

/**
 * The composition root: configuration → database → slices → server and worker.
 * @throws Error in plain words when it cannot start
 */
export async function startApp({
  config,
  clock,
  log = createLog(config),
  extend,
  onBroken = (error) => log.fatal({ err: error }, 'the store is broken'),
  resolve = createResolver({ clock }),
}: AppOptions): Promise<App> {
  const { database, vault } = await openStore({ config, clock, log, onBroken, serves: true })
  try {
    return await compose({ config, clock, log, database, vault, extend, resolve })
  } catch (error) {
    await database.close()
    throw error
  }
}

async function compose(parts: {
  config: Config
  clock: Clock
  log: Logger
  database: Database
  vault: Vault
  extend: AppOptions['extend']
  resolve: Resolve
}): Promise<App> {
  const { config, clock, log, database, vault, extend, resolve } = parts
  await database.claimServer()
  // Since it was opened, and before this claim, the key may have been changed.
  await proveKey(database, config, vault)
  await checkPlansInUse(database.db, config.plans)
  if (!isSafe(config.baseUrl)) {
    log.warn(
      { baseUrl: config.baseUrl },
      'plain http over a network: passwords and cookies can be read on the way',
    )
  }
  for (const { name, nearest } of config.misspelt)
    log.warn({ variable: name, nearest }, 'a variable that is nearly a setting, and is none')
  const metrics = createMetrics()
  const limiter = createLimiter(database.shared ? databaseCounter(database) : memoryCounter(), config.rates)
  const { access, webhooks, billing, connections, engine, mails, till, agents, hear } = await createServices({
    config,
    clock,
    log,
    database,
    vault,
    limiter,
    metrics,
    resolve,
  })
  const lag = (now: Millis) => engine?.lag(now) ?? 0
  const readiness: Readiness = { stopping: false, lag }
  const measure = createMeasure({ database, metrics, lag })
  const health: HealthDeps = { clock, database, readiness, metrics, measure }

  const server = createServer({
    baseUrl: config.baseUrl,
    allowedOrigins: config.allowedOrigins,
    trustProxy: config.trustProxy,
    clock,
    log,
    limiter,
    authenticate: createAuthenticator(access),
    plans: config.plans,
    isStopping: () => readiness.stopping,
    onFinished: (route, method, status, durationMs) =>
      metrics.requests.observe({ route, method, status: String(status) }, durationMs / 1_000),
  })
  extend?.(server)
  const isServing = config.role !== 'worker'
  if (isServing)
    openapiRoutes(server, {
      baseUrl: config.baseUrl,
      version: VERSION,
      events: [...EVENT_TYPES],
      schemas: DATA_SCHEMAS,
    })
  server.after(() => {
    if (isServing) registerRoutes(server, { config, health, access, webhooks, billing, connections })
    // A supervisor asks those that only send as well.
    else healthRoutes(server, health)
  })

  const housekeeping = createHousekeeping({
    database: database.background,
    clock,
    retention: config,
    chores: [() => expireOver(connections, ownTrail(clock.now()))],
    log,
  })

  /** The requests under way end, or are cut off. */
  async function endServer(): Promise<void> {
    const cancel = clock.after(PATIENCE, () => server.server.closeAllConnections())
    await server.close()
    cancel()
  }

  async function stop(): Promise<string[]> {
    readiness.stopping = true
    if (isServing && server.server.listening) await sleep(clock, config.drain)
    return endInTurn(
      [
        // What is accepted from here on waits in the table for the next start, or for another process.
        [{ name: 'fan-out', end: () => webhooks.fanOut.stop() }],
        [
          { name: 'deliveries', end: () => engine?.stop(), patience: LONGEST_WORK },
          { name: 'mails', end: () => mails?.stop(), patience: LONGEST_WORK },
          { name: 'billing', end: () => till?.stop(), patience: LONGEST_WORK },
          { name: 'housekeeping', end: () => housekeeping.stop() },
        ],
        // It has given back what it had in hand.
        [{ name: 'notice', end: () => engine && database.notifier.notify('deliveries') }],
        [{ name: 'requests', end: endServer, patience: LONGEST_WORK }],
        agents.map((agent) => ({ name: 'calls', end: () => agent.close() })),
        [{ name: 'database', end: () => database.close() }],
      ],
      log,
    )
  }

  try {
    await freeClaims(connections)
    await server.listen({ host: config.host, port: config.port })
    await database.notifier.listen(hear)
    await engine?.start()
    webhooks.fanOut.start()
    mails?.start()
    till?.start()
    if (config.role !== 'api') housekeeping.start()
  } catch (error) {
    await stop()
    throw error
  }
  return { server, database, vault, address: addressOf(server), stop }
}

function addressOf(server: Server): string {
  const address = server.server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** One JSON line an event to standard output. */
function createLog(config: Config): Logger {
  return pino({ level: config.logLevel, base: null })
}
