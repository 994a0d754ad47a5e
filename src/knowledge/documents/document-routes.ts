import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Millis, SECOND } from '../../core/clock.ts'
import { afterCommit } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { callerOf } from '../../http/principal.ts'
import { listOwned, Page, PageQuery } from '../../http/schema/list.ts'
import { afterWait, LONGEST_WAIT, readWait } from '../../http/schema/prefer-wait.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { getBase } from '../base-row.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { addDocument } from './add-document.ts'
import { getDocument, removeDocuments } from './document-row.ts'
import { LONGEST_TEXT, NewDocument, sourceOf } from './document-source.ts'
import { DocumentSchema, toWire } from './document-wire.ts'
import { reindex } from './reindex.ts'
import { replaceDocument } from './replace-document.ts'
import type { Content } from './replacement.ts'
import { indexingError, waitForIndexing } from './wait-for-indexing.ts'

/** A character may take several bytes. */
const LARGEST_BODY = 4 * LONGEST_TEXT

const WAIT = `\`Prefer: wait=N\` waits up to ${LONGEST_WAIT / SECOND} seconds for the end of it.`

type DocumentDeps = Pick<
  KnowledgeDeps,
  'config' | 'database' | 'once' | 'jobs' | 'findFile' | 'charge' | 'removeSoon'
>

/** The documents of knowledge bases. */
export function documentRoutes(server: Server, deps: DocumentDeps): void {
  const { config, database, once, removeSoon } = deps

  /** Answers with the indexed document or its failure. Where another request replaced the content, it answers as without a wait. */
  async function answerEnd(
    request: FastifyRequest,
    reply: FastifyReply,
    made: Static<typeof DocumentSchema>,
    patience: Millis,
  ) {
    if (patience === 0 || made.status === 'indexed') return made
    const content = contentOf(made)
    const row = await afterWait(request, () => waitForIndexing(deps, made.id, content, patience))
    if (row === undefined) return made
    if (row.status === 'failed') throw indexingError(row, content)
    void reply.code(row.status === 'indexed' ? 200 : 202)
    return toWire(row)
  }

  server.post(
    '/v1/knowledge-bases/:id/documents',
    {
      config: { access: 'documents:write', also: { fileId: 'files:read' }, once: true },
      bodyLimit: LARGEST_BODY,
      schema: {
        tags: ['Knowledge'],
        operationId: 'addDocument',
        summary: 'Add a document',
        description: `From a text, or from a file, which may still be in processing. The answer is 201 even if the indexing has failed: see \`status\`. ${WAIT}`,
        params: strict({ id: IdSchema('knowledgeBase') }),
        body: NewDocument,
        response: { 201: DocumentSchema },
      },
    },
    async (request, reply) => {
      const { now } = request
      const { organizationId, actorId } = callerOf(request)
      const source = sourceOf(request.body)
      const patience = readWait(request, reply)
      const owner = { organizationId, actorId, baseId: request.params.id }
      const made = await once(request, reply, async (tx) => {
        const row = await addDocument(tx, deps, owner, source, now)
        return {
          status: 201,
          body: toWire(row),
          headers: { location: `${config.web.baseUrl}/v1/documents/${row.id}` },
        }
      })
      if (patience === 0) return made
      const row = await afterWait(request, () => waitForIndexing(deps, made.id, contentOf(made), patience))
      return row === undefined ? made : toWire(row)
    },
  )

  server.get(
    '/v1/knowledge-bases/:id/documents',
    {
      config: { access: 'knowledge:read' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'listDocuments',
        summary: 'List the documents of a knowledge base',
        params: strict({ id: IdSchema('knowledgeBase') }),
        querystring: strict(PageQuery),
        response: { 200: Page(DocumentSchema) },
      },
    },
    async (request) => {
      const base = await getBase(database.db, callerOf(request).organizationId, request.params.id)
      return listOwned(database.db, 'document', base.id, request.query, toWire)
    },
  )

  server.get(
    '/v1/documents/:id',
    {
      config: { access: 'knowledge:read' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'readDocument',
        summary: 'Read a document',
        params: strict({ id: IdSchema('document') }),
        response: { 200: DocumentSchema },
      },
    },
    async (request) =>
      toWire(await getDocument(database.db, callerOf(request).organizationId, request.params.id)),
  )

  server.put(
    '/v1/documents/:id',
    {
      config: { access: 'documents:write', also: { fileId: 'files:read' }, once: true },
      bodyLimit: LARGEST_BODY,
      schema: {
        tags: ['Knowledge'],
        operationId: 'replaceDocument',
        summary: 'Replace a document',
        description: `With a text, or with a file, which may still be in processing. The id stays. Searches find the old content until the new one is indexed, and also if that fails; until then \`replacement\` describes the new content. Of several replacements the last one counts. A replacement with the current content and name changes nothing, and withdraws a replacement that is not indexed yet. ${WAIT}`,
        params: strict({ id: IdSchema('document') }),
        body: NewDocument,
        response: { 200: DocumentSchema, 202: DocumentSchema },
      },
    },
    async (request, reply) => {
      const { now } = request
      const { organizationId } = callerOf(request)
      const source = sourceOf(request.body)
      const patience = readWait(request, reply)
      const made = await once(request, reply, async (tx) => {
        const row = await replaceDocument(tx, deps, organizationId, request.params.id, source, now)
        return { status: row.status === 'indexed' ? 200 : 202, body: toWire(row) }
      })
      return answerEnd(request, reply, made, patience)
    },
  )

  server.delete(
    '/v1/documents/:id',
    {
      config: { access: 'documents:write' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'deleteDocument',
        summary: 'Delete a document',
        description: 'In any state: searches no longer find it. Its file stays.',
        params: strict({ id: IdSchema('document') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      await database.tx(async (tx) => {
        const row = await getDocument(tx, organizationId, request.params.id, lock)
        await removeDocuments(tx, deps, [row.id], request.now)
        afterCommit(tx, removeSoon)
      })
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/documents/:id/index',
    {
      config: { access: 'documents:write' },
      schema: {
        tags: ['Knowledge'],
        operationId: 'indexDocument',
        summary: 'Index a document again',
        description: `Searches find the new chunks at its end, all at once. A document that is currently being indexed is not indexed twice; a document whose file is being read is indexed after that. ${WAIT}`,
        params: strict({ id: IdSchema('document') }),
        response: { 200: DocumentSchema, 202: DocumentSchema },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const patience = readWait(request, reply)
      const row = await database.tx((tx) => reindex(tx, deps, organizationId, request.params.id, request.now))
      void reply.code(202)
      return answerEnd(request, reply, toWire(row), patience)
    },
  )
}

/** The requested content of a document: its replacement, else its own. */
function contentOf({ replacement, ...document }: Static<typeof DocumentSchema>): Content {
  const { name, fileId, sha256 } = replacement ?? document
  return { name, file_id: fileId as Content['file_id'], sha256 }
}
