import type { Readers } from '../../live/readers.ts'
import type { Shared } from '../../shared/shared.ts'
import type { StepDeps } from '../steps/step-deps.ts'
import type { RunFeed } from './run-feed.ts'
import type { RunWaits } from './run-waits.ts'

/** The dependencies of the routes of runs; each route names the members that it uses. */
export type RunDeps = Pick<Shared, 'config' | 'clock' | 'once'> &
  StepDeps & {
    waits: RunWaits
    feed: RunFeed
    readers: Readers
  }
