import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Handlers } from '../db/notifier.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { LiveView } from '../live/live-kinds.ts'
import type { Readers } from '../live/readers.ts'
import { createAgent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { Shared } from '../shared/shared.ts'
import { conversationRoutes } from './conversations/conversations.ts'
import { agentChangeRoutes } from './definitions/agent-change.ts'
import { agentRoutes } from './definitions/agents.ts'
import { agentVersionRoutes } from './definitions/version-routes.ts'
import { type FilePort, type KnowledgePort, searchOwned } from './deps.ts'
import { createChatModel } from './models/chat/chat-model.ts'
import { createExtractive } from './models/extractive.ts'
import { modelRoutes } from './models/model-routes.ts'
import { cancelConversation, cancelOrganization } from './runs/cancel-runs.ts'
import { createOverdueEnder } from './runs/end-overdue-runs.ts'
import { runEventRoutes } from './runs/event-routes.ts'
import { listRunRoutes } from './runs/list-runs.ts'
import { runChangeRoutes } from './runs/run-change.ts'
import type { RunDeps } from './runs/run-deps.ts'
import { createRunFeed } from './runs/run-feed.ts'
import { createRunWaits } from './runs/run-waits.ts'
import { runView } from './runs/run-wire.ts'
import { runRoutes } from './runs/runs.ts'
import { createLiveRuns } from './steps/live-runs.ts'
import { createRunSignals } from './steps/run-signals.ts'
import { createRunTrace } from './steps/run-trace.ts'
import { registerRuns } from './steps/run-worker.ts'
import { createSearchSource } from './tools/search-tool.ts'
import type { ToolSource } from './tools/tool.ts'

/** Agents, their runs and conversations, and MCP servers. */
interface Agents {
  routes: (server: Server) => void
  /** The live stream's views of changed rows. */
  views: LiveView[]
  /** Cancels every open run of an organization. */
  cancelRuns: (organizationId: Id<'organization'>, now: Millis) => Promise<void>
  /** Handlers of notifications from other processes. */
  handlers: Handlers
  start: () => void
  /** Answers waiting requests, and returns runs to the queue. */
  drain: () => void
  stop: () => Promise<void>
  close: () => Promise<void>
}

interface AgentParts extends Pick<Delivery, 'publish' | 'publishAll'> {
  charge: Charge
  jobs: Jobs
  knowledge: KnowledgePort
  files: FilePort
  /** The tools of MCP servers. */
  servers: ToolSource
  readers: Readers
}

/** Creates the parts of the slice; none of them runs yet. */
export function createAgents(shared: Shared, parts: AgentParts): Agents {
  const { config, clock, log, vault, database, metrics, resolve } = shared
  const { jobs, knowledge, servers, readers } = parts
  const { spans } = shared.telemetry ?? {}
  const { db } = database.background
  const search = searchOwned(knowledge)
  // The operator configured these addresses: they are not checked.
  const agent = createAgent({ isAllowed: () => true, resolve })
  const configured = config.agents.models.map((model) => createChatModel(model, { clock, agent }))
  const models = new Map([createExtractive({ db, search }), ...configured].map((one) => [one.name, one]))
  const signals = createRunSignals(database.notifier)
  const live = createLiveRuns()
  const steps = {
    ...parts,
    ...{ clock, log, models, signals, live, metrics },
    trace: spans && createRunTrace(spans, config.agents.models),
    database: database.background,
    stepPrice: config.plans.book.prices['run.step'],
    toolSources: [createSearchSource({ db, search }), servers],
  }
  const waits = createRunWaits({ clock, database, signals })
  const feed = createRunFeed({ clock, vault, database, signals, live, log })
  const runs: RunDeps = { ...shared, ...steps, database, waits, feed, readers }
  const definitions = { ...shared, models, knowledge, toolSource: servers }
  const overdue = createOverdueEnder(steps)
  registerRuns(jobs, steps)

  return {
    views: [runView],
    routes(server) {
      agentRoutes(server, definitions)
      agentChangeRoutes(server, definitions)
      agentVersionRoutes(server, definitions)
      modelRoutes(server, { models })
      runRoutes(server, runs)
      listRunRoutes(server, runs)
      runChangeRoutes(server, runs)
      runEventRoutes(server, runs)
      conversationRoutes(server, {
        ...shared,
        cancelRuns: (tx, ...which) => cancelConversation(tx, runs, ...which),
      })
    },
    cancelRuns: (...which) => cancelOrganization(steps, ...which),
    handlers: { ...signals.handlers, ...feed.handlers },
    start() {
      if (config.role !== 'api') overdue.start()
    },
    drain() {
      waits.stop()
      feed.stop()
      live.drain()
    },
    stop: overdue.stop,
    close: agent.close,
  }
}
