import type { Shares } from '../../core/fair-limiter.ts'
import type { Run } from '../transcript/rows.ts'
import type { Attached } from './attached-files.ts'
import type { StepWriter } from './step-batch.ts'
import type { StepDeps } from './step-deps.ts'

/** The dependencies of stepping, and the state that all turns of a process share. */
export interface TurnDeps extends StepDeps {
  attach: (run: Run) => Promise<Attached>
  writer: StepWriter
  /** Tool calls beside the first one of their run, by organization. */
  extraCalls: Shares<Run['organization_id']>
}
