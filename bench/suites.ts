import { benchAccess } from './access.ts'
import { benchBackups } from './backups.ts'
import { benchConsole } from './console.ts'
import { benchCost } from './cost.ts'
import { benchDead } from './dead.ts'
import { benchFiles } from './files.ts'
import { benchKeepingUp } from './keeping-up.ts'
import { benchKnowledge } from './knowledge.ts'
import { benchKnowledgeAlike } from './knowledge-alike.ts'
import { benchKnowledgeQuality } from './knowledge-quality.ts'
import { benchLatency } from './latency.ts'
import { benchListen } from './listen.ts'
import { benchNeighbours } from './neighbours.ts'
import type { Options } from './options.ts'
import { benchOrganizations } from './organizations.ts'
import { benchParked } from './parked.ts'
import { benchParts } from './parts.ts'
import { benchPlatform } from './platform.ts'
import { benchPost } from './post.ts'
import { benchReplay } from './replay.ts'
import { benchRetention } from './retention.ts'
import { benchRetries } from './retries.ts'
import { benchRunParts } from './run-parts.ts'
import { benchRuns } from './runs.ts'
import { benchSending } from './sending.ts'
import { benchSharing } from './sharing.ts'
import { benchStart } from './start.ts'
import type { EngineName } from './store.ts'
import { benchStreams } from './streams.ts'
import type { Row } from './table.ts'
import { benchTail } from './tail.ts'
import { benchTracing } from './tracing.ts'
import { benchWorkers } from './workers.ts'

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
  { name: 'console', engines: ['sqlite'], run: benchConsole, seconds: ({ rounds }) => 6 + rounds * 8 },
  {
    name: 'tail',
    engines: ['sqlite'],
    run: benchTail,
    seconds: ({ steadyMs }) => 12 + (1.5 * steadyMs) / 1_000,
  },
  { name: 'start', engines: BOTH, run: benchStart, seconds: ({ rounds }) => 7 * rounds },
  {
    name: 'post',
    engines: BOTH,
    run: benchPost,
    seconds: ({ rounds, durationMs }) => 8 + ((rounds + 1) * 10 * durationMs) / 1_000,
  },
  {
    name: 'cost',
    engines: BOTH,
    run: benchCost,
    seconds: ({ rounds, durationMs }) => 24 + ((rounds + 1) * 12 * durationMs) / 1_000,
  },
  {
    name: 'parts',
    engines: BOTH,
    run: benchParts,
    seconds: ({ rounds, durationMs }) => rounds * (8 + durationMs / 100),
  },
  {
    name: 'tracing',
    engines: BOTH,
    run: benchTracing,
    seconds: ({ rounds, durationMs }) => 10 + (rounds + 1) * 3 * (2 + durationMs / 400),
  },
  {
    name: 'latency',
    engines: BOTH,
    run: benchLatency,
    seconds: ({ steadyMs }) => 13 + (4 * steadyMs) / 1_000,
  },
  {
    name: 'listen',
    engines: BOTH,
    run: benchListen,
    seconds: ({ steadyMs }) => 18 + (4 * steadyMs) / 1_000,
  },
  {
    name: 'keeping-up',
    engines: BOTH,
    run: benchKeepingUp,
    seconds: ({ steadyMs }) => 8 + steadyMs / 1_000,
  },
  {
    name: 'dead',
    engines: BOTH,
    run: benchDead,
    seconds: ({ steadyMs }) => 20 + (4 * steadyMs) / 1_000,
  },
  { name: 'knowledge', engines: BOTH, run: benchKnowledge, seconds: () => 240 },
  { name: 'knowledge-alike', engines: ['sqlite'], run: benchKnowledgeAlike, seconds: () => 240 },
  { name: 'knowledge-quality', engines: ['sqlite'], run: benchKnowledgeQuality, seconds: () => 40 },
  {
    name: 'neighbours',
    engines: BOTH,
    run: benchNeighbours,
    seconds: ({ steadyMs }) => 9 * (8 + (2 * steadyMs) / 1_000),
  },
  {
    name: 'retries',
    engines: BOTH,
    run: benchRetries,
    seconds: ({ steadyMs }) => 28 + (3 * steadyMs) / 1_000,
  },
  {
    name: 'parked',
    engines: BOTH,
    run: benchParked,
    seconds: ({ rounds, durationMs }) => 60 + (rounds * 9 * durationMs) / 1_000,
  },
  { name: 'organizations', engines: BOTH, run: benchOrganizations, seconds: () => 60 },
  {
    name: 'platform',
    engines: BOTH,
    run: benchPlatform,
    seconds: ({ rounds, durationMs }) => 30 + (2 * rounds * durationMs) / 1_000,
  },
  {
    name: 'retention',
    engines: BOTH,
    run: benchRetention,
    seconds: ({ steadyMs }) => 120 + steadyMs / 1_000,
  },
  {
    name: 'backups',
    engines: BOTH,
    run: benchBackups,
    seconds: ({ steadyMs }) => 60 + (4 * steadyMs) / 1_000,
  },
  {
    name: 'files',
    engines: BOTH,
    run: benchFiles,
    seconds: ({ rounds, steadyMs }) => 50 + rounds * 2 + (3.5 * steadyMs) / 1_000,
  },
  {
    name: 'streams',
    engines: BOTH,
    run: benchStreams,
    seconds: ({ steadyMs }) => 15 + (2 * steadyMs) / 1_000,
  },
  {
    name: 'runs',
    engines: BOTH,
    run: benchRuns,
    seconds: ({ rounds, durationMs, steadyMs }) =>
      60 + ((rounds + 1) * (3 * durationMs + 1_500) + steadyMs) / 1_000,
  },
  {
    name: 'run-parts',
    engines: BOTH,
    run: benchRunParts,
    seconds: ({ rounds, durationMs }) => rounds * (10 + durationMs / 200),
  },
  { name: 'replay', engines: BOTH, run: benchReplay, seconds: () => 80 },
  {
    name: 'workers',
    engines: ['postgres'],
    run: benchWorkers,
    seconds: ({ rounds, durationMs }) => 6 + rounds * (10 + (4 * durationMs) / 1_000),
  },
  {
    name: 'sending',
    engines: ['sqlite'],
    run: benchSending,
    seconds: ({ rounds, durationMs }) => 20 + (rounds * 10 * durationMs) / 1_000,
  },
  {
    name: 'sharing',
    engines: ['postgres'],
    run: benchSharing,
    seconds: ({ rounds, durationMs }) => 40 + ((rounds + 1) * 4 * durationMs) / 1_000,
  },
]
