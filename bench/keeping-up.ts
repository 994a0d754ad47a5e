import { ms, whole } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import { publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

const RATE = 600
/** Deliveries have kept up when all have arrived this soon after the last event was published. An answer takes 300 ms. */
const KEPT_UP_MS = 1_000

/** A destination that takes 300 ms for an answer, and gets 600 events a second from the first moment on. */
export async function benchKeepingUp({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const id = await ours.webhook(`${receiver.url}/delayed`)
  progress(`${RATE} events a second, 300 ms an answer`)
  const { sent } = await ours.paced(RATE, steadyMs)
  const endedAt = moment()
  const behind = sent - (await receiver.count('delayed'))
  await receiver.until('delayed', sent)
  const { latency, lastAt } = await receiver.report('delayed')
  const { inFlight } = (await ours.call('GET', `/v1/webhooks/${id}/stats`)) as { inFlight: { level: number } }
  await ours.stop()
  await receiver.stop()
  const lateMs = Math.max(0, lastAt - endedAt)
  return [
    {
      name: `answers of 300 ms at ${RATE}/s`,
      measured: `${whole(behind)} behind at the end, the last ${ms(lateMs)} after it; p50 ${ms(latency.p50)}, p95 ${ms(latency.p95)}, the beginning included; level ${inFlight.level}`,
      raw: '180 at once are needed',
      goal: 'keeps up',
      isMet: lateMs <= KEPT_UP_MS,
    },
  ]
}
