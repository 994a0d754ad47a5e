import { useEffect, useRef } from 'preact/hooks'
import type { DeliveryItem, DeliveryStats, Page, ProblemPage } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { every, MINUTE, SECOND, toMillis } from '../../app/clock.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { errorWords } from '../../app/words.ts'
import { Chart } from '../../parts/chart.tsx'

/** The last day by the hour, of the organization or of one webhook. */
export function useDeliveryStats(webhookId?: string): Data<DeliveryStats> {
  const of = webhookId === undefined ? {} : { webhookId }
  const key = webhookId === undefined ? 'overview/stats' : `webhooks/${webhookId}/stats by hour`
  return useData(useMay()('deliveries:read') ? key : undefined, (how) =>
    postern.deliveries.stats({ window: '24h', bucket: '1h', ...of }, how),
  )
}

/** All open problems, as the server groups them, read again once a minute at least. */
export function useProblems(): Data<ProblemPage> {
  // Some problems change by time alone, without an event of the stream.
  useEffect(() => every(MINUTE, () => outdate('overview/problems')), [])
  return useData('overview/problems', (how) => postern.problems.list(how).page() as Promise<ProblemPage>)
}

/** The newest delivery, of any kind. */
export function useNewest(): Data<Page<DeliveryItem>> {
  return useData(useMay()('deliveries:read') ? 'overview/newest' : undefined, (how) =>
    postern.deliveries.list({ limit: 20 }, how).page(),
  )
}

/** Reads the keys that begin with `prefix` again after events of the stream, once in three seconds at most, so that figures stay readable. */
export function useFollowing(prefix = 'overview/'): void {
  const isOld = useRef(false)
  useLive(['delivery', 'webhook', 'run', 'file', 'document', 'invitation'], () => {
    isOld.current = true
  })
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

/** Deliveries by the hour in which they were created, and by their status. */
export function DeliveryChart({ buckets }: Pick<DeliveryStats, 'buckets'>) {
  return (
    <Chart
      label="Deliveries per hour by status"
      at={buckets.map(({ at }) => toMillis(at))}
      series={[
        { name: 'delivered', tone: 'good', values: buckets.map(({ delivered }) => delivered) },
        { name: 'pending', tone: 'wait', values: buckets.map(({ pending }) => pending) },
        { name: 'failed', tone: 'bad', values: buckets.map(({ failed }) => failed) },
      ]}
    />
  )
}

/** What most receivers mean by a status. */
const MEANT: Record<string, string> = {
  401: 'often a signature that does not match',
  403: 'access denied',
  404: 'not found',
  410: 'gone',
  413: 'payload too large',
  429: 'too many requests',
  500: 'internal error',
  502: 'bad gateway',
  503: 'not available',
  504: 'gateway timeout',
}

/** Why attempts fail, of a `reason` of the API's: `http_503`, `timeout`. */
export function causeOf(reason: string | null): string {
  const status = /^http_(\d{3})$/.exec(reason ?? '')?.[1]
  if (status === undefined) return reason === null ? '' : errorWords(reason)
  return MEANT[status] === undefined ? status : `${status}: ${MEANT[status]}`
}
