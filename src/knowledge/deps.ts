import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import type { Publish } from '../delivery/publish/publish.ts'
import type { Once } from '../http/idempotency.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Charge } from '../shared/charge.ts'
import type { Embeddings } from './embeddings.ts'

/** The location of a text in its file. */
export interface Location {
  page?: number
  sheet?: string
  heading?: string
}

/** A piece of text from one location. */
export interface Piece {
  text: string
  location: Location
}

/** A file with its text and the state of its processing. */
export interface FileText {
  status: 'processing' | 'processed' | 'failed'
  name: string
  sha256: string
  /** The job that reads it; null unless it is being processed. */
  jobId: Id<'job'> | null
  /** The failure of the last reading: a code of the catalogue and its reason. */
  error: { code: string; reason: string | null } | null
  /** The id of the text; it changes when the file is read again. Null without a text. */
  textId: Id<'blob'> | null
  pieces: Piece[]
}

/** A page of the text of a file. */
export interface FilePage {
  textId: Id<'blob'> | null
  /** Null until the file was processed for the first time. */
  text: string | null
  parts: (Location & { offset: number })[]
  nextCursor: string | null
}

/** The dependencies of the knowledge slice; each operation names the members that it uses. */
export interface KnowledgeDeps {
  config: Pick<Config, 'web' | 'plans'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  database: Database
  once: Once
  publish: Publish
  /** Charges for indexing. */
  charge: Charge
  jobs: Jobs
  /** Finds a file of an organization, without its text. In a transaction it stays unchanged until the end. */
  findFile: (
    db: Db | Tx,
    organizationId: Id<'organization'>,
    fileId: Id<'file'>,
  ) => Promise<Omit<FileText, 'pieces' | 'textId'> | undefined>
  readFile: (organizationId: Id<'organization'>, fileId: Id<'file'>) => Promise<FileText | undefined>
  /** @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED; the code of the file where it has no text because it failed */
  readFilePage: (
    organizationId: Id<'organization'>,
    fileId: Id<'file'>,
    cursor: string | undefined,
  ) => Promise<FilePage>
  /** The endpoint of embeddings; undefined without one. */
  embeddings: Embeddings | undefined
  /** Called after a commit that leaves chunks to be removed. */
  removeSoon: () => void
}
