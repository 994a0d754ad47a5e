import { fillDisk } from './disk-full.ts'
import { refuseFlushes } from './disk-refuses.ts'
import { failOver } from './failover.ts'
import { FILES } from './files-killed.ts'
import { flap } from './flapping.ts'
import { traceFlushes } from './flushes.ts'
import { killServer } from './kills.ts'
import { loseMailServer } from './mail-down.ts'
import { BEYOND_LEASE, killPostgres, SHORTLY } from './postgres-killed.ts'
import { killRuns } from './runs-killed.ts'
import type { Scenario } from './scenario.ts'
import { endThread } from './thread-ended.ts'
import { killWork } from './work-killed.ts'
import { killWorker } from './worker-killed.ts'
import { killWorkersOfOne } from './workers-killed.ts'

/** Everything that is done to a server, by the name for `--only`. */
export const SCENARIOS = {
  'kill-sqlite': {
    about: 'The server is killed again and again (SQLite).',
    run: (options) => killServer('sqlite', options),
  },
  'kill-postgres': {
    about: 'The server is killed again and again (PostgreSQL).',
    run: (options) => killServer('postgres', options),
  },
  'postgres-killed': {
    about: 'PostgreSQL itself is killed and comes back.',
    run: (options) => killPostgres(SHORTLY, options),
  },
  'postgres-away': {
    about: 'PostgreSQL is killed and stays away for longer than a lease.',
    run: (options) => killPostgres(BEYOND_LEASE, { ...options, outages: 1 }),
  },
  failover: {
    about: 'Of three PostgreSQL with Patroni the primary is killed again and again, under two servers.',
    run: (options) => failOver(options),
  },
  'failover-haproxy': {
    about: 'The same through HAProxy, with one host in the address.',
    run: (options) => failOver(options, { isProxied: true }),
  },
  'disk-full': { about: 'The disk of the embedded store is full for a while.', run: fillDisk },
  flushes: { about: 'Every system call of the embedded store is looked at.', run: traceFlushes },
  'disk-refuses': { about: 'The disk refuses to flush the log of the embedded store.', run: refuseFlushes },
  flapping: { about: 'Every destination goes away and comes back each second.', run: flap },
  'mail-down': { about: 'The mail server is away while people are invited.', run: loseMailServer },
  'work-sqlite': {
    about: 'The server is killed while files are read and documents indexed (SQLite).',
    run: (options) => killWork('sqlite', options, FILES),
  },
  'work-postgres': {
    about: 'Of two servers that read files and index documents one is killed, in turns (PostgreSQL).',
    run: (options) => killWork('postgres', options, FILES),
  },
  'runs-sqlite': {
    about: 'The server is killed while agents run (SQLite).',
    run: (options) => killRuns('sqlite', options),
  },
  'all-work-sqlite': {
    about: 'The server is killed while files are read, documents indexed and agents run (SQLite).',
    run: (options) => killRuns('sqlite', options, FILES),
  },
  'runs-postgres': {
    about: 'Of two servers that step runs one is killed, in turns (PostgreSQL).',
    run: (options) => killRuns('postgres', options),
  },
  'thread-ended': {
    about: 'The thread that sends deliveries ends again and again (SQLite).',
    run: endThread,
  },
  'worker-killed': { about: 'One of two workers on PostgreSQL is killed.', run: killWorker },
  'workers-killed': {
    about: 'Of the workers of one server one is killed again and again (PostgreSQL).',
    run: killWorkersOfOne,
  },
} as const satisfies Record<string, Scenario>
