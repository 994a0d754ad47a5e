import type { Delivery } from '../delivery/create-delivery.ts'
import type { Documented } from '../http/openapi/document.ts'
import type { Server } from '../http/server.ts'
import type { LiveView } from '../live/live-kinds.ts'
import type { Shared } from '../shared/shared.ts'
import { deliveryRoutes } from './deliveries/delivery-routes.ts'
import { deliveryStatsRoutes } from './deliveries/delivery-stats.ts'
import { deliveryView } from './deliveries/delivery-view.ts'
import { listDeliveryRoutes } from './deliveries/list-deliveries.ts'
import { replayRoutes } from './deliveries/replay.ts'
import { replayAllRoutes } from './deliveries/replay-all.ts'
import { replayView } from './deliveries/replay-wire.ts'
import type { WebhookDeps } from './deps.ts'
import { sendTestEventRoutes } from './endpoints/send-test-event.ts'
import { statsRoutes } from './endpoints/stats.ts'
import { webhookChangeRoutes } from './endpoints/webhook-change.ts'
import { webhookView } from './endpoints/webhook-wire.ts'
import { webhookRoutes } from './endpoints/webhooks.ts'
import { eventListRoutes } from './events/event-list.ts'
import { eventTypeChangeRoutes } from './events/event-type-change.ts'
import { DATA_SCHEMAS } from './events/event-type-document.ts'
import { eventTypeRoutes } from './events/event-type-routes.ts'
import { EVENT_TYPES } from './events/event-types.ts'
import { eventRoutes } from './events/events.ts'
import { captureRoutes, captureView } from './inbound/capture.ts'
import { inboundRoutes } from './inbound/inbound.ts'
import { endIdleListeners } from './listeners/end-idle-listeners.ts'
import { listenerRoutes } from './listeners/listener-routes.ts'

/** The webhooks of organizations: registration, events, deliveries and inbound calls. */
interface Webhooks {
  routes: (server: Server) => void
  /** Called periodically. */
  chore: () => Promise<void>
  /** The live stream's views of changed rows. */
  views: LiveView[]
  /** The event types and schemas for the OpenAPI document. */
  document: Pick<Documented, 'events' | 'schemas'>
}

export function createWebhooks(shared: Shared, delivery: Delivery): Webhooks {
  const deps: WebhookDeps = { ...shared, ...delivery }
  return {
    views: [deliveryView, replayView, captureView, webhookView],
    chore: () =>
      endIdleListeners(
        { database: shared.database.background, forgetWebhook: delivery.forgetWebhook },
        shared.clock.now(),
      ),
    document: { events: [...EVENT_TYPES], schemas: DATA_SCHEMAS },
    routes(server) {
      webhookRoutes(server, deps)
      webhookChangeRoutes(server, deps)
      listenerRoutes(server, deps)
      sendTestEventRoutes(server, deps)
      captureRoutes(server, deps)
      inboundRoutes(server, deps)
      eventTypeRoutes(server, deps)
      eventTypeChangeRoutes(server, deps)
      eventRoutes(server, deps)
      eventListRoutes(server, deps)
      deliveryRoutes(server, deps)
      listDeliveryRoutes(server, deps)
      replayRoutes(server, deps)
      replayAllRoutes(server, deps)
      statsRoutes(server, deps)
      deliveryStatsRoutes(server, deps)
    },
  }
}
