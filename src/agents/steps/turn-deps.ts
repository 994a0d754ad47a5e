import type { Shares } from '../../core/fair-limiter.ts'
import type { Run } from '../transcript/rows.ts'
import type { Attached } from './attached-files.ts'
import type { StepWriter } from './step-batch.ts'
import type { StepDeps } from './step-deps.ts'

/** What stepping is made of, and what the turns of a process at its runs share. */
export interface TurnDeps extends StepDeps {
  attach: (run: Run) => Promise<Attached>
  writer: StepWriter
  /** Calls of tools that are made beside another one of their run, by organization. */
  extraCalls: Shares<Run['organization_id']>
}
