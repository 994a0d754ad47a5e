import type { Logger } from 'pino'
import type { Blobs } from '../blobs/create-blobs.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Publish } from '../delivery/publish/publish.ts'
import type { Once } from '../http/idempotency.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Agent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { FileRow } from './file-wire.ts'
import type { Readers } from './readers/read-text.ts'
import type { UploadSlots } from './upload-slots.ts'

/** A file whose processing has ended, as other slices see it. */
type EndedFile = Pick<FileRow, 'id' | 'organization_id' | 'status'>

/** Work of other slices in the transactions of this one. */
export interface FileHooks {
  /** Called when a file is deleted, to delete data of other slices that depends on it. */
  onDeleted?: (
    tx: Tx,
    organizationId: Id<'organization'>,
    fileId: Id<'file'>,
    now: Millis,
  ) => Promise<unknown>
  /** Called when the processing of a file has ended, to begin work that waits for it. */
  onEnded?: (tx: Tx, file: EndedFile, now: Millis) => Promise<unknown>
}

/** The dependencies of the files slice; each operation names the members that it uses. */
export interface FileDeps extends FileHooks {
  config: Pick<Config, 'plans'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  database: Database
  once: Once
  publish: Publish
  /** Charges for processing. */
  charge: Charge
  jobs: Jobs
  blobs: Blobs
  readers: Readers
  /** The HTTP client for fetches by URL. */
  agent: Agent
  /** Slots for concurrent uploads. A request that gets none within a minute fails with RATE_LIMITED. */
  uploads: UploadSlots
  /** Slots for concurrent fetches, with a wait of ten seconds. */
  fetches: UploadSlots
}
