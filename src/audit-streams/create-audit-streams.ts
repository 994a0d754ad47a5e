import { countUnsent, type StreamLag } from '../audit/unsent.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import { createAgent } from '../net/agent.ts'
import type { Shared } from '../shared/shared.ts'
import { ensureStreamJobs } from './ensure-stream-job.ts'
import { expireMarks } from './expire-marks.ts'
import type { Stream } from './stream.ts'
import { streamHandler } from './stream-job.ts'
import { streamRoutes } from './stream-routes.ts'
import { listStreams } from './stream-store.ts'

/** Streams that one process sends at once: the most that can exist. */
const CONCURRENCY = 3

/** The state of a stream for the metrics. */
export interface StreamState extends StreamLag {
  stream: Stream
}

interface AuditStreams {
  routes: (server: Server) => void
  /** Called periodically. */
  chore: () => Promise<void>
  /** The states of all streams. */
  states: () => Promise<StreamState[]>
  close: () => Promise<void>
}

/** Streams the audit log to the operator's receivers: marks, a standing job per stream, and routes. */
export function createAuditStreams(
  { config, clock, log, database, vault, resolve, once }: Shared,
  { jobs }: { jobs: Pick<Jobs, 'register' | 'add'> },
): AuditStreams {
  // The operator configured these addresses, which may be in private networks.
  const agent = createAgent({ isAllowed: () => true, resolve })
  const parts = { config, clock, log, database, vault, agent, once, addJob: jobs.add }
  jobs.register(streamHandler(parts), { places: CONCURRENCY })
  const { background } = database
  return {
    routes: (server) => streamRoutes(server, parts),
    async chore() {
      const now = clock.now()
      await ensureStreamJobs(background, jobs.add, now)
      await expireMarks({ database: background, auditDays: config.operations.auditDays, log }, now)
    },
    async states() {
      const streams = await listStreams(background.db)
      return Promise.all(
        streams.map(async (stream) => ({ stream, ...(await countUnsent(background.db, stream.bit)) })),
      )
    },
    close: agent.close,
  }
}
