import { MINUTE, type Millis, SECOND, stopwatch } from '#src/core/clock.ts'
import { type FleetOptions, simulateFleet } from './fleet.ts'

const STEADY = [3, 10, 25, 50]
const rows: Omit<FleetOptions, 'seed' | 'storm' | 'every'>[] = [
  ...STEADY.map((count) => ({ from: count, to: count })),
  { from: 3, to: 50 },
]
const part = (times: Millis[], share: number) =>
  times.length === 0
    ? '-'
    : ((times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0) / SECOND).toFixed(1)

/** Says how lanes are divided among 3 to 50 processes that are killed, told to end, frozen and started, in virtual time. */
export async function measureFleets({ from, seeds, minutes }: Record<'from' | 'seeds' | 'minutes', number>) {
  const elapsed = stopwatch()
  for (const row of rows) {
    const total = { kills: 0, ends: 0, freezes: 0, attempts: 0 }
    const [takenOver, handedOver, balanced, statements]: Millis[][] = [[], [], [], []]
    for (let count = 0; count < seeds; count += 1) {
      const report = await simulateFleet({
        ...row,
        seed: from + count,
        storm: minutes * MINUTE,
        every: 30 * SECOND,
      })
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key]
      takenOver?.push(...report.takenOver)
      handedOver?.push(...report.handedOver)
      balanced?.push(report.dividedAfter)
      statements?.push(report.statements)
    }
    process.stdout.write(
      `${row.from === row.to ? row.from : `${row.from} to ${row.to} and back`}: ${JSON.stringify(total)}; s without an owner ` +
        `p50/p99/most: taken over ${[0.5, 0.99, 1].map((share) => part(takenOver ?? [], share)).join(' / ')}, ` +
        `handed over ${[0.5, 0.99, 1].map((share) => part(handedOver ?? [], share)).join(' / ')}; ` +
        `statements a minute and process ${Math.max(...(statements ?? []))}; ${Math.round(elapsed() / SECOND)} s\n`,
    )
  }
}
