import type { Blobs } from '../blobs/create-blobs.ts'
import { MINUTE, SECOND } from '../core/clock.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { LiveView } from '../live/live-kinds.ts'
import { addressRule } from '../net/address.ts'
import { createAgent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { Shared } from '../shared/shared.ts'
import type { FileDeps, FileHooks } from './deps.ts'
import { createReadFileText, type ReadFileText } from './file-text.ts'
import { fileView } from './file-wire.ts'
import { fromUrlRoutes } from './intake/from-url.ts'
import { uploadRoutes } from './intake/upload.ts'
import { createEndProcessing } from './process/end-processing.ts'
import { processFile } from './process/process-file.ts'
import { processRoutes } from './process/process-route.ts'
import { contentRoutes } from './read/content.ts'
import { createReadFilePage } from './read/file-page.ts'
import { fileRoutes } from './read/files.ts'
import { textRoutes } from './read/text.ts'
import { createReaders } from './readers/read-text.ts'
import { createUploadSlots } from './upload-slots.ts'

/** Files of organizations, and their text. */
interface Files {
  routes: (server: Server) => void
  /** The representation of changes in the live stream. */
  views: LiveView[]
  /** Reads the text of a file, for other slices. */
  readText: ReadFileText
  close: () => Promise<void>
}

interface FileParts extends FileHooks {
  publish: Delivery['publish']
  charge: Charge
  jobs: Jobs
  blobs: Blobs
}

/** Concurrent uploads and fetches of one process. */
const [UPLOADS, FETCHES] = [64, 32]
/** Files that are sent to or read by child processes at once. */
const PROCESSED_AT_ONCE = 4

/** Creates the parts of the slice; nothing runs yet. */
export function createFiles(shared: Shared, parts: FileParts): Files {
  const { config, clock, log, database, once, resolve } = shared
  const agent = createAgent({
    isAllowed: addressRule(config.files.allowedNetworks, 'FILES_ALLOWED_NETWORKS'),
    resolve,
  })
  const readers = createReaders({ seconds: config.files.parseSeconds })
  // A process that only serves HTTP reads no files.
  const prestart = config.role === 'api' ? () => {} : readers.prestart
  const deps: FileDeps = {
    ...{ config, clock, log, database, once, agent },
    readers: { ...readers, prestart },
    ...parts,
    uploads: createUploadSlots(clock, UPLOADS, MINUTE),
    fetches: createUploadSlots(clock, FETCHES, 10 * SECOND),
  }
  parts.jobs.register(processFile(deps), { places: PROCESSED_AT_ONCE, onSettled: createEndProcessing(deps) })
  return {
    views: [fileView],
    routes(server) {
      uploadRoutes(server, deps)
      fromUrlRoutes(server, deps)
      fileRoutes(server, deps)
      contentRoutes(server, deps)
      textRoutes(server, createReadFilePage(deps))
      processRoutes(server, deps)
    },
    readText: createReadFileText(deps),
    async close() {
      await readers.close()
      await agent.close()
    },
  }
}
