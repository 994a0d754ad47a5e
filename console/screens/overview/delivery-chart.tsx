import type { DeliveryStats } from '#sdk/postern.ts'
import { toMillis } from '../../app/clock.ts'
import { Chart } from '../../parts/chart.tsx'

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
