import { useEffect, useRef } from 'preact/hooks'
import type { DeliveryItem, DeliveryStats, Page, ProblemPage } from '#sdk/postern.ts'
import { every, MINUTE, SECOND } from '../../app/clock.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

export function useDeliveryStats(): Data<DeliveryStats> {
  return useData('overview/stats', (how) => postern.deliveries.stats({ window: '24h', bucket: '1h' }, how))
}

/** Everything that is wrong, as the server groups it. */
export function useProblems(): Data<ProblemPage> {
  return useData('overview/problems', (how) => postern.problems.list(how).page() as Promise<ProblemPage>)
}

/** The newest delivery, of any kind. */
export function useNewest(): Data<Page<DeliveryItem>> {
  return useData('overview/newest', (how) => postern.deliveries.list({ limit: 20 }, how).page())
}

/** Has the overview follow what happens, at a pace that people read. */
export function useFollowing(): void {
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
        outdate('overview/')
      }),
    [],
  )
}
