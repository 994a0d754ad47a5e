import type { EventTypeItem, Page, Webhook, WebhookStats } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'

export function useWebhooks(): Listed<Webhook> {
  const mayRead = useMay()('webhooks:read')
  return useList(mayRead ? 'webhooks' : undefined, (how) => postern.webhooks.list({ limit: 50 }, how))
}

export function useWebhook(id: string): Data<Webhook> {
  return useData(useMay()('webhooks:read') ? `webhooks/${id}` : undefined, (how) =>
    postern.webhooks.read(id, how),
  )
}

export function useStats(id: string, window = '24h'): Data<WebhookStats> {
  return useData(`webhooks/${id}/stats ${window}`, (how) => postern.webhooks.stats(id, { window }, how))
}

export function useEventTypes(): Data<Page<EventTypeItem>> {
  const mayRead = useMay()('event_types:read')
  return useData(mayRead ? 'event-types' : undefined, (how) => postern.eventTypes.list(how).page())
}
