import type { Millis } from '../../core/clock.ts'
import { toIso } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { callerOf } from '../../http/principal.ts'
import { inPage, listOwned, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, NameSchema, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { Shared } from '../../shared/shared.ts'
import { type Conversation, getConversation, type Message } from './conversation-store.ts'

type ConversationDeps = Pick<Shared, 'config' | 'database' | 'once'> & {
  /** Cancels the open runs of a conversation, and locks it. */
  cancelRuns: (tx: Tx, id: Conversation['id'], now: Millis) => Promise<void>
}

const ConversationSchema = Type.Object({
  id: Type.String(),
  title: Nullable(Type.String()),
  turns: Type.Integer({ description: 'Runs that have been accepted in it.' }),
  createdBy: Type.String(),
  createdAt: Moment,
  updatedAt: Moment,
})

const MessageSchema = Type.Object({
  id: Type.String(),
  runId: Type.String(),
  role: Type.String({ enum: ['user', 'assistant'] }),
  content: Type.String({
    description:
      'Untrusted data: a stranger may have written it, so take care when you show it as Markdown or HTML.',
  }),
  finishReason: Nullable(
    Type.String({
      enum: ['stop', 'length'],
      description: 'For an answer: `length` where it was cut at `maxOutputTokens`. Null for a question.',
    }),
  ),
  createdAt: Moment,
})

const toWire = (row: Conversation): Static<typeof ConversationSchema> => ({
  id: row.id,
  title: row.title,
  turns: row.turns,
  createdBy: row.owner_id,
  createdAt: toIso(row.created_at),
  updatedAt: toIso(row.updated_at),
})

const toMessage = (row: Message): Static<typeof MessageSchema> => ({
  id: row.id,
  runId: row.run_id,
  role: row.role,
  content: row.content,
  finishReason: row.finish_reason,
  createdAt: toIso(row.created_at),
})

const ById = strict({ id: IdSchema('conversation') })

/** The routes of conversations. To members other than the owner and administrators, a conversation does not exist. */
export function conversationRoutes(server: Server, deps: ConversationDeps): void {
  const { config, database, once, cancelRuns } = deps

  server.post(
    '/v1/conversations',
    {
      config: { access: 'conversations:write', once: true },
      schema: {
        tags: ['Conversations'],
        operationId: 'createConversation',
        summary: 'Begin a conversation',
        description: 'Its runs read the earlier messages, and take turns.',
        body: strict({ title: Type.Optional(NameSchema) }),
        response: { 201: ConversationSchema },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const { organizationId, actorId } = callerOf(request)
      return once(request, reply, async (tx) => {
        const row: Conversation = {
          id: newId('conversation', now),
          organization_id: organizationId,
          owner_id: actorId,
          title: body.title ?? null,
          turns: 0,
          created_at: now,
          updated_at: now,
        }
        await tx.insertInto('conversation').values(row).execute()
        const headers = { location: `${config.web.baseUrl}/v1/conversations/${row.id}` }
        return { status: 201, body: toWire(row), headers }
      })
    },
  )

  server.get(
    '/v1/conversations',
    {
      config: { access: 'conversations:read' },
      schema: {
        tags: ['Conversations'],
        operationId: 'listConversations',
        summary: 'List conversations',
        description: 'Members get their own, administrators all.',
        querystring: strict(PageQuery),
        response: { 200: Page(ConversationSchema) },
      },
    },
    async (request) => {
      const { organizationId, actorId, permissions } = callerOf(request)
      const page = readPage('conversation', request.query)
      const rows = await database.db
        .selectFrom('conversation')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .$if(!permissions.has('conversations:all'), (query) => query.where('owner_id', '=', actorId))
        .$call(inPage(page))
        .execute()
      return toPage(rows, page, toWire)
    },
  )

  server.get(
    '/v1/conversations/:id',
    {
      config: { access: 'conversations:read' },
      schema: {
        tags: ['Conversations'],
        operationId: 'readConversation',
        summary: 'Read a conversation',
        params: ById,
        response: { 200: ConversationSchema },
      },
    },
    async (request) => toWire(await getConversation(database.db, callerOf(request), request.params.id)),
  )

  server.get(
    '/v1/conversations/:id/messages',
    {
      config: { access: 'conversations:read' },
      schema: {
        tags: ['Conversations'],
        operationId: 'listMessages',
        summary: 'List the messages of a conversation',
        description: 'Newest first.',
        params: ById,
        querystring: strict(PageQuery),
        response: { 200: Page(MessageSchema) },
      },
    },
    async (request) => {
      const { id } = await getConversation(database.db, callerOf(request), request.params.id)
      return listOwned(database.db, 'message', id, request.query, toMessage)
    },
  )

  server.delete(
    '/v1/conversations/:id',
    {
      config: { access: 'conversations:write' },
      schema: {
        tags: ['Conversations'],
        operationId: 'deleteConversation',
        summary: 'Delete a conversation',
        description: 'Also deletes its messages, and cancels its runs that have not ended.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await database.tx(async (tx) => {
        const caller = callerOf(request)
        await cancelRuns(tx, (await getConversation(tx, caller, request.params.id)).id, request.now)
        // Another request may have deleted it before it was locked.
        const { id } = await getConversation(tx, caller, request.params.id)
        await tx.deleteFrom('conversation').where('id', '=', id).execute()
      })
      return reply.code(204).send(null)
    },
  )
}
