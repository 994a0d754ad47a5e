import type { AddressInfo } from 'node:net'
import { type Logger, pino } from 'pino'
import { apiKeyRoutes } from './access/api-keys.ts'
import { auditRoutes } from './access/audit-log.ts'
import { createAuthenticator, createCredentialCache } from './access/credentials.ts'
import type { AccessDeps } from './access/deps.ts'
import { createInvitationRoutes } from './access/invitation-create.ts'
import { invitationRoutes } from './access/invitations.ts'
import { magicLinkRoutes } from './access/magic-link.ts'
import { createMailWorker } from './access/mail-worker.ts'
import { organizationRoutes } from './access/organizations.ts'
import { passwordResetRoutes } from './access/password-reset.ts'
import { createPasswords } from './access/passwords.ts'
import { sessionRoutes } from './access/session-routes.ts'
import { cookiesFor } from './access/sessions.ts'
import { signInEmailRoutes } from './access/sign-in-email.ts'
import { signInSocialRoutes } from './access/sign-in-social.ts'
import { signUpRoutes } from './access/sign-up.ts'
import { createSigningKeys } from './access/signing-keys.ts'
import { tokenRoutes } from './access/token.ts'
import { type Config, isSafe } from './config.ts'
import { type Clock, type Millis, SECOND, sleep } from './core/clock.ts'
import type { Vault } from './core/secret.ts'
import type { Database } from './db/database.ts'
import { createHousekeeping } from './housekeeping.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { createMetrics, healthRoutes, type Readiness } from './http/health.ts'
import { createOnce } from './http/idempotency.ts'
import { openapiRoutes } from './http/openapi.ts'
import { createLimiter, memoryCounter } from './http/rate-limit.ts'
import { createServer, type Server } from './http/server.ts'
import { databaseCounter } from './http/shared-counter.ts'
import { createOutbox } from './mail/outbox.ts'
import type { MailTransport } from './mail/transport.ts'
import { addressRule } from './net/address.ts'
import { createAgent } from './net/agent.ts'
import { type Resolve, systemResolve } from './net/destination.ts'
import { pageRoutes } from './pages/pages.ts'
import { openStore } from './store.ts'
import { VERSION } from './version.ts'
import { captureRoutes } from './webhooks/capture.ts'
import { deliveryRoutes } from './webhooks/delivery-routes.ts'
import { createDeliveryStore } from './webhooks/delivery-store.ts'
import type { WebhookDeps } from './webhooks/deps.ts'
import { disableGone } from './webhooks/disable.ts'
import { eventTypeRoutes } from './webhooks/event-type-routes.ts'
import { EVENT_TYPES } from './webhooks/event-types.ts'
import { eventRoutes } from './webhooks/events.ts'
import { inboundRoutes } from './webhooks/inbound.ts'
import { createPublish, type Handover } from './webhooks/publish.ts'
import { replayRoutes } from './webhooks/replay.ts'
import { createSend } from './webhooks/send.ts'
import { statsRoutes } from './webhooks/stats.ts'
import { createSubscriptions } from './webhooks/subscriptions.ts'
import { createTargets } from './webhooks/targets.ts'
import { webhookChangeRoutes } from './webhooks/webhook-change.ts'
import { webhookTestRoutes } from './webhooks/webhook-test.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'
import { createDeliveryWorker, type DeliveryWorker } from './webhooks/worker.ts'

/** Postern, started. */
export interface App {
  server: Server
  database: Database
  vault: Vault
  /** Where it listens; undefined where its role serves no HTTP. */
  address: string | undefined
  /** Ends intake, lets what is under way end, closes everything. */
  stop(): Promise<void>
}

export interface AppOptions {
  config: Config
  clock: Clock
  log?: Logger
  /** Adds to the server before its routes; for tests that look at every answer. */
  extend?: (server: Server) => void
  /** Resolves the destinations of webhooks; the system's resolver unless a test knows names of its own. */
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
  resolve = systemResolve,
}: AppOptions): Promise<App> {
  const { database, vault } = await openStore({ config, clock, log })
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
  database.claimServer()
  if (!isSafe(config.baseUrl)) {
    log.warn(
      { baseUrl: config.baseUrl },
      'plain http over a network: passwords and cookies can be read on the way',
    )
  }
  const metrics = createMetrics()
  const limiter = createLimiter(database.shared ? databaseCounter(database) : memoryCounter(), config.rates)
  const keys = createSigningKeys({ database, vault, clock })
  const credentials = createCredentialCache()
  const outbox = createOutbox({ vault, configured: config.smtpUrl !== undefined })
  // The engine publishes (a destination is gone) and publishing hands over to the engine: the one knot.
  let engine: DeliveryWorker | undefined
  const handover: Handover = {
    claimFor: (webhookId) => engine?.claimFor(webhookId),
    accept: (fresh, unclaimed) => engine?.accept(fresh, unclaimed),
  }
  const subscriptions = createSubscriptions(database)
  const targets = createTargets({ database, vault })
  const publish = createPublish(handover, subscriptions)
  const once = createOnce({ database, vault })
  const passwords = createPasswords(config.hashConcurrency)
  const access: AccessDeps = {
    config,
    clock,
    database,
    vault,
    limiter,
    once,
    outbox,
    publish,
    passwords,
    keys,
    credentials,
  }
  const isAllowed = addressRule(config.allowedNetworks)
  const agent = createAgent({ isAllowed, resolve, connectTimeout: 10_000 })
  const send = createSend({ agent, clock })
  const webhooks: WebhookDeps = {
    config,
    database,
    vault,
    limiter,
    once,
    publish,
    subscriptions,
    targets,
    send,
    nudge: (webhookId) => engine?.nudge(webhookId),
    look: () => engine?.look(),
    isAllowed,
    resolve,
  }
  engine =
    config.role === 'api'
      ? undefined
      : createDeliveryWorker({
          clock,
          store: createDeliveryStore({
            database,
            targets,
            onGone: (tx, job, now) => disableGone(tx, webhooks, job, now),
          }),
          send,
          log,
          shared: database.shared,
          onAttempt: (outcome, durationMs) => metrics.attempts.observe({ outcome }, durationMs / 1_000),
        })
  const readiness: Readiness = { stopping: false, lag: (now) => engine?.lag(now) ?? 0 }

  const server = createServer({
    baseUrl: config.baseUrl,
    allowedOrigins: config.allowedOrigins,
    trustProxy: config.trustProxy,
    clock,
    log,
    limiter,
    authenticate: createAuthenticator({ config, database, keys, credentials }),
    isStopping: () => readiness.stopping,
    onFinished: (route, method, status, durationMs) =>
      metrics.requests.observe({ route, method, status: String(status) }, durationMs / 1_000),
  })
  extend?.(server)
  openapiRoutes(server, { baseUrl: config.baseUrl, version: VERSION, events: [...EVENT_TYPES] })
  server.after(() => {
    healthRoutes(server, { database, readiness, metrics })
    catalogueRoutes(server)
    createInvitationRoutes(server, access)
    invitationRoutes(server, access)
    signUpRoutes(server, access)
    signInEmailRoutes(server, access)
    signInSocialRoutes(server, access)
    magicLinkRoutes(server, access)
    passwordResetRoutes(server, access)
    tokenRoutes(server, access)
    sessionRoutes(server, access)
    organizationRoutes(server, access)
    apiKeyRoutes(server, access)
    auditRoutes(server, access)
    webhookRoutes(server, webhooks)
    webhookChangeRoutes(server, webhooks)
    webhookTestRoutes(server, webhooks)
    captureRoutes(server, webhooks)
    inboundRoutes(server, webhooks)
    eventTypeRoutes(server, webhooks)
    eventRoutes(server, webhooks)
    deliveryRoutes(server, webhooks)
    replayRoutes(server, webhooks)
    statsRoutes(server, webhooks)
    pageRoutes(server, { config, sessionCookie: cookiesFor(config.baseUrl).session })
  })

  const mails =
    config.role === 'api'
      ? undefined
      : createMailWorker({
          access,
          log,
          transport: await openTransport(config),
          onMailOutcome: (outcome) => metrics.mails.inc({ outcome }),
        })
  const housekeeping = createHousekeeping({ database, clock, retentionDays: config.retentionDays, log })
  if (config.role === 'worker') await server.ready()
  else await server.listen({ host: config.host, port: config.port })
  await engine?.start()
  mails?.start()
  if (config.role !== 'api') housekeeping.start()

  const address = addressOf(server)
  return {
    server,
    database,
    vault,
    address,
    async stop() {
      readiness.stopping = true
      if (address !== undefined) await sleep(clock, config.drain)
      // What is accepted from here on waits in the table for the next start, or for another process.
      await engine?.stop()
      await mails?.stop()
      await housekeeping.stop()
      const cancel = clock.after(PATIENCE, () => server.server.closeAllConnections())
      await server.close()
      cancel()
      await agent.close()
      await database.close()
    },
  }
}

/** undefined: no mail server is configured, and nothing that speaks to one is read. */
async function openTransport({ smtpUrl, mailFrom }: Config): Promise<MailTransport | undefined> {
  if (smtpUrl === undefined) return undefined
  const { smtpTransport } = await import('./mail/transport.ts')
  return smtpTransport(smtpUrl, mailFrom)
}

function addressOf(server: Server): string | undefined {
  const address = server.server.address() as AddressInfo | null
  if (address === null) return undefined
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** One JSON line an event to standard output. */
function createLog(config: Config): Logger {
  return pino({ level: config.logLevel, base: null })
}
