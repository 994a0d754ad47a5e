import { SECOND } from '#src/core/clock.ts'
import { ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import type { PacedResult } from './paced.ts'
import { publisher, type Receiver, startRawLoop, startReceiver } from './publisher.ts'
import type { Report } from './receiver.ts'
import type { Row } from './table.ts'

const RATE = 1_000
/** The receiver refuses one event in ten, twice. */
const GROUP = 'refusing-tenth'
/** No divisor of ten, so that each of them refuses one event in ten. */
const DESTINATIONS = 47
const WAITS = [1, 5]
const TOLERATED_MS = 50
const PATIENCE = 10 * SECOND

/** How much later than its wait an attempt starts, while events keep coming. */
export async function benchRetries({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = await startRawLoop(engine, receiver, GROUP)
  progress('every tenth event is refused twice, bare loop')
  const raw = await measure(receiver, () => bare.paced(RATE, steadyMs))
  await bare.stop()

  // One destination refuses events in between.
  const tenth = await publisher(engine)
  await tenth.webhook(`${receiver.url}/${GROUP}`, { maxInFlight: 64 })
  progress('every tenth event is refused twice')
  const mixed = await measure(receiver, () => tenth.paced(RATE, steadyMs))
  await tenth.stop()

  // Many destinations do, each at its own moments.
  const several = await publisher(engine)
  const types = Array.from({ length: DESTINATIONS }, (_, index) => `bench.type_${index}`)
  for (const [index, name] of types.entries()) {
    await several.call('POST', '/v1/event-types', { name })
    const url = `http://127.1.0.${index + 1}:${receiver.port}/${GROUP}`
    await several.webhook(url, { events: [name] })
  }
  progress(`every tenth event is refused twice, ${DESTINATIONS} destinations`)
  const apart = await measure(receiver, () => several.paced(RATE, steadyMs, types))
  await several.stop()
  await receiver.stop()
  return [
    toRow(`one event in ten refused twice, ${whole(RATE)}/s to one destination`, mixed, raw),
    toRow(`the same, ${whole(RATE)}/s to ${DESTINATIONS} destinations`, apart, raw),
  ]
}

interface Measured {
  report: Report
  missed: number
}

async function measure(receiver: Receiver, run: () => Promise<PacedResult>): Promise<Measured> {
  await receiver.reset()
  const { sent } = await run()
  const missed = sent - (await receiver.until(GROUP, sent, PATIENCE))
  return { report: await receiver.report(GROUP), missed }
}

function toRow(name: string, { report, missed }: Measured, raw: Measured): Row {
  const worst = Math.max(...report.late.map(({ p99 }) => p99))
  const isWhole = report.late.every(({ count }) => count > 0) && missed === 0
  return {
    name,
    measured: `${tell(report)}, ${missed} missed`,
    raw: `${tell(raw.report)} bare loop, from memory`,
    goal: `late by ≤ ${TOLERATED_MS} ms at p99, none missed`,
    isMet: isWhole && worst <= TOLERATED_MS,
  }
}

function tell({ late }: Report): string {
  return late
    .map(({ p50, p99, count }, index) => `${WAITS[index]} s: late p50 ${ms(p50)}, p99 ${ms(p99)} of ${count}`)
    .join('; ')
}
