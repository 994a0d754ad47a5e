import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { addToCount } from '../base-count.ts'
import type { Document } from './document-row.ts'
import type { SourceContent } from './document-source.ts'

/** The name and content of a document. */
export type Content = Pick<Document, 'name' | 'file_id' | 'sha256'>

export function isSameContent(one: Content, other: Content): boolean {
  return one.name === other.name && one.file_id === other.file_id && one.sha256 === other.sha256
}

/** The content that the next indexing reads: the replacement, else the document's own. */
export function contentToIndex(row: Document): Content {
  const { next_name: name, next_file_id: file_id, next_sha256: sha256 } = row
  return name === null || sha256 === null ? row : { name, file_id, sha256 }
}

const NO_REPLACEMENT = { next_name: null, next_file_id: null, next_sha256: null } as const

/** Stores the replacement of a document until it is indexed. The row must be locked, and have no job. */
export async function setReplacement(
  tx: Tx,
  id: Id<'document'>,
  { name, fileId, sha256, text }: SourceContent,
): Promise<void> {
  await tx.deleteFrom('document_next_text').where('document_id', '=', id).execute()
  if (text !== null) await tx.insertInto('document_next_text').values({ document_id: id, text }).execute()
  await tx
    .updateTable('document')
    .set({ next_name: name, next_file_id: fileId, next_sha256: sha256 })
    .where('id', '=', id)
    .execute()
}

/** Deletes the replacement of a document; the document stays unchanged. The row must be locked. */
export async function dropReplacement(tx: Tx, id: Id<'document'>): Promise<void> {
  await tx.deleteFrom('document_next_text').where('document_id', '=', id).execute()
  await tx.updateTable('document').set(NO_REPLACEMENT).where('id', '=', id).execute()
}

/** Moves the replacement, where there is one, into the document. The row must be locked; the caller removes the old passages. */
export async function applyReplacement(tx: Tx, row: Document): Promise<void> {
  if (row.next_sha256 === null) return
  const { id } = row
  await tx.deleteFrom('document_text').where('document_id', '=', id).execute()
  await tx
    .insertInto('document_text')
    .columns(['document_id', 'text'])
    .expression(
      tx.selectFrom('document_next_text').select(['document_id', 'text']).where('document_id', '=', id),
    )
    .execute()
  await tx.deleteFrom('document_next_text').where('document_id', '=', id).execute()
  const { name, file_id, sha256 } = contentToIndex(row)
  await tx
    .updateTable('document')
    .set({ name, file_id, sha256, ...NO_REPLACEMENT })
    .where('id', '=', id)
    .execute()
}

/**
 * Moves the replacement into a document whose file was deleted. No passage is found until the replacement is indexed; the current job
 * continues. The row must be locked.
 */
export async function applyReplacementUnindexed(tx: Tx, row: Document, now: Millis): Promise<void> {
  const { id, knowledge_base_id: baseId, version, chunks } = row
  await applyReplacement(tx, row)
  await addToCount(tx, baseId, { chunks: -chunks })
  if (version > 0) await tx.insertInto('removal').values({ document_id: id, version }).execute()
  await tx
    .updateTable('document')
    .set({ version: 0, chunks: 0, chars: 0, text_id: null, embedding: null, indexed_at: null })
    .set({ updated_at: now })
    .where('id', '=', id)
    .execute()
  noteChanges(tx, 'document', [row])
}
