import { join } from 'node:path'
import { median } from './figures.ts'
import type { Options } from './options.ts'
import type { Row } from './table.ts'

/** The largest parts that are shown. */
const SHOWN = 10

/** The cost of one piece of work: microseconds of processor time by part, and counts. */
export type Costs = Map<string, number>

interface Table {
  /** The name of the sum of all parts. */
  all: string
  /** The names that are counts and not parts. */
  counts?: readonly string[]
  /** Digits of the microseconds after the point. */
  digits: number
}

/**
 * Measures costs by part. Each round is a server of its own, in turns with another checkout; the figures are medians.
 * @param measure runs one server: that of this checkout, or the given program
 * @returns the sum, the ten largest parts, and the counts that are not 0
 */
export async function benchByPart(
  { engine, rounds, durationMs, beside, progress }: Options,
  { all, counts = [], digits }: Table,
  measure: (engine: Options['engine'], amount: number, program: string | undefined) => Promise<Costs>,
): Promise<Row[]> {
  const measured = [undefined, ...(beside === undefined ? [] : [join(beside, 'bin/postern.js')])].map(
    (program) => ({ program, costs: [] as Costs[] }),
  )
  for (let round = 1; round <= rounds; round += 1)
    for (const { program, costs } of round % 2 === 0 ? measured : measured.toReversed()) {
      progress(`round ${round} of ${rounds}${program === undefined ? '' : `, ${program}`}`)
      costs.push(await measure(engine, durationMs, program))
    }
  const [ours = [], others = []] = measured.map(({ costs }) => costs)
  const middle = (costs: Costs[], name: string) => median(costs.map((one) => one.get(name) ?? 0))
  const tell = (costs: Costs[], name: string) =>
    counts.includes(name) ? middle(costs, name).toFixed(2) : `${middle(costs, name).toFixed(digits)} µs`
  const parts = [...new Set(ours.flatMap((one) => [...one.keys()]))]
    .filter((name) => name !== all && !counts.includes(name))
    .sort((one, other) => middle(ours, other) - middle(ours, one))
  return [all, ...parts.slice(0, SHOWN), ...counts.filter((name) => middle(ours, name) > 0)].map((name) => ({
    name,
    measured: tell(ours, name),
    raw: beside === undefined ? '' : `${tell(others, name)}, by ${beside}`,
    goal: '',
    isMet: true,
  }))
}
