import type { Document, KnowledgeBase } from '#sdk/postern.ts'
import { type Data, outdate, put, useData } from '../../app/data/cache.ts'
import { amendRow, type Listed, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { whyNot } from '../files/sentences.ts'

export function useBases(): Listed<KnowledgeBase> {
  return useList('bases', (how) => postern.knowledgeBases.list({ limit: 100 }, how))
}

export function useBase(id: string): Data<KnowledgeBase> {
  return useData(`base ${id}`, (how) => postern.knowledgeBases.read(id, how))
}

export function useDocuments(baseId: string): Listed<Document> {
  return useList(`documents ${baseId}`, (how) => postern.knowledgeBases.documents(baseId, { limit: 50 }, how))
}

/** Follows what becomes of documents, of one base or of all. */
export function useLiveDocuments(): void {
  useLive(['document'], ({ event, data }) => {
    const document = event === 'gap' ? undefined : (data as Document)
    if (document === undefined) outdate('document')
    else {
      amendRow(`documents ${document.knowledgeBaseId}`, document)
      put(`document ${document.id}`, document)
    }
    if (document === undefined || hasEnded(document)) {
      outdate('base ')
      outdate('bases')
    }
  })
}

export function hasEnded({ status }: Document): boolean {
  return status === 'indexed' || status === 'failed'
}

const REASONS: Record<string, string> = {
  no_text: 'There is nothing in it to be found by',
  too_many_chunks: 'It would have too many passages',
  knowledge_base_full: 'The base is full',
  embeddings_unreachable: 'The endpoint that makes vectors cannot be reached',
  embeddings_timeout: 'The endpoint that makes vectors took too long',
  horizon_passed: 'It could not be indexed within a day',
}

/** Why a document cannot be found, as a sentence. */
export function whyNotFound({ error }: Document): string {
  if (error?.code === 'INSUFFICIENT_CREDITS') return 'The credits do not suffice'
  return REASONS[error?.reason ?? ''] ?? whyNot({ error })
}
