import { apiKeyRoutes } from './access/api-keys.ts'
import { auditRoutes } from './access/audit-log.ts'
import { confirmationRoutes } from './access/confirmation.ts'
import type { AccessDeps } from './access/deps.ts'
import { createInvitationRoutes } from './access/invitation-create.ts'
import { invitationRoutes } from './access/invitations.ts'
import { magicLinkRoutes } from './access/magic-link.ts'
import { organizationRoutes } from './access/organizations.ts'
import { passwordResetRoutes } from './access/password-reset.ts'
import { sessionRoutes } from './access/session-routes.ts'
import { signInEmailRoutes } from './access/sign-in-email.ts'
import { signInSocialRoutes } from './access/sign-in-social.ts'
import { signUpRoutes } from './access/sign-up.ts'
import { tokenRoutes } from './access/token.ts'
import { balanceRoutes } from './billing/balance.ts'
import { checkoutRoutes } from './billing/checkout.ts'
import type { BillingDeps } from './billing/deps.ts'
import { findCheckoutStatus } from './billing/find-checkout.ts'
import { planRoutes } from './billing/plans.ts'
import { stripeRoutes } from './billing/stripe-route.ts'
import type { Config } from './config.ts'
import { authorizeRoutes } from './connections/authorize.ts'
import { callbackRoutes } from './connections/callback.ts'
import { connectionRoutes } from './connections/connections.ts'
import type { ConnectionDeps } from './connections/deps.ts'
import { fetchRoutes } from './connections/fetch.ts'
import { refreshRoutes } from './connections/refresh-route.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { cookiesFor } from './http/cookies.ts'
import { type HealthDeps, healthRoutes } from './http/health.ts'
import type { Server } from './http/server.ts'
import { pageRoutes } from './pages/pages.ts'
import { captureRoutes } from './webhooks/capture.ts'
import { deliveryRoutes } from './webhooks/delivery-routes.ts'
import type { WebhookDeps } from './webhooks/deps.ts'
import { eventTypeChangeRoutes } from './webhooks/event-type-change.ts'
import { eventTypeRoutes } from './webhooks/event-type-routes.ts'
import { eventRoutes } from './webhooks/events.ts'
import { inboundRoutes } from './webhooks/inbound.ts'
import { replayRoutes } from './webhooks/replay.ts'
import { statsRoutes } from './webhooks/stats.ts'
import { webhookChangeRoutes } from './webhooks/webhook-change.ts'
import { webhookTestRoutes } from './webhooks/webhook-test.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'

export interface RouteDeps {
  config: Config
  health: HealthDeps
  access: AccessDeps
  webhooks: WebhookDeps
  billing: BillingDeps
  connections: ConnectionDeps
}

/** Every route of the server, in one list. */
export function registerRoutes(
  server: Server,
  { config, health, access, webhooks, billing, connections }: RouteDeps,
): void {
  healthRoutes(server, health)
  catalogueRoutes(server)
  createInvitationRoutes(server, access)
  invitationRoutes(server, access)
  signUpRoutes(server, access)
  confirmationRoutes(server, access)
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
  eventTypeChangeRoutes(server, webhooks)
  eventRoutes(server, webhooks)
  deliveryRoutes(server, webhooks)
  replayRoutes(server, webhooks)
  statsRoutes(server, webhooks)
  planRoutes(server, billing)
  balanceRoutes(server, billing)
  checkoutRoutes(server, billing)
  stripeRoutes(server, billing)
  authorizeRoutes(server, connections)
  callbackRoutes(server, connections)
  connectionRoutes(server, connections)
  refreshRoutes(server, connections)
  fetchRoutes(server, connections)
  pageRoutes(server, {
    config,
    sessionCookie: cookiesFor(config.baseUrl).session,
    findOrder: (id, now) => findCheckoutStatus(billing.database.db, id, now),
  })
}
