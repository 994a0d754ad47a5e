import { Type } from 'typebox'
import { toIso } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Database, Db } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { callerOf } from '../http/principal.ts'
import { Page, PageQuery, type PageRequest, readPage, toPage } from '../http/schema/list.ts'
import { Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'

const Entry = Type.Object({
  id: Type.String(),
  action: Type.String(),
  organizationId: Nullable(Type.String()),
  accountId: Nullable(Type.String()),
  actorId: Nullable(Type.String()),
  targetId: Nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
  ip: Type.String(),
  userAgent: Type.String(),
  requestId: Type.String(),
  createdAt: Moment,
})

function toWire(row: Tables['audit']) {
  return {
    id: row.id,
    action: row.action,
    organizationId: row.organization_id,
    accountId: row.account_id,
    actorId: row.actor_id,
    targetId: row.target_id,
    details: JSON.parse(row.details) as Record<string, unknown>,
    ip: row.ip,
    userAgent: row.user_agent,
    requestId: row.request_id,
    createdAt: toIso(row.created_at),
  }
}

/** The entries of one organization, newest first: along an index, however many all the others have. */
export function findEntries(
  db: Db,
  organizationId: Id<'organization'>,
  { action, before, take }: PageRequest<'audit'> & { action: string | undefined },
) {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(take)
}

/** `GET /v1/audit-log`: what happened in the organization, and at the doors to its members' accounts while they were. */
export function auditRoutes(server: Server, { database }: { database: Database }): void {
  server.get(
    '/v1/audit-log',
    {
      config: { access: 'administrator' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listAuditEntries',
        summary: 'List the audit log',
        description:
          'What happened in the organization, and at the accounts of its members while they were members. Kept for `AUDIT_DAYS`.',
        querystring: strict({
          ...PageQuery,
          action: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z_.]+$' })),
        }),
        response: { 200: Page(Entry) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const page = readPage('audit', request.query)
      const { action } = request.query
      const rows = await findEntries(database.db, organizationId, { ...page, action }).execute()
      return toPage(rows, page, toWire)
    },
  )
}
