import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'

/** Where in a document a passage stands. */
export interface Location {
  page?: number
  sheet?: string
  heading?: string
}

/** A part of a document that was found. */
export interface Passage {
  documentId: Id<'document'>
  documentName: string
  knowledgeBaseId: Id<'knowledgeBase'>
  chunkId: string
  text: string
  location: Location
  score: number
}

/** What is looked for, and where. */
interface Question {
  organizationId: Id<'organization'>
  knowledgeBaseIds: Id<'knowledgeBase'>[]
  query: string
  limit: number
}

/** Finds passages in an organization's own knowledge bases; those of others, and ones that are gone, hold nothing. */
export type Search = (db: Db, question: Question) => Promise<Passage[]>

/** What agents know of knowledge bases. */
export interface KnowledgePort {
  /** Which of these are knowledge bases of the organization. */
  owned(
    db: Db | Tx,
    organizationId: Id<'organization'>,
    ids: Id<'knowledgeBase'>[],
  ): Promise<Id<'knowledgeBase'>[]>
  /** Searches bases of the organization that are there. */
  find(question: {
    organizationId: Id<'organization'>
    baseIds: Id<'knowledgeBase'>[]
    query: string
    limit: number
    mode: 'auto'
  }): Promise<{ passages: Passage[] }>
}

/** A file with its text; no pieces unless it is processed. */
export interface FileContent {
  name: string
  status: 'processing' | 'processed' | 'failed'
  /** Why its processing failed, in sentences. */
  error: { message: string } | null
  pieces: { text: string }[]
}

/** What agents know of files. */
export interface FilePort {
  /** undefined where the organization has none of that id. */
  find(
    db: Db | Tx,
    organizationId: Id<'organization'>,
    fileId: Id<'file'>,
  ): Promise<Pick<FileContent, 'status'> | undefined>
  /** Its text; no pieces unless it is processed. */
  read(organizationId: Id<'organization'>, fileId: Id<'file'>): Promise<FileContent | undefined>
}

/** Checks at each search which bases still exist: an agent may name deleted ones. */
export function searchOwned({ owned, find }: KnowledgePort): Search {
  return async (db, { knowledgeBaseIds, ...question }) => {
    const baseIds = await owned(db, question.organizationId, knowledgeBaseIds)
    if (baseIds.length === 0) return []
    return (await find({ ...question, baseIds, mode: 'auto' })).passages
  }
}
