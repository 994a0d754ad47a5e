import { useEffect, useRef } from 'preact/hooks'
import type { DeliveryItem, DeliveryStats, Page, ProblemPage } from '#sdk/postern.ts'
import { every, MINUTE, SECOND, toMillis } from '../../app/clock.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { errorWords } from '../../app/words.ts'
import { Chart } from '../../parts/chart.tsx'

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

/** Deliveries by the hour in which they were created, and by what became of them. */
export function DeliveryChart({ buckets }: Pick<DeliveryStats, 'buckets'>) {
  return (
    <Chart
      label="Deliveries by the hour and by what became of them"
      at={buckets.map(({ at }) => toMillis(at))}
      series={[
        { name: 'delivered', tone: 'good', values: buckets.map(({ delivered }) => delivered) },
        { name: 'pending', tone: 'wait', values: buckets.map(({ pending }) => pending) },
        { name: 'failed', tone: 'bad', values: buckets.map(({ failed }) => failed) },
      ]}
    />
  )
}

/** What most receivers mean by it. */
const MEANT: Record<string, string> = {
  401: 'most often a signature that does not fit',
  403: 'it does not let us in',
  404: 'the address is not there',
  410: 'it is gone',
  413: 'too large for it',
  429: 'too many calls for it',
  500: 'an error of its own',
  502: 'what is behind it does not answer',
  503: 'it is not ready',
  504: 'what is behind it is too slow',
}

/** Why attempts fail, of a `reason` of the API's: `http_503`, `timeout`. */
export function causeOf(reason: string | null): string {
  const status = /^http_(\d{3})$/.exec(reason ?? '')?.[1]
  if (status === undefined) return reason === null ? '' : errorWords(reason)
  return MEANT[status] === undefined ? status : `${status}: ${MEANT[status]}`
}
