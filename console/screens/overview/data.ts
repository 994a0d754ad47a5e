import { useEffect, useRef } from 'preact/hooks'
import type { DeliveryItem, DeliveryStats, Page } from '#sdk/postern.ts'
import { DAY, every, MINUTE, now, SECOND, toIso } from '../../app/clock.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** What an attempt can fail by: asked for so, the list has no delivery that was not tried yet. */
const ANY_ERROR =
  'timeout,dns,refused,reset,tls,invalid_answer,blocked_address,http_3xx,http_4xx,http_5xx,http_other'
/** So many are read at once; where there are more, the problems of today are plain enough. */
export const MOST = 100

export function useDeliveryStats(): Data<DeliveryStats> {
  return useData('overview/stats', (how) => postern.deliveries.stats({ window: '24h', bucket: '1h' }, how))
}

/** What was tried within a day and has not been delivered. */
export function useTroubled(): Data<Page<DeliveryItem>> {
  return useData('overview/troubled', (how) => {
    const since = toIso(Math.floor((now() - DAY) / MINUTE) * MINUTE)
    return postern.deliveries
      .list({ status: 'failed,pending', errorClass: ANY_ERROR, since, limit: MOST }, how)
      .page()
  })
}

/** The newest delivery, of any kind. */
export function useNewest(): Data<Page<DeliveryItem>> {
  return useData('overview/newest', (how) => postern.deliveries.list({ limit: 20 }, how).page())
}

/** Has the overview follow what happens, at a pace that people read. */
export function useFollowing(): void {
  const isOld = useRef(false)
  useLive(['delivery'], () => {
    isOld.current = true
  })
  useEffect(
    () =>
      every(3 * SECOND, () => {
        if (!isOld.current) return
        isOld.current = false
        outdate('overview/')
      }),
    [],
  )
}
