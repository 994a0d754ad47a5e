import { ms } from './figures.ts'
import type { Options } from './options.ts'
import type { PacedResult } from './paced.ts'
import { publisher, type Receiver, startRawLoop, startReceiver } from './publisher.ts'
import type { Report } from './receiver.ts'
import type { Row } from './table.ts'

const STEPS = [
  { rate: 200, p95: 1.9, p99: 30 },
  { rate: 1_000, p95: Number.POSITIVE_INFINITY, p99: 60 },
]

/** From the moment at which an event was to be published to the one at which its receiver has it. */
export async function benchLatency({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = await startRawLoop(engine, receiver, 'all')
  const ours = await publisher(engine)
  await ours.webhook(`${receiver.url}/all`, { maxInFlight: 64 })
  const rows: Row[] = []
  for (const { rate, p95, p99 } of STEPS) {
    progress(`${rate} events a second`)
    const measured = await steady(receiver, steadyMs, (durationMs) => ours.paced(rate, durationMs))
    progress(`${rate} events a second, bare loop`)
    const raw = await steady(receiver, steadyMs, (durationMs) => bare.paced(rate, durationMs))
    const { latency } = measured
    const bound = Number.isFinite(p95) ? `p95 ≤ ${p95} ms, ` : ''
    rows.push({
      name: `accepted → arrived at ${rate}/s`,
      measured: `${tell(measured)}, accepted p99 ${ms(measured.accepted.p99)}`,
      raw: `${tell(raw)} bare loop`,
      goal: `${bound}p99 ≤ ${p99} ms, none missed`,
      isMet: latency.p95 <= p95 && latency.p99 <= p99 && measured.count === measured.sent,
    })
  }
  for (const served of [ours, bare, receiver]) await served.stop()
  return rows
}

/** Long enough to compile the code and to fill the caches. */
const WARM_UP_MS = 2_000

async function steady(
  receiver: Receiver,
  durationMs: number,
  run: (durationMs: number) => Promise<PacedResult>,
): Promise<Report & PacedResult> {
  await receiver.until(
    'all',
    (await receiver.count('all')) + (await run(Math.min(durationMs, WARM_UP_MS))).sent,
  )
  await receiver.reset()
  const result = await run(durationMs)
  await receiver.until('all', result.sent)
  return { ...(await receiver.report('all')), ...result }
}

function tell({ latency, sent, count }: Report & PacedResult): string {
  const missed = sent === count ? '' : `, **${sent - count} missed**`
  return `p50 ${ms(latency.p50)}, p95 ${ms(latency.p95)}, p99 ${ms(latency.p99)}${missed}`
}
