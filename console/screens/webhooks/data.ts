import { api, type Page } from '../../app/data/api.ts'
import { type Data, type Listed, useData, useList } from '../../app/data/cache.ts'

export interface Webhook {
  id: string
  url: string
  events: string[]
  endpointPath: string | null
  description: string | null
  status: 'active' | 'paused' | 'disabled'
  disabledReason: string | null
  maxInFlight: number
  maxPerSecond: number | null
  createdAt: string
  updatedAt: string
  secretHint: string
  secretRotatedAt: string
  previousSecretExpiresAt: string | null
}

export interface WebhookStats {
  windowMs: number
  deliveries: { pending: number; delivered: number; failed: number }
  successRate: number | null
  latencyMs: { p50: number; p95: number; p99: number } | null
  oldestPendingAt: string | null
  inFlight: { level: number; parkedAt: string | null }
}

export interface EventType {
  name: string
  description: string
  example: unknown
  builtIn: boolean
  publishable: boolean
}

export interface TestAnswer {
  eventId: string
  deliveryId: string
  delivered: boolean
  attempt: {
    statusCode: number | null
    durationMs: number
    responseBody: string | null
    error: string | null
  }
}

export function useWebhooks(): Listed<Webhook> {
  return useList('webhooks', (cursor, signal) =>
    api.get<Page<Webhook>>('/v1/webhooks', { cursor, limit: 50 }, signal),
  )
}

export function useWebhook(id: string): Data<Webhook> {
  return useData(`webhooks/${id}`, (signal) =>
    api.get<Webhook>(`/v1/webhooks/${encodeURIComponent(id)}`, {}, signal),
  )
}

export function useStats(id: string, window = '24h'): Data<WebhookStats> {
  return useData(`webhooks/${id}/stats ${window}`, (signal) =>
    api.get<WebhookStats>(`/v1/webhooks/${encodeURIComponent(id)}/stats`, { window }, signal),
  )
}

export function useEventTypes(): Data<Page<EventType>> {
  return useData('event-types', (signal) => api.get<Page<EventType>>('/v1/event-types', {}, signal))
}
