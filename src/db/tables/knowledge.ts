import type { Generated } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** What organizations know: documents in knowledge bases, and what they are found by. */
export interface KnowledgeTables {
  knowledge_base: {
    id: Id<'knowledgeBase'>
    organization_id: Id<'organization'>
    /** Its id once it is deleted, so that another may have the name. */
    name: string
    /** The model whose vectors its documents are to have; null: none. */
    embedding: string | null
    created_by: string | null
    created_at: Millis
    updated_at: Millis
    /** Set when it was deleted: its documents are removed in steps, and no route finds it. */
    deleted_at: Millis | null
  }
  document: {
    id: Id<'document'>
    organization_id: Id<'organization'>
    knowledge_base_id: Id<'knowledgeBase'>
    name: string
    /** The file that it was made from; null for one that was sent as text. */
    file_id: Id<'file'> | null
    sha256: string
    /** What is to take its place once that is indexed: all three null where nothing is, the file alone for a text. */
    next_name: string | null
    next_file_id: Id<'file'> | null
    next_sha256: string | null
    /** Status of the last indexing; until it succeeds, searches find the version before it. */
    status: 'queued' | 'indexing' | 'indexed' | 'failed'
    /** A code of the catalogue, and why. */
    error_code: string | null
    error_reason: string | null
    /** The job that indexes it; null where none is under way, or its file has still to be processed. */
    job_id: Id<'job'> | null
    /** The version of its chunks that is found; 0: none yet. */
    version: number
    /** The last version that was begun, and how many chunks that may take of the base's. */
    staging: number
    staged_chunks: number
    /** Of the version that is found. */
    chunks: number
    chars: number
    /** Which text of its file was indexed: a file that is read anew has another. Null for a document of a text. */
    text_id: Id<'blob'> | null
    /** The model of its vectors; null where it has none. */
    embedding: string | null
    /** JSON of the credits that are set aside for what is under way. */
    reservation: string | null
    queued_at: Millis
    created_by: string | null
    created_at: Millis
    updated_at: Millis
    indexed_at: Millis | null
  }
  /** Summed: what a knowledge base has of documents, and of their chunks with those that are being written. */
  knowledge_count: {
    id: Generated<number>
    knowledge_base_id: Id<'knowledgeBase'>
    documents: number
    chunks: number
  }
  document_text: { document_id: Id<'document'>; text: string }
  /** The text that is to take the document's place. */
  document_next_text: { document_id: Id<'document'>; text: string }
  /** A passage; it is found where its document has its version. */
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
  /** Chunks that are to be removed, and that no search finds: of one version of a document, or of all. */
  removal: { id: Generated<number>; document_id: Id<'document'>; version: number | null }
}
