import type { EventTypeItem, Page, Webhook, WebhookStats } from '#sdk/postern.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'

export function useWebhooks(): Listed<Webhook> {
  return useList('webhooks', (how) => postern.webhooks.list({ limit: 50 }, how))
}

export function useWebhook(id: string): Data<Webhook> {
  return useData(`webhooks/${id}`, (how) => postern.webhooks.read(id, how))
}

export function useStats(id: string, window = '24h'): Data<WebhookStats> {
  return useData(`webhooks/${id}/stats ${window}`, (how) => postern.webhooks.stats(id, { window }, how))
}

export function useEventTypes(): Data<Page<EventTypeItem>> {
  return useData('event-types', (how) => postern.eventTypes.list(how).page())
}
