import { createHash } from 'node:crypto'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import { toLabel } from '../../core/text/label.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, NameSchema, strict } from '../../http/schema/validation.ts'
import type { KnowledgeDeps } from '../deps.ts'

/** Characters of a text in a request, at most; longer texts are uploaded as files. */
export const LONGEST_TEXT = 1_000_000
const LONGEST_NAME = 100
const UNTITLED = 'Untitled'

/** The request body for a new document or a replacement. */
export const NewDocument = strict(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_TEXT,
        description: 'Passages are returned with the Markdown heading above them.',
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
 * Reads the source of a document from a request.
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

/** The name of a text without a given name: its first line. */
function firstLine(text: string): string {
  const [line = ''] = text
    .slice(0, 1_000)
    .replace(/^[\s#]+/, '')
    .split('\n', 1)
  return toLabel(line, LONGEST_NAME) ?? UNTITLED
}

/** The content of a document, with the state of its file. */
export interface SourceContent {
  name: string
  /** Null for a text. */
  fileId: Id<'file'> | null
  sha256: string
  /** Null for a file, whose text is read when it is indexed. */
  text: string | null
  /** Whether it can be indexed now: a file may still be in processing. */
  isReady: boolean
}

/**
 * Finds the file of a source, which stays unchanged until `tx` ends. The knowledge base must be locked before.
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function resolveSource(
  tx: Tx,
  { findFile }: Pick<KnowledgeDeps, 'findFile'>,
  organizationId: Id<'organization'>,
  source: Source,
): Promise<SourceContent> {
  if ('text' in source) return { ...source, fileId: null, isReady: true }
  const { fileId, name } = source
  const file = await findFile(tx, organizationId, fileId)
  if (file === undefined) throw notFound('fileId', fileId)
  return {
    ...{ fileId, sha256: file.sha256, text: null },
    name: name ?? toLabel(file.name, LONGEST_NAME) ?? UNTITLED,
    isReady: file.status !== 'processing',
  }
}

/**
 * Refuses content that the base already has, in a document or its replacement. The base must be locked.
 * @param own the document that is replaced, which may have it
 * @throws ApiError DUPLICATE
 */
export async function refuseDuplicate(
  tx: Tx,
  baseId: Id<'knowledgeBase'>,
  { sha256, fileId }: SourceContent,
  own?: Id<'document'>,
): Promise<void> {
  const known = await tx
    .selectFrom('document')
    .select('id')
    .where('knowledge_base_id', '=', baseId)
    .where(({ or, eb }) => or([eb('sha256', '=', sha256), eb('next_sha256', '=', sha256)]))
    .$if(own !== undefined, (query) => query.where('id', '<>', own as Id<'document'>))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (known === undefined) return
  throw new ApiError('DUPLICATE', { field: fileId === null ? 'text' : 'fileId', documentId: known.id })
}
