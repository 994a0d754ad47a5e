import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { LiveView } from '../live/live-kinds.ts'
import { addressRule } from '../net/address.ts'
import { createAgent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { Shared } from '../shared/shared.ts'
import { baseChangeRoutes } from './base-change.ts'
import { baseRoutes } from './bases.ts'
import type { KnowledgeDeps } from './deps.ts'
import { documentRoutes } from './documents/document-routes.ts'
import { documentView } from './documents/document-wire.ts'
import { queueDocumentsOfFile, removeDocumentsOfFile } from './documents/documents-of-file.ts'
import { createEmbeddings } from './embeddings.ts'
import { indexingHandler } from './indexing/index-document.ts'
import { createRemoval } from './indexing/removal.ts'
import { settleIndexing } from './indexing/settle-indexing.ts'
import { chunkRoutes } from './read/chunks-route.ts'
import { textRoutes } from './read/text-route.ts'
import { createRanker } from './search/ranker.ts'
import { createSearch, type Search } from './search/search.ts'
import { searchRoutes } from './search/search-route.ts'

/** Concurrent indexings of one process. */
const PLACES = 3

/** The operator configures the endpoint of embeddings, so it may have any address, also on this machine. */
const EVERYWHERE = ['0.0.0.0/0', '::/0']

/** Knowledge bases, their documents and their search. */
interface Knowledge {
  routes: (server: Server) => void
  /** The representation of changes in the live stream. */
  views: LiveView[]
  /** Called at the end of a file's processing, and at its deletion, in the same transaction. */
  onEnded: (
    tx: Tx,
    file: { id: Id<'file'>; organization_id: Id<'organization'> },
    now: Millis,
  ) => Promise<void>
  onDeleted: (tx: Tx, organizationId: Id<'organization'>, fileId: Id<'file'>, now: Millis) => Promise<void>
  search: Search
  start: () => void
  stop: () => Promise<void>
  close: () => Promise<void>
}

/** Dependencies on other slices: files, charges and jobs. */
interface Ports
  extends Pick<Delivery, 'publish'>,
    Pick<KnowledgeDeps, 'findFile' | 'readFile' | 'readFilePage'> {
  charge: Charge
  jobs: Jobs
}

/** Creates the parts of the slice; nothing runs yet. */
export function createKnowledge(shared: Shared, ports: Ports): Knowledge {
  const removal = createRemoval({ ...shared, charge: ports.charge })
  const { config, clock, resolve } = shared
  const agent = createAgent({ isAllowed: addressRule(EVERYWHERE), resolve })
  const endpoint = config.knowledge.embeddings
  const embeddings = endpoint && createEmbeddings(endpoint, { clock, agent })
  const deps: KnowledgeDeps = { ...shared, ...ports, embeddings, removeSoon: () => removal.wake() }
  const ranker = createRanker()
  const search = createSearch({ ...deps, ranker })
  ports.jobs.register(indexingHandler(deps), { places: PLACES, onSettled: settleIndexing(deps) })
  const isWorking = config.role !== 'api'
  return {
    views: [documentView],
    routes(server) {
      baseRoutes(server, deps)
      baseChangeRoutes(server, deps)
      documentRoutes(server, deps)
      textRoutes(server, deps)
      chunkRoutes(server, deps)
      searchRoutes(server, { ...deps, search })
    },
    onEnded: (tx, file, now) => queueDocumentsOfFile(tx, deps, file, now),
    onDeleted: (tx, ...deleted) => removeDocumentsOfFile(tx, deps, ...deleted),
    search,
    start() {
      if (isWorking) removal.start()
    },
    stop: removal.stop,
    async close() {
      await Promise.all([agent.close(), ranker.close()])
    },
  }
}
