import { HOUR, type Millis, SECOND, stopwatch, turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { RowJob } from '../../jobs/rows/row.ts'
import type { Doing, Handler, Outcome } from '../../jobs/rows/row-kind.ts'
import type { FileText, KnowledgeDeps, Piece } from '../deps.ts'
import { type Document, INDEXING, type IndexPayload } from '../documents/document-row.ts'
import type { IndexFailure } from '../documents/indexing-end.ts'
import { contentToIndex } from '../documents/replacement.ts'
import { BATCH, INDEX_DEADLINE, type NoVectors } from '../embeddings.ts'
import { type Chunk, chunksOf, piecesOfText } from './chunks.ts'
import { beginVersion, MOST_CHUNKS, type StagedVersion, writeChunks } from './staged-version.ts'

/** Chunks of one commit: other writers wait for it some milliseconds. */
const CHUNKS_A_STEP = 100
/** Longest stretch of work on texts before others have a turn. */
const LONGEST_TURN: Millis = 5

/** After so many tries without vectors a document has failed. */
const MOST_TRIES = 4

/** The text of a document, with the id of the text in its file. */
type Text = Pick<FileText, 'pieces' | 'textId'>

/** What a job has brought, for the transaction that ends it. */
export interface IndexResult {
  version: number
  chunks: number
  chars: number
  text_id: Id<'blob'> | null
  embedding: string | null
}

type IndexDeps = Pick<KnowledgeDeps, 'config' | 'clock' | 'database' | 'charge' | 'readFile' | 'embeddings'>

/** Indexes a document: cuts its text into chunks, and writes them as a version that no search finds until it is complete. */
export function indexingHandler(deps: IndexDeps): Handler {
  const { config, clock, charge, embeddings } = deps
  const database = deps.database.background
  const price = config.plans.book.prices['document.index']

  async function work(job: RowJob, doing: Doing): Promise<Outcome> {
    const { documentId } = job.payload as IndexPayload
    const found = await findRow(documentId, job.id)
    // The document was deleted or replaced, or an earlier attempt has ended it: the settlement of this job finds no document.
    if (found === undefined) return { failed: 'deleted' }
    const { own_text, next_text, ...row } = found
    const source = await readSource(row, row.next_sha256 === null ? own_text : next_text)
    if (!('pieces' in source)) return source
    const size = await measure(source.pieces, doing.signal)
    if (size.chunks === 0) return { failed: 'no_text' }
    if (size.chunks > MOST_CHUNKS.document) return { failed: 'too_many_chunks' }
    try {
      const staged = await beginVersion({ database, charge, price }, row, size.chunks, clock.now())
      if (staged === undefined) return { failed: 'deleted' }
      if (staged === 'base_full') return { failed: 'knowledge_base_full' }
      return await write(job, staged, source, size, doing)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INSUFFICIENT_CREDITS')
        return { done: { code: error.code, reason: null } satisfies IndexFailure }
      throw error
    }
  }

  /** A document with its texts, by one statement: the text of a replacement becomes its own where its file is deleted. */
  function findRow(documentId: Id<'document'>, jobId: Id<'job'>) {
    return database.db
      .selectFrom('document')
      .leftJoin('document_text', 'document_text.document_id', 'document.id')
      .leftJoin('document_next_text', 'document_next_text.document_id', 'document.id')
      .selectAll('document')
      .select(['document_text.text as own_text', 'document_next_text.text as next_text'])
      .where('document.id', '=', documentId)
      .where('document.job_id', '=', jobId)
      .executeTakeFirst()
  }

  /** The text of a document, or why there is none. */
  async function readSource(row: Document, text: string | null): Promise<Text | Outcome> {
    const { file_id: fileId } = contentToIndex(row)
    if (fileId === null) return { pieces: [...piecesOfText(text ?? '')], textId: null }
    const file = await deps.readFile(row.organization_id, fileId)
    // What deletes a file ends this job for its documents in the same transaction: no row is found any more.
    if (file === undefined) return { retry: 'file_deleted' }
    if (file.status === 'processing') return { retry: 'file_processing' }
    if (file.status === 'processed') return file
    // The cause is in the file, so the code of the file says why.
    const { code, reason } = file.error ?? { code: 'INDEXING_FAILED', reason: 'file_failed' }
    return { done: { code, reason } satisfies IndexFailure }
  }

  async function write(
    job: RowJob,
    staged: StagedVersion,
    { pieces, textId }: Text,
    size: Size,
    { signal }: Doing,
  ): Promise<Outcome> {
    const { version } = staged
    // Without the model of the base, the document is found by its words alone, and a search says so.
    const model = staged.embedding === embeddings?.model ? embeddings : undefined
    let position = 0
    for (const chunks of stepsOf(chunksOf(pieces), model === undefined ? CHUNKS_A_STEP : BATCH)) {
      const vectors = await model?.embed(chunks.map(toEmbed), {
        owner: job.organizationId,
        deadline: INDEX_DEADLINE,
      })
      if (signal.aborted) return { retry: String(signal.reason) }
      if (vectors !== undefined && !Array.isArray(vectors)) return withoutVectors(vectors, job)
      const ready = chunks.map((chunk, index) => ({
        ...chunk,
        position: position + index,
        vector: vectors?.[index],
      }))
      if (!(await writeChunks(database, staged, ready))) return { failed: 'deleted' }
      position += chunks.length
      await turn()
    }
    const done: IndexResult = { ...size, version, text_id: textId, embedding: model?.model ?? null }
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

/** What a vector is made of. */
function toEmbed({ text, location }: Chunk): string {
  return location.heading === undefined ? text : `${location.heading}\n${text}`
}

function withoutVectors({ failure, isPassing, notBefore }: NoVectors, { attempts }: RowJob): Outcome {
  if (!isPassing || attempts + 1 >= MOST_TRIES) return { failed: failure }
  return notBefore === undefined ? { retry: failure } : { retry: failure, notBefore }
}

/** Chunks, so many at a time. */
function* stepsOf(chunks: Iterable<Chunk | undefined>, size: number): Generator<Chunk[]> {
  let step: Chunk[] = []
  for (const chunk of chunks) {
    if (chunk !== undefined) step.push(chunk)
    if (step.length < size) continue
    yield step
    step = []
  }
  if (step.length > 0) yield step
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

/** Iterates over long work, and gives others a turn in between. */
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
