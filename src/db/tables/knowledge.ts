import type { Generated } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of knowledge bases, their documents and the index. */
export interface KnowledgeTables {
  knowledge_base: {
    id: Id<'knowledgeBase'>
    organization_id: Id<'organization'>
    /** The id after its deletion, so that another base can have the name. */
    name: string
    /** The embedding model of its documents; null: none. */
    embedding: string | null
    created_by: string | null
    created_at: Millis
    updated_at: Millis
    /** Set at its deletion: no route finds it, and its documents are removed in steps. */
    deleted_at: Millis | null
  }
  document: {
    id: Id<'document'>
    organization_id: Id<'organization'>
    knowledge_base_id: Id<'knowledgeBase'>
    name: string
    /** The file of its content; null for a text. */
    file_id: Id<'file'> | null
    sha256: string
    /** The replacement, which is applied when it is indexed: all three null without one, the file null for a text. */
    next_name: string | null
    next_file_id: Id<'file'> | null
    next_sha256: string | null
    /** Status of the last indexing; until it succeeds, searches find the version before it. */
    status: 'queued' | 'indexing' | 'indexed' | 'failed'
    /** A code of the catalogue, and its reason. */
    error_code: string | null
    error_reason: string | null
    /** The job that indexes it; null without one, also while its file is being processed. */
    job_id: Id<'job'> | null
    /** The version of the chunks that searches find; 0: none yet. */
    version: number
    /** The last begun version, and the chunks that are counted for it in the base. */
    staging: number
    staged_chunks: number
    /** Of the current version. */
    chunks: number
    chars: number
    /** The indexed text of its file; a file that is read again has another. Null for a text. */
    text_id: Id<'blob'> | null
    /** The model of its vectors; null without vectors. */
    embedding: string | null
    /** JSON of the credits reserved for the current indexing. */
    reservation: string | null
    queued_at: Millis
    created_by: string | null
    created_at: Millis
    updated_at: Millis
    indexed_at: Millis | null
  }
  /** Changes of the counts of a knowledge base; their sums are its documents and its chunks, including those that are being written. */
  knowledge_count: {
    id: Generated<number>
    knowledge_base_id: Id<'knowledgeBase'>
    documents: number
    chunks: number
  }
  document_text: { document_id: Id<'document'>; text: string }
  /** The text of a document's replacement. */
  document_next_text: { document_id: Id<'document'>; text: string }
  /** A passage; searches find it where its document has the same version. */
  chunk: {
    id: Generated<number>
    organization_id: Id<'organization'>
    knowledge_base_id: Id<'knowledgeBase'>
    document_id: Id<'document'>
    version: number
    /** From 0 on. */
    position: number
    text: string
    page: number | null
    sheet: string | null
    heading: string | null
  }
  /** float32, of unit length. */
  chunk_vector: {
    chunk_id: number
    knowledge_base_id: Id<'knowledgeBase'>
    document_id: Id<'document'>
    version: number
    vector: Uint8Array
  }
  /** Chunks to be removed, which no search finds: of one version of a document, or of all. */
  removal: { id: Generated<number>; document_id: Id<'document'>; version: number | null }
}
