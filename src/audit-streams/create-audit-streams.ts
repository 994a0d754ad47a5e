import { type Behind, countUnsent } from '../audit/unsent.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import { createAgent } from '../net/agent.ts'
import type { Shared } from '../shared/shared.ts'
import { giveUp } from './give-up.ts'
import { keepJobs } from './standing-job.ts'
import type { Stream } from './stream.ts'
import { streamHandler } from './stream-job.ts'
import { streamRoutes } from './stream-routes.ts'
import { listStreams } from './stream-store.ts'

/** Streams of this process that send at once: all that there may be. */
const PLACES = 3

/** How a stream stands, for the metrics. */
export interface StreamState extends Behind {
  stream: Stream
}

interface AuditStreams {
  routes: (server: Server) => void
  /** Called from time to time. */
  chore: () => Promise<void>
  /** How all streams stand. */
  states: () => Promise<StreamState[]>
  close: () => Promise<void>
}

/** The audit log as a stream to what the operator names: marks, a standing job and its routes. */
export function createAuditStreams(
  { config, clock, log, database, vault, resolve, once }: Shared,
  { jobs }: { jobs: Pick<Jobs, 'register' | 'add'> },
): AuditStreams {
  // The operator names these destinations, in private networks too.
  const agent = createAgent({ isAllowed: () => true, resolve })
  const parts = { config, clock, log, database, vault, agent, once, addJob: jobs.add }
  jobs.register(streamHandler(parts), { places: PLACES, keepsResults: false })
  const { background } = database
  return {
    routes: (server) => streamRoutes(server, parts),
    async chore() {
      const now = clock.now()
      await keepJobs(background, jobs.add, now)
      await giveUp({ database: background, auditDays: config.operations.auditDays, log }, now)
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
