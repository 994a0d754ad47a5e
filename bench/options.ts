import type { EngineName } from './store.ts'

/** How a suite measures its rows. */
export interface Options {
  engine: EngineName
  /** A rate is the median of so many rounds. */
  rounds: number
  /** One round of a rate. */
  durationMs: number
  /** A load on schedule runs once, for so long. */
  steadyMs: number
  /** The folder of another Postern that is measured in turns with this one, where a part can do that. */
  beside?: string | undefined
  progress: (line: string) => void
}
