import { duration, latencyWords, percent, shortNumber } from '../../app/words.ts'
import { Shares } from '../../parts/bar.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import { Figure, Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { DeliveryChart, useDeliveryStats } from '../overview/data.tsx'
import { useStats } from './data.ts'

/** How a webhook fared for a day. */
export function Health({ id }: { id: string }) {
  const { data, failure, refresh } = useStats(id)
  const hours = useDeliveryStats(id).data
  return (
    <Panel title="Last 24 hours">
      {failure && <Failed failure={failure} retry={refresh} />}
      {data === undefined ? (
        failure === undefined && <Waiting lines={2} />
      ) : (
        <>
          <Shares
            label="Deliveries"
            parts={[
              { name: 'delivered', value: data.deliveries.delivered, tone: 'good' },
              { name: 'failed', value: data.deliveries.failed, tone: 'bad' },
              { name: 'pending', value: data.deliveries.pending, tone: 'wait' },
            ]}
          />
          <div class="figures">
            <Figure
              name="Delivered"
              value={shortNumber(data.deliveries.delivered)}
              note={
                data.successRate === null
                  ? 'none finished yet'
                  : `${percent(data.successRate)} of finished deliveries`
              }
            />
            <Figure name="Failed" value={shortNumber(data.deliveries.failed)} />
            <Figure
              name="Pending"
              value={shortNumber(data.deliveries.pending)}
              note={
                data.oldestPendingAt && (
                  <>
                    oldest due <Time at={data.oldestPendingAt} />
                  </>
                )
              }
            />
            <Figure
              name="Response within"
              value={data.latencyMs ? duration(data.latencyMs.p50) : '–'}
              note={data.latencyMs ? latencyWords(data.latencyMs) : 'median'}
            />
            <Figure
              name="At once"
              value={data.inFlight.level}
              note={
                data.inFlight.parkedAt === null ? (
                  'limit of calls at once'
                ) : (
                  <>
                    no response since <Time at={data.inFlight.parkedAt} />
                  </>
                )
              }
            />
          </div>
          {hours && <DeliveryChart buckets={hours.buckets} />}
        </>
      )}
    </Panel>
  )
}
