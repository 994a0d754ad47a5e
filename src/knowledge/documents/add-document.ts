import { createHash } from 'node:crypto'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId, parseId } from '../../core/id.ts'
import { toLabel } from '../../core/text/label.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, strict } from '../../http/schema/validation.ts'
import { addToCount, takeCount } from '../base-count.ts'
import { getBase } from '../base-row.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { type Document, queueDocument } from './document-row.ts'

/** Documents of a knowledge base at most. */
export const MOST_DOCUMENTS = 10_000
/** Characters of a text that is sent as a document; what is longer is sent as a file. */
export const LONGEST_TEXT = 1_000_000
const LONGEST_NAME = 100
const UNTITLED = 'Untitled'

export const NewDocument = strict(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_TEXT,
        description: 'Its headings of Markdown are told with what is found below them.',
      }),
    ),
    fileId: Type.Optional(IdSchema('file')),
    name: Type.Optional(NameSchema),
  },
  { minProperties: 1, ...documented({ oneOf: [{ required: ['text'] }, { required: ['fileId'] }] }) },
)

export type Source =
  | { text: string; sha256: string; name: string }
  | { fileId: Id<'file'>; name: string | undefined }

/**
 * What a request says that a document is to be made of.
 * @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED
 */
export function sourceOf({ text, fileId, name }: Static<typeof NewDocument>): Source {
  if (text !== undefined && fileId !== undefined)
    throw new ApiError('VALIDATION_FAILED', { field: 'fileId', reason: 'beside_text' })
  if (fileId !== undefined) return { fileId: parseId('file', fileId, 'fileId'), name }
  if (text === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'text' })
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { text, sha256, name: name ?? firstLine(text) }
}

/** What a text is called that nobody has named. */
function firstLine(text: string): string {
  const [line = ''] = text
    .slice(0, 1_000)
    .replace(/^[\s#]+/, '')
    .split('\n', 1)
  return toLabel(line, LONGEST_NAME) ?? UNTITLED
}

type AddDeps = Pick<KnowledgeDeps, 'jobs' | 'findFile'>

/**
 * Adds a document to a knowledge base, to be indexed as soon as there is a text: a file may still be in processing.
 * @throws ApiError ENTITY_NOT_FOUND, DUPLICATE, FORBIDDEN
 */
export async function addDocument(
  tx: Tx,
  { jobs, findFile }: AddDeps,
  {
    organizationId,
    actorId,
    baseId,
  }: { organizationId: Id<'organization'>; actorId: string; baseId: string },
  source: Source,
  now: Millis,
): Promise<Document> {
  // Locked: of several that come at once each counts the one before, and none comes after the end of the base.
  const base = await getBase(tx, organizationId, baseId, { how: lock })
  const from =
    'text' in source
      ? { ...source, id: null, isReady: true }
      : await readyFile(tx, findFile, organizationId, source)
  const { documents } = await takeCount(tx, base.id)
  const row: Document = {
    id: newId('document', now),
    organization_id: organizationId,
    knowledge_base_id: base.id,
    name: from.name,
    file_id: from.id,
    sha256: from.sha256,
    status: 'queued',
    ...{ error_code: null, error_reason: null, job_id: null, reservation: null },
    ...{ version: 0, staging: 0, staged_chunks: 0, chunks: 0, chars: 0, embedding: null },
    ...{ created_by: actorId, queued_at: now, created_at: now, updated_at: now, indexed_at: null },
  }
  const inserted = await tx
    .insertInto('document')
    .values(row)
    .onConflict((conflict) => conflict.columns(['knowledge_base_id', 'sha256']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined)
    throw await duplicate(tx, base.id, from.sha256, from.id === null ? 'text' : 'fileId')
  if (documents >= MOST_DOCUMENTS)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_documents', limit: MOST_DOCUMENTS })
  await addToCount(tx, base.id, { documents: 1 })
  if ('text' in source)
    await tx.insertInto('document_text').values({ document_id: row.id, text: source.text }).execute()
  noteChanges(tx, 'document', [row])
  if (!from.isReady) return row
  return { ...row, job_id: await queueDocument(tx, jobs, row, now) }
}

async function duplicate(tx: Tx, baseId: Id<'knowledgeBase'>, sha256: string, field: string) {
  const known = await tx
    .selectFrom('document')
    .select('id')
    .where('knowledge_base_id', '=', baseId)
    .where('sha256', '=', sha256)
    .executeTakeFirstOrThrow()
  return new ApiError('DUPLICATE', { field, documentId: known.id })
}

async function readyFile(
  tx: Tx,
  findFile: KnowledgeDeps['findFile'],
  organizationId: Id<'organization'>,
  { fileId, name }: Extract<Source, { fileId: unknown }>,
) {
  const file = await findFile(tx, organizationId, fileId)
  if (file === undefined) throw notFound('fileId', fileId)
  return {
    id: fileId,
    sha256: file.sha256,
    name: name ?? toLabel(file.name, LONGEST_NAME) ?? UNTITLED,
    isReady: file.status !== 'processing',
  }
}
