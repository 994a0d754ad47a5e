import { HOUR, type Millis, SECOND, stopwatch, turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { RowJob } from '../../jobs/rows/row.ts'
import type { Doing, Handler, Outcome } from '../../jobs/rows/row-kind.ts'
import type { KnowledgeDeps, Piece } from '../deps.ts'
import { type Document, INDEXING, type IndexPayload } from '../documents/document-row.ts'
import { type Chunk, chunksOf, piecesOfText } from './chunks.ts'
import { beginVersion, MOST_CHUNKS, type Ready, type Staged, writeChunks } from './staged.ts'

/** Chunks of one commit: it holds others up for some milliseconds. */
const CHUNKS_A_STEP = 100
/** Work on texts goes on for so long before others have their turn. */
const LONGEST_TURN: Millis = 5

/** What a job has brought, for the transaction that ends it. */
export interface IndexResult {
  version: number
  chunks: number
  chars: number
  embedding: string | null
}

type IndexDeps = Pick<KnowledgeDeps, 'config' | 'clock' | 'database' | 'charge' | 'readFile'>

/** Indexing a document: its text is cut into chunks, and these are written as a version that nobody finds until it is whole. */
export function indexingHandler(deps: IndexDeps): Handler {
  const { config, clock, charge } = deps
  const database = deps.database.background
  const price = config.plans.book.prices['document.index']

  async function work(job: RowJob, doing: Doing): Promise<Outcome> {
    const { documentId } = job.payload as IndexPayload
    const row = await findRow(documentId, job.id)
    // It was deleted, or this was done by an attempt of which nobody has heard.
    if (row === undefined) return { failed: 'deleted' }
    const source = await readSource(row)
    if (!Array.isArray(source)) return source
    const size = await measure(source, doing.signal)
    if (size.chunks === 0) return { failed: 'no_text' }
    if (size.chunks > MOST_CHUNKS.document) return { failed: 'too_many_chunks' }
    try {
      const staged = await beginVersion({ database, charge, price }, row, size.chunks, clock.now())
      if (staged === undefined) return { failed: 'deleted' }
      if (staged === 'base_full') return { failed: 'knowledge_base_full' }
      return await write(staged, source, size, doing)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INSUFFICIENT_CREDITS')
        return { failed: 'insufficient_credits' }
      throw error
    }
  }

  function findRow(documentId: Id<'document'>, jobId: Id<'job'>): Promise<Document | undefined> {
    const { db } = database
    const query = db
      .selectFrom('document')
      .selectAll()
      .where('id', '=', documentId)
      .where('job_id', '=', jobId)
    return query.executeTakeFirst()
  }

  /** The text of a document, or why there is none. */
  async function readSource({ id, organization_id, file_id }: Document): Promise<Piece[] | Outcome> {
    const { db } = database
    if (file_id === null) {
      const query = db.selectFrom('document_text').select('text').where('document_id', '=', id)
      const { text } = (await query.executeTakeFirst()) ?? {}
      return text === undefined ? { failed: 'deleted' } : [...piecesOfText(text)]
    }
    const file = await deps.readFile(db, organization_id, file_id)
    if (file === undefined) return { failed: 'deleted' }
    if (file.status === 'processing') return { retry: 'file_processing' }
    return file.status === 'failed' ? { failed: 'file_failed' } : file.pieces
  }

  async function write(staged: Staged, source: Piece[], size: Size, { signal }: Doing): Promise<Outcome> {
    let step: Ready[] = []
    let position = 0
    const flush = async (): Promise<boolean> => {
      const chunks = step
      step = []
      return writeChunks(database, staged, chunks)
    }
    for (const chunk of chunksOf(source)) {
      if (chunk === undefined) continue
      step.push({ ...chunk, position, vector: undefined })
      position += 1
      if (step.length < CHUNKS_A_STEP) continue
      if (signal.aborted) return { retry: 'aborted' }
      if (!(await flush())) return { failed: 'deleted' }
      await turn()
    }
    if (step.length > 0 && !(await flush())) return { failed: 'deleted' }
    const done: IndexResult = { ...size, version: staged.version, embedding: null }
    return { done }
  }

  return {
    kind: INDEXING,
    longest: HOUR,
    waits: [SECOND, 5 * SECOND, 15 * SECOND],
    isRepeatable: true,
    work,
  }
}

interface Size {
  chunks: number
  chars: number
}

/** How many chunks there will be, and of how many characters. */
async function measure(pieces: Piece[], signal: AbortSignal): Promise<Size> {
  const size = { chunks: 0, chars: 0 }
  for (const { text } of pieces) size.chars += text.length
  await eachInTurns(chunksOf(pieces), signal, (chunk) => {
    if (chunk !== undefined) size.chunks += 1
    return size.chunks <= MOST_CHUNKS.document
  })
  return size
}

/** Goes through what takes long altogether, and lets others have their turn in between. */
async function eachInTurns(
  chunks: Iterable<Chunk | undefined>,
  signal: AbortSignal,
  use: (chunk: Chunk | undefined) => boolean,
): Promise<void> {
  let elapsed = stopwatch()
  for (const chunk of chunks) {
    if (!use(chunk)) return
    if (elapsed() < LONGEST_TURN) continue
    await turn()
    if (signal.aborted) return
    elapsed = stopwatch()
  }
}
