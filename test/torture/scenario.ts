import type { Millis } from '#src/core/clock.ts'
import type { Verdict } from './verdict.ts'

/** Events that are acknowledged at least: fewer prove nothing. */
export const FEWEST_EVENTS = 100

/** How hard a scenario is run. */
export interface ScenarioOptions {
  seed: number
  /** Events a second. */
  rate: number
  /** How often the server is killed, where it is. */
  kills: number
  /** Number of outages. */
  outages: number
  /** From its being ready to its being killed. */
  longestLife: Millis
  /** How often at most the failing destination refuses one delivery. */
  mostRefusals: number
  /** Reports the progress. */
  say: (line: string) => void
}

/** Why a scenario cannot be run on this machine. */
export interface Skipped {
  skipped: string
}

export interface Scenario {
  about: string
  run(options: ScenarioOptions): Promise<Verdict | Skipped>
}
