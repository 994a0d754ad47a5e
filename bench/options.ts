import type { EngineName } from './store.ts'

/** How a suite measures its rows. */
export interface Options {
  engine: EngineName
  /** The number of rounds: the result is the median of their rates. */
  rounds: number
  /** One round of a rate. */
  durationMs: number
  /** Duration of a load on schedule, which runs once. */
  steadyMs: number
  /** The folder of another Postern that is measured in turns with this one, where a part can do that. */
  beside?: string | undefined
  progress: (line: string) => void
}
