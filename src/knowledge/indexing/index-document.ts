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

/** Chunks of one commit, which blocks other writers for some milliseconds. */
const CHUNKS_A_STEP = 100
/** The longest time of work on texts without a yield to the event loop. */
const LONGEST_TURN: Millis = 5

/** Attempts without vectors after which a document fails. */
const MOST_TRIES = 4

/** The text of a document, with the id of its file's text. */
type Text = Pick<FileText, 'pieces' | 'textId'>

/** The result of an indexing job, for the transaction that settles it. */
export interface IndexResult {
  version: number
  chunks: number
  chars: number
  text_id: Id<'blob'> | null
  embedding: string | null
}

type IndexDeps = Pick<KnowledgeDeps, 'config' | 'clock' | 'database' | 'charge' | 'readFile' | 'embeddings'>

/** The handler of indexing jobs. It cuts a text into chunks, and writes them as a version that no search finds until it is complete. */
export function indexingHandler(deps: IndexDeps): Handler {
  const { config, clock, charge, embeddings } = deps
  const database = deps.database.background
  const price = config.plans.book.prices['document.index']

  async function work(job: RowJob, doing: Doing): Promise<Outcome> {
    const { documentId } = job.payload as IndexPayload
    const found = await findRow(documentId, job.id)
    // The document was deleted or replaced, or an earlier attempt has finished: the settlement of this job finds no document.
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

  /** Reads a document with its texts in one statement, because a deleted file moves the text of the replacement. */
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

  /** Reads the text of a document. @returns the text, or the outcome of the job where there is none */
  async function readSource(row: Document, text: string | null): Promise<Text | Outcome> {
    const { file_id: fileId } = contentToIndex(row)
    if (fileId === null) return { pieces: [...piecesOfText(text ?? '')], textId: null }
    const file = await deps.readFile(row.organization_id, fileId)
    // The deletion of a file also takes its documents from this job, so the next attempt finds no row.
    if (file === undefined) return { retry: 'file_deleted' }
    if (file.status === 'processing') return { retry: 'file_processing' }
    if (file.status === 'processed') return file
    // The file is the cause, so its code is reported.
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
    // Without the model of the base, the document is found by its words only, and searches report that.
    const model = staged.embedding === embeddings?.model ? embeddings : undefined
    let position = 0
    for (const chunks of stepsOf(chunksOf(pieces), model === undefined ? CHUNKS_A_STEP : BATCH)) {
      const vectors = await model?.embed(chunks.map(toEmbed), {
        owner: job.organizationId,
        deadline: INDEX_DEADLINE,
        signal,
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

/** The input of a chunk's vector. */
function toEmbed({ text, location }: Chunk): string {
  return location.heading === undefined ? text : `${location.heading}\n${text}`
}

function withoutVectors({ failure, isPassing, notBefore }: NoVectors, { attempts }: RowJob): Outcome {
  if (!isPassing || attempts + 1 >= MOST_TRIES) return { failed: failure }
  return notBefore === undefined ? { retry: failure } : { retry: failure, notBefore }
}

/** Groups chunks. */
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

/** Counts the chunks and characters of a text. */
async function measure(pieces: Piece[], signal: AbortSignal): Promise<Size> {
  const size = { chunks: 0, chars: 0 }
  for (const { text } of pieces) size.chars += text.length
  await eachInTurns(chunksOf(pieces), signal, (chunk) => {
    if (chunk !== undefined) size.chunks += 1
    return size.chunks <= MOST_CHUNKS.document
  })
  return size
}

/** Calls `use` for each chunk until it returns false, and yields to the event loop in between. */
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
