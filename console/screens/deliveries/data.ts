import type { Delivery, DeliveryItem, ListDeliveriesQuery } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { DAY, HOUR, MINUTE, now, toIso } from '../../app/clock.ts'
import { type Data, useData } from '../../app/data/cache.ts'
import { postern, readText } from '../../app/data/postern.ts'

/** The filters of the list, as its address has them. */
export const FILTERS = ['status', 'webhookId', 'eventType', 'code', 'since', 'eventId'] as const
export type Filter = Record<(typeof FILTERS)[number], string>

const SPAN: Record<string, number> = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY }
/** Failures without a response. Any other value of `code` is a status (`503`) or a class of statuses (`5xx`). */
export const ERROR_CLASSES = [
  'timeout',
  'dns',
  'refused',
  'reset',
  'tls',
  'invalid_answer',
  'blocked_address',
] as const

/** The filter as the API takes it. */
export function queryOf({ status, webhookId, eventType, code, since, eventId }: Filter): ListDeliveriesQuery {
  const span = SPAN[since]
  const isClass = (ERROR_CLASSES as readonly string[]).includes(code)
  return {
    ...(status === '' ? {} : { status }),
    ...(webhookId === '' ? {} : { webhookId }),
    ...(eventType === '' ? {} : { eventType }),
    ...(eventId === '' ? {} : { eventId }),
    ...(code === '' ? {} : isClass ? { errorClass: code } : { statusCode: code }),
    // To the minute, so that page after page is asked for the same.
    ...(span === undefined ? {} : { since: toIso(Math.floor((now() - span) / MINUTE) * MINUTE) }),
  }
}

/** Whether a delivery that the stream shows belongs into the list. */
export function matches(
  item: DeliveryItem,
  { status, webhookId, eventType, code, eventId }: Filter,
): boolean {
  if (status !== '' && !status.split(',').includes(item.status)) return false
  if (webhookId !== '' && item.webhookId !== webhookId) return false
  if (eventType !== '' && item.eventType !== eventType) return false
  if (eventId !== '' && item.eventId !== eventId) return false
  if (code === '') return true
  if (/^\dxx$/.test(code)) return String(item.lastStatusCode ?? '').startsWith(code.charAt(0))
  return code === String(item.lastStatusCode) || code === item.lastErrorClass
}

export function useDelivery(id: string): Data<Delivery> {
  return useData(`deliveries/${id}`, (how) => postern.deliveries.read(id, how))
}

/** The envelope of an event, byte for byte as it is stored, signed and sent. */
export function useSent(eventId: string): Data<string> {
  return useData(useMay()('events:read') ? `sent ${eventId}` : undefined, (how) =>
    readText((client) => client.events.read(eventId, how)),
  )
}
