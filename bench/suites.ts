import { benchAccess, benchStart } from './access.ts'
import { benchLatency } from './latency.ts'
import { benchPost } from './post.ts'
import type { EngineName } from './store.ts'
import type { Row } from './table.ts'

/** What a suite of rows is told. */
export interface Options {
  engine: EngineName
  /** A rate is the median of so many rounds. */
  rounds: number
  /** One round of a rate. */
  durationMs: number
  /** A load on schedule runs once, for so long. */
  steadyMs: number
  progress: (line: string) => void
}

/** Rows that are measured together. */
export interface Suite {
  name: string
  engines: EngineName[]
  run: (options: Options) => Promise<Row[]>
  /** How long it takes, in seconds: for the progress line alone. */
  seconds: (options: Pick<Options, 'rounds' | 'durationMs' | 'steadyMs'>) => number
}

const BOTH: EngineName[] = ['sqlite', 'postgres']

export const SUITES: Suite[] = [
  {
    name: 'access',
    engines: ['sqlite'],
    run: benchAccess,
    seconds: ({ rounds, durationMs }) => 8 + (rounds * (12 * durationMs + 1_000)) / 1_000,
  },
  { name: 'start', engines: ['sqlite'], run: benchStart, seconds: ({ rounds }) => 2 * rounds },
  {
    name: 'post',
    engines: BOTH,
    run: benchPost,
    seconds: ({ rounds, durationMs }) => 8 + (rounds * 9 * durationMs) / 1_000,
  },
  {
    name: 'latency',
    engines: BOTH,
    run: benchLatency,
    seconds: ({ steadyMs }) => 13 + (4 * steadyMs) / 1_000,
  },
]
