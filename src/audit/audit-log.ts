import { toIso } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Database, Db } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { findStart, type Span, seek, windowsOf } from '../db/windows.ts'
import { callerOf } from '../http/principal.ts'
import {
  inSpan,
  Page,
  PageQuery,
  type PageRequest,
  readPage,
  readSpan,
  restOf,
  SpanQuery,
} from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { listOrTable, type SendList } from '../http/table/tables.ts'

const Entry = Type.Object({
  id: Type.String(),
  action: Type.String(),
  organizationId: Nullable(Type.String()),
  accountId: Nullable(Type.String()),
  actorId: Nullable(Type.String()),
  keyId: Nullable(Type.String()),
  targetId: Nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
  ip: Type.String(),
  userAgent: Type.String(),
  requestId: Type.String(),
  createdAt: Moment,
})

const COLUMNS = ['id', 'createdAt', 'action', 'actorId', 'accountId', 'targetId', 'details', 'ip'] as const
const MORE_COLUMNS = ['userAgent', 'requestId', 'keyId'] as const

/** An id of any kind, or a name by which something is known. */
const Reference = Type.String({ minLength: 1, maxLength: 128 })

/** The filter of a list; an undefined member matches every entry. */
interface Sought {
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
}

function toWire(row: Tables['audit']) {
  return {
    id: row.id,
    action: row.action,
    organizationId: row.organization_id,
    accountId: row.account_id,
    actorId: row.actor_id,
    keyId: row.key_id,
    targetId: row.target_id,
    details: JSON.parse(row.details) as Record<string, unknown>,
    ip: row.ip,
    userAgent: row.user_agent,
    requestId: row.request_id,
    createdAt: toIso(row.created_at),
  }
}

/** The entries of one organization in a span, newest first, by the index of the organization. */
export function findEntries(
  db: Db,
  organizationId: Id<'organization'>,
  { action, actor, target }: Sought,
  span: Span<'audit'>,
  take: number,
) {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(actor !== undefined, (query) => query.where('actor_id', '=', actor ?? ''))
    .$if(target !== undefined, (query) => query.where('target_id', '=', target ?? ''))
    .$call(inSpan(span))
    .orderBy('id', 'desc')
    .limit(take)
}

function selectIds(db: Db, organizationId: Id<'organization'>, span: Span<'audit'>) {
  return db
    .selectFrom('audit')
    .select('id')
    .where('organization_id', '=', organizationId)
    .$call(inSpan(span))
    .orderBy('id', 'desc')
}

/** A page of the filtered entries. Actor and target have no index, so the search goes window by window. */
function readEntries(
  { db }: Database,
  organizationId: Id<'organization'>,
  sought: Sought,
  whole: Span<'audit'>,
  page: PageRequest<'audit'>,
): Promise<Tables['audit'][]> {
  const span = restOf(page, whole)
  const isRare = sought.actor !== undefined || sought.target !== undefined
  const windows = isRare ? windowsOf(span, (one) => findStart(selectIds(db, organizationId, one))) : [span]
  return seek(windows, page.take, (one, rest) => findEntries(db, organizationId, sought, one, rest).execute())
}

/** `GET /v1/audit-log`: the entries of the organization, and of its members' sign-ins during their membership. */
export function auditRoutes(
  server: Server,
  { database, sendList }: { database: Database; sendList: SendList },
): void {
  server.get(
    '/v1/audit-log',
    {
      config: { access: 'audit:read' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listAuditEntries',
        summary: 'List the audit log',
        description:
          'What happened in the organization, and at the accounts of its members while they were members. Kept for `AUDIT_DAYS`.',
        querystring: strict({
          ...PageQuery,
          ...SpanQuery,
          action: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z_.]+$' })),
          actor: Type.Optional(Reference),
          target: Type.Optional(Reference),
        }),
        response: { 200: listOrTable(Page(Entry)) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { action, actor, target } = request.query
      const span = readSpan('audit', request.query)
      const first = readPage('audit', request.query)
      const read = (page: PageRequest<'audit'>) =>
        readEntries(database, organizationId, { action, actor, target }, span, page)
      return sendList(request, reply, first, {
        ...{ name: 'audit-log', columns: [...COLUMNS, ...MORE_COLUMNS] },
        ...{ read, toWire },
      })
    },
  )
}
