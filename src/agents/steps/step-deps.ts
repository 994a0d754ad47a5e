import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import type { Publish, PublishAll } from '../../delivery/publish/publish.ts'
import type { Jobs } from '../../jobs/create-jobs.ts'
import type { Charge } from '../../shared/charge.ts'
import type { Metrics } from '../../shared/metrics.ts'
import type { FilePort } from '../deps.ts'
import type { Models } from '../models/model.ts'
import type { ToolSource } from '../tools/tool.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunSignals } from './run-signals.ts'
import type { RunTrace } from './run-trace.ts'

/** The dependencies of stepping and ending runs; each part names the members that it uses. */
export interface StepDeps {
  clock: Clock
  database: Database
  log: Pick<Logger, 'info' | 'error'>
  publish: Publish
  publishAll: PublishAll
  charge: Charge
  /** The price of a step without its tokens. */
  stepPrice: number
  models: Models
  toolSources: ToolSource[]
  files: FilePort
  jobs: Pick<Jobs, 'add' | 'addAll' | 'cancel' | 'settleDone'>
  signals: RunSignals
  live: LiveRuns
  metrics: Pick<Metrics, 'endedRuns' | 'steps'>
  /** undefined: runs are not traced. */
  trace?: RunTrace | undefined
}
