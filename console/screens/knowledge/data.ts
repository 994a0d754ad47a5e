import type { Document, KnowledgeBase } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { type Data, outdate, put, useData } from '../../app/data/cache.ts'
import { amendRow, type Listed, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

export function useBases(): Listed<KnowledgeBase> {
  const mayRead = useMay()('knowledge:read')
  return useList(mayRead ? 'bases' : undefined, (how) => postern.knowledgeBases.list({ limit: 100 }, how))
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
