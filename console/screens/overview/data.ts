import { useEffect, useRef } from 'preact/hooks'
import type { DeliveryItem, DeliveryStats, Page, ProblemPage } from '#sdk/postern.ts'
import { every, MINUTE, SECOND } from '../../app/clock.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** The last day by the hour, of the organization or of one webhook. */
export function useDeliveryStats(webhookId?: string): Data<DeliveryStats> {
  const of = webhookId === undefined ? {} : { webhookId }
  return useData(webhookId === undefined ? 'overview/stats' : `webhooks/${webhookId}/stats by hour`, (how) =>
    postern.deliveries.stats({ window: '24h', bucket: '1h', ...of }, how),
  )
}

/** Everything that is wrong, as the server groups it. */
export function useProblems(): Data<ProblemPage> {
  return useData('overview/problems', (how) => postern.problems.list(how).page() as Promise<ProblemPage>)
}

/** The newest delivery, of any kind. */
export function useNewest(): Data<Page<DeliveryItem>> {
  return useData('overview/newest', (how) => postern.deliveries.list({ limit: 20 }, how).page())
}

/** Has what is known under keys that begin so follow what happens, at a pace that people read. */
export function useFollowing(prefix = 'overview/'): void {
  const isOld = useRef(false)
  useLive(['delivery', 'webhook', 'run', 'file', 'document', 'invitation'], () => {
    isOld.current = true
  })
  // Some of it changes by time alone.
  useEffect(() => every(MINUTE, () => outdate('overview/problems')), [])
  useEffect(
    () =>
      every(3 * SECOND, () => {
        if (!isOld.current) return
        isOld.current = false
        outdate(prefix)
      }),
    [prefix],
  )
}
