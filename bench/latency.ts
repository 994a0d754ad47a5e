import { ms } from './figures.ts'
import type { Options } from './options.ts'
import type { PacedResult } from './paced.ts'
import { EVENT, publisher, type Receiver, startRawLoop, startReceiver } from './publisher.ts'
import type { Report } from './receiver.ts'
import type { Row } from './table.ts'

const STEPS = [
  { rate: 200, p95: 1.9, p99: { sqlite: 30, postgres: 30 } },
  { rate: 1_000, p95: Number.POSITIVE_INFINITY, p99: { sqlite: 60, postgres: 60 } },
  // Collections, checkpoints and connections of the full load follow it.
  { rate: 200, p95: Number.POSITIVE_INFINITY, p99: { sqlite: 5, postgres: 10 }, isAfterLoad: true },
]
const CONNECTIONS = 64

/** From the moment at which an event was to be published to the one at which its receiver has it. */
export async function benchLatency({ engine, steadyMs, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = await startRawLoop(engine, receiver, 'all')
  const ours = await publisher(engine)
  await ours.webhook(`${receiver.url}/all`, { maxInFlight: 64 })
  const rows: Row[] = []
  for (const { rate, p95, p99: goals, isAfterLoad } of STEPS) {
    const [p99, after] = [goals[engine], isAfterLoad ? ' just after full load' : '']
    /** Everything before a measurement: a time at the same rate, or full load. @returns the published events */
    const before = (one: typeof ours | typeof bare) => async () =>
      isAfterLoad
        ? (await one.load(one === bare ? '/events' : '/v1/events', EVENT, CONNECTIONS, durationMs)).count
        : (await one.paced(rate, Math.min(steadyMs, WARM_UP_MS))).sent
    progress(`${rate} events a second${after}`)
    const measured = await steady(receiver, before(ours), () => ours.paced(rate, steadyMs))
    progress(`${rate} events a second${after}, bare loop`)
    const raw = await steady(receiver, before(bare), () => bare.paced(rate, steadyMs))
    const { latency } = measured
    const bound = Number.isFinite(p95) ? `p95 ≤ ${p95} ms, ` : ''
    rows.push({
      name: `accepted → arrived at ${rate}/s${after}`,
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
  before: () => Promise<number>,
  run: () => Promise<PacedResult>,
): Promise<Report & PacedResult> {
  await receiver.until('all', (await receiver.count('all')) + (await before()))
  await receiver.reset()
  const result = await run()
  await receiver.until('all', result.sent)
  return { ...(await receiver.report('all')), ...result }
}

function tell({ latency, sent, count }: Report & PacedResult): string {
  const missed = sent === count ? '' : `, **${sent - count} missed**`
  return `p50 ${ms(latency.p50)}, p95 ${ms(latency.p95)}, p99 ${ms(latency.p99)}${missed}`
}
