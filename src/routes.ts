import type { AccessDeps } from './access/deps.ts'
import { apiKeyRoutes } from './access/members/api-keys.ts'
import { createInvitationRoutes } from './access/members/invitation-create.ts'
import { invitationRoutes } from './access/members/invitations.ts'
import { organizationRoutes } from './access/members/organizations.ts'
import { sessionRoutes } from './access/sessions/session-routes.ts'
import { tokenRoutes } from './access/sessions/token.ts'
import { confirmationRoutes } from './access/sign-in/confirmation.ts'
import { magicLinkRoutes } from './access/sign-in/magic-link.ts'
import { passwordResetRoutes } from './access/sign-in/password-reset.ts'
import { signInEmailRoutes } from './access/sign-in/sign-in-email.ts'
import { signUpRoutes } from './access/sign-in/sign-up.ts'
import { signInSocialRoutes } from './access/social/sign-in-social.ts'
import { auditRoutes } from './audit/audit-log.ts'
import { balanceRoutes } from './billing/balance.ts'
import { checkoutRoutes } from './billing/checkout.ts'
import type { BillingDeps } from './billing/deps.ts'
import { findCheckoutStatus } from './billing/payments/find-checkout.ts'
import { planRoutes } from './billing/plans.ts'
import { stripeRoutes } from './billing/stripe-route.ts'
import type { Config } from './config/config.ts'
import { authorizeRoutes } from './connections/authorize.ts'
import { callbackRoutes } from './connections/callback.ts'
import { connectionRoutes } from './connections/connections.ts'
import type { ConnectionDeps } from './connections/deps.ts'
import { fetchRoutes } from './connections/fetch.ts'
import { refreshRoutes } from './connections/refresh-route.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { cookiesFor } from './http/cookies.ts'
import type { Server } from './http/server.ts'
import { type HealthDeps, healthRoutes } from './operations/health.ts'
import { pageRoutes } from './pages/pages.ts'
import { deliveryRoutes } from './webhooks/deliveries/delivery-routes.ts'
import { replayRoutes } from './webhooks/deliveries/replay.ts'
import type { WebhookDeps } from './webhooks/deps.ts'
import { statsRoutes } from './webhooks/endpoints/stats.ts'
import { webhookChangeRoutes } from './webhooks/endpoints/webhook-change.ts'
import { webhookTestRoutes } from './webhooks/endpoints/webhook-test.ts'
import { webhookRoutes } from './webhooks/endpoints/webhooks.ts'
import { eventTypeChangeRoutes } from './webhooks/events/event-type-change.ts'
import { eventTypeRoutes } from './webhooks/events/event-type-routes.ts'
import { eventRoutes } from './webhooks/events/events.ts'
import { captureRoutes } from './webhooks/inbound/capture.ts'
import { inboundRoutes } from './webhooks/inbound/inbound.ts'

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
