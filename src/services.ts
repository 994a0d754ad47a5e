import type { Logger } from 'pino'
import { createCredentialCache } from './access/credential-cache.ts'
import type { AccessDeps } from './access/deps.ts'
import { createPasswords } from './access/passwords.ts'
import type { MailWorker } from './access/sign-in/mail-worker.ts'
import { createMailWorker } from './access/sign-in/mail-worker.ts'
import { createSigningKeys } from './access/signing-keys.ts'
import { type BillingWorker, createBillingWorker } from './billing/billing-worker.ts'
import { type Charges, createCharges } from './billing/credits/reservations.ts'
import type { BillingDeps } from './billing/deps.ts'
import { manualPayments } from './billing/payments/payments.ts'
import { lazyStripe, stripePayments } from './billing/payments/stripe.ts'
import type { Config } from './config/config.ts'
import { redirectUriOf } from './connections/callback.ts'
import type { ConnectionDeps } from './connections/deps.ts'
import { createProvider } from './connections/provider.ts'
import { createRefresh } from './connections/refresh.ts'
import { type Clock, SECOND } from './core/clock.ts'
import { readId } from './core/id.ts'
import type { Vault } from './core/secret.ts'
import { afterCommit, type Database, type Handlers } from './db/database.ts'
import { createSend, DEADLINE, type Send } from './delivery/attempt/send.ts'
import { createTargets } from './delivery/attempt/targets.ts'
import { createAccept } from './delivery/publish/accept.ts'
import { createFanOut } from './delivery/publish/fan-out.ts'
import {
  createPublish,
  createPublishAll,
  type Handover,
  type Publish,
  type PublishAll,
} from './delivery/publish/publish.ts'
import { createSubscriptions } from './delivery/publish/subscriptions.ts'
import { createDeliveryStore } from './delivery/store/delivery-store.ts'
import { createDeliveryWorker } from './delivery/worker/delivery-worker.ts'
import type { DeliveryWorker } from './delivery/worker/worker-deps.ts'
import { createOnce } from './http/idempotency.ts'
import type { Limiter } from './http/rate-limit.ts'
import { createPlaces } from './jobs/turns/places.ts'
import { createOutbox } from './mail/outbox.ts'
import type { MailTransport } from './mail/transport.ts'
import { addressRule } from './net/address.ts'
import { type Agent, createAgent } from './net/agent.ts'
import type { Resolve } from './net/destination.ts'
import type { Metrics } from './operations/metrics.ts'
import type { WebhookDeps } from './webhooks/deps.ts'
import { disableGone } from './webhooks/endpoints/disable-gone.ts'

/** What the slices are made of, and what works in the background. */
export interface Services {
  access: AccessDeps
  webhooks: WebhookDeps
  billing: BillingDeps
  connections: ConnectionDeps
  /** Sends webhooks; undefined in a process that only serves HTTP. */
  engine: DeliveryWorker | undefined
  /** Sends mails; undefined likewise. */
  mails: MailWorker | undefined
  /** Renews credits; undefined likewise. */
  till: BillingWorker | undefined
  /** The ways out, to be closed at the end. */
  agents: Agent[]
  /** What to do when another process tells of something. */
  hear: Handlers
}

interface ServiceDeps {
  config: Config
  clock: Clock
  log: Logger
  database: Database
  vault: Vault
  limiter: Limiter
  metrics: Metrics
  resolve: Resolve
}

/** Ties the slices' parts together; nothing runs yet. */
export async function createServices(deps: ServiceDeps): Promise<Services> {
  const { config, clock, log, database, vault, limiter, metrics, resolve } = deps
  const keys = createSigningKeys({ database, vault, clock })
  const { background, notifier } = database
  const credentials = createCredentialCache(() => notifier.notify('credentials'))
  const outbox = createOutbox({ vault, configured: config.smtpUrl !== undefined })
  // The engine publishes (a destination is gone) and publishing hands over to the engine: the one knot.
  let engine: DeliveryWorker | undefined
  const handover: Handover = {
    claimFor: (webhook) => engine?.claimFor(webhook),
    accept(fresh, left) {
      const unclaimed = [...left]
      engine?.accept(fresh, unclaimed)
      // What this process has no room for, or does not send at all.
      for (const webhookId of unclaimed) notifier.notify('deliveries', webhookId)
    },
  }
  const subscriptions = createSubscriptions(database)
  const targets = createTargets({ database: background, vault })
  const fanOut = createFanOut({ database: background, handover, clock, log })
  const publishAll = counted(createPublishAll(handover, subscriptions, fanOut.nudge), metrics)
  const publish = createPublish(publishAll)
  const once = createOnce({ database, vault })
  const passwords = createPasswords(config.hashConcurrency)
  // Where the operator has sent it there is nothing to check.
  const ownAgent = createAgent({ isAllowed: () => true, resolve })
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
    agent: ownAgent,
  }
  const stripe = config.stripe && lazyStripe(config.stripe, { clock, agent: ownAgent })
  const payments = stripe === undefined ? manualPayments(config.baseUrl) : stripePayments(stripe, log)
  const billing: BillingDeps = {
    config,
    database,
    once,
    log,
    book: config.plans,
    forgetCallers: credentials.clear,
    charges: createCharges(config.plans),
    payments,
    stripe,
  }
  const isAllowed = addressRule(config.allowedNetworks)
  const agent = createAgent({ isAllowed, resolve })
  const places = createPlaces({ longest: DEADLINE })
  const send = gauged(createSend({ agent, clock }), metrics)
  const webhooks: WebhookDeps = {
    config,
    database,
    vault,
    limiter,
    once,
    publish,
    publishAll,
    accept: createAccept({ database, publishAll }),
    fanOut,
    subscriptions,
    targets,
    send,
    places,
    nudge(webhookId, first) {
      engine?.tryNow(webhookId, first)
      notifier.notify('expedited', first === undefined ? webhookId : `${webhookId} ${first}`)
    },
    look() {
      engine?.poll()
      notifier.notify('deliveries')
    },
    isAllowed,
    resolve,
  }
  engine =
    config.role === 'api'
      ? undefined
      : createDeliveryWorker({
          clock,
          store: createDeliveryStore({
            database: background,
            targets,
            onGone: (tx, job, now) => disableGone(tx, webhooks, job, now),
          }),
          send,
          places,
          log,
          shared: database.shared,
          onGivenBack: () => notifier.notify('deliveries'),
          onAttempt(outcome, durationMs, lateMs) {
            metrics.attempts.observe({ outcome }, durationMs / SECOND)
            metrics.lateness.observe(lateMs / SECOND)
          },
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
  const till =
    config.role === 'api'
      ? undefined
      : createBillingWorker({ database, book: config.plans, payments, clock, log })
  const connections = createConnections({ ...deps, publish, charges: billing.charges })
  // Who sends mails replaces this when it starts.
  outbox.nudge = () => notifier.notify('mails')
  const hear: Handlers = {
    credentials: () => credentials.forget(),
    ...(engine && hearWork(engine)),
    ...(mails && { mails: () => outbox.nudge() }),
  }
  return {
    access,
    webhooks,
    billing,
    connections,
    engine,
    mails,
    till,
    agents: [agent, connections.agent, ownAgent],
    hear,
  }
}

function createConnections(deps: ServiceDeps & { publish: Publish; charges: Charges }): ConnectionDeps {
  const { config, clock, log, database, vault, resolve, publish, charges } = deps
  const isAllowed = addressRule(config.connectionNetworks)
  const agent = createAgent({ isAllowed, resolve })
  const providers = config.connections.map((settings) => {
    const redirectUri = redirectUriOf(config.baseUrl, settings.name)
    return [settings.name, createProvider(settings, { clock, agent, redirectUri })] as const
  })
  const parts = { config, clock, log, database, vault, publish, providers: new Map(providers), agent }
  return { ...parts, refresh: createRefresh(parts), charge: charges }
}

/** Publishing, with what was committed of it counted. */
function counted(publishAll: PublishAll, { events }: Metrics): PublishAll {
  return (tx, told) => {
    afterCommit(tx, () => events.inc(told.length))
    return publishAll(tx, told)
  }
}

/** Sending, with what is under way counted. */
function gauged(send: Send, { inFlight }: Metrics): Send {
  return async (...attempt) => {
    inFlight.inc()
    try {
      return await send(...attempt)
    } finally {
      inFlight.dec()
    }
  }
}

/** What another process has written for this one to send. Anybody who can connect may say so: only ids get through. */
function hearWork(engine: DeliveryWorker): Handlers {
  return {
    deliveries(webhooks) {
      if (webhooks === undefined) engine.poll()
      for (const name of webhooks ?? []) {
        const webhookId = readId('webhook', name)
        if (webhookId !== undefined) engine.nudge(webhookId)
      }
    },
    expedited(names) {
      if (names === undefined) engine.poll()
      for (const name of names ?? []) {
        const [webhook = '', delivery = ''] = name.split(' ')
        const webhookId = readId('webhook', webhook)
        if (webhookId !== undefined) engine.tryNow(webhookId, readId('delivery', delivery))
      }
    },
  }
}

/** undefined: no mail server is configured, and nothing that speaks to one is read. */
async function openTransport({ smtpUrl, mailFrom }: Config): Promise<MailTransport | undefined> {
  if (smtpUrl === undefined) return undefined
  const { smtpTransport } = await import('./mail/transport.ts')
  return smtpTransport(smtpUrl, mailFrom)
}
