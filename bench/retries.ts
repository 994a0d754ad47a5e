import { SECOND } from '../src/core/clock.ts'
import { ms } from './figures.ts'
import type { PacedResult } from './paced.ts'
import { publisher, type Receiver, startRawLoop, startReceiver, TYPE } from './publisher.ts'
import type { Report } from './receiver.ts'
import type { Options } from './suites.ts'
import type { Row } from './table.ts'

const RATE = 1_000
const REFUSING_TYPE = 'file.processed'
const REFUSING = 10
const WAITS = [1, 5]
const TOLERATED_MS = 150
const PATIENCE = 10 * SECOND

/** How much later than its wait an attempt starts, while events keep coming. */
export async function benchRetries({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = await startRawLoop(engine, receiver, 'refusing-tenth')
  progress('every tenth event is refused twice, bare loop')
  const raw = await measure(receiver, ['refusing-tenth'], () => bare.paced(RATE, steadyMs))
  await bare.stop()

  // One destination refuses events in between.
  const tenth = await publisher(engine)
  await tenth.webhook(`${receiver.url}/refusing-tenth`, { maxInFlight: 64 })
  progress('every tenth event is refused twice')
  const mixed = await measure(receiver, ['refusing-tenth'], () => tenth.paced(RATE, steadyMs))
  await tenth.stop()

  // Some destinations refuse everything at first, beside one that takes the rest.
  const several = await publisher(engine)
  await several.webhook(`${receiver.url}/all`, { events: [TYPE], maxInFlight: 64 })
  for (let index = 0; index < REFUSING; index += 1)
    await several.webhook(`http://127.1.0.${index + 1}:${receiver.port}/refusing`, {
      events: [REFUSING_TYPE],
    })
  const types = Array.from({ length: 100 }, (_, index) => (index === 0 ? REFUSING_TYPE : TYPE))
  progress(`${REFUSING} destinations refuse everything twice`)
  const apart = await measure(receiver, ['refusing', 'all'], () => several.paced(RATE, steadyMs, types), {
    refusing: (sent) => Math.ceil(sent / types.length) * REFUSING,
    all: (sent) => sent - Math.ceil(sent / types.length),
  })
  await several.stop()
  await receiver.stop()
  return [
    toRow(`retries at ${RATE} events/s: one in ten refused twice, one destination`, mixed, raw),
    toRow(`retries at ${RATE} events/s: ${REFUSING} destinations that refuse everything twice`, apart, raw),
  ]
}

interface Measured {
  report: Report
  missed: number
}

async function measure(
  receiver: Receiver,
  groups: string[],
  run: () => Promise<PacedResult>,
  wanted: Record<string, (sent: number) => number> = {},
): Promise<Measured> {
  await receiver.reset()
  const { sent } = await run()
  let missed = 0
  for (const group of groups) {
    const count = wanted[group]?.(sent) ?? sent
    missed += count - (await receiver.until(group, count, PATIENCE))
  }
  return { report: await receiver.report(groups[0] ?? ''), missed }
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
