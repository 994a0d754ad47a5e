import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'

/** The position of a passage in a document. */
export interface Location {
  page?: number
  sheet?: string
  heading?: string
}

/** A found part of a document. */
export interface Passage {
  documentId: Id<'document'>
  documentName: string
  knowledgeBaseId: Id<'knowledgeBase'>
  chunkId: string
  text: string
  location: Location
  score: number
}

/** A query and the knowledge bases to search. */
interface SearchQuery {
  organizationId: Id<'organization'>
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  query: string
  limit: number
}

/** Finds passages in an organization's own knowledge bases; others' and deleted bases count as empty. */
export type Search = (db: Db, question: SearchQuery) => Promise<Passage[]>

/** The functions of the knowledge slice that agents use. */
export interface KnowledgePort {
  /** The ids that are knowledge bases of the organization. */
  owned(
    db: Db | Tx,
    organizationId: Id<'organization'>,
    ids: Id<'knowledgeBase'>[],
  ): Promise<Id<'knowledgeBase'>[]>
  /** Searches existing bases of the organization. */
  find(question: {
    organizationId: Id<'organization'>
    baseIds: Id<'knowledgeBase'>[]
    query: string
    limit: number
    mode: 'auto'
  }): Promise<{ passages: Passage[] }>
}

/** A file with its text; without pieces unless it is processed. */
export interface FileContent {
  name: string
  status: 'processing' | 'processed' | 'failed'
  /** Why processing failed, in sentences. */
  error: { message: string } | null
  pieces: { text: string }[]
}

/** The functions of the files slice that agents use. */
export interface FilePort {
  /** undefined where the organization has no such file. */
  find(
    db: Db | Tx,
    organizationId: Id<'organization'>,
    fileId: Id<'file'>,
  ): Promise<Pick<FileContent, 'status'> | undefined>
  /** The text of a file; without pieces unless it is processed. */
  read(organizationId: Id<'organization'>, fileId: Id<'file'>): Promise<FileContent | undefined>
}

/** Checks with each search which bases still exist: an agent may name deleted ones. */
export function searchOwned({ owned, find }: KnowledgePort): Search {
  return async (db, { knowledgeBaseIds, ...question }) => {
    const baseIds = await owned(db, question.organizationId, knowledgeBaseIds)
    if (baseIds.length === 0) return []
    return (await find({ ...question, baseIds, mode: 'auto' })).passages
  }
}
