import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SelectQueryBuilder } from 'kysely'
import { toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, parseId } from '../core/id.ts'
import type { Database, Db } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { findBound, type Span, seek, windowsOf } from '../db/windows.ts'
import { jsonOrCsv, type SendList } from '../http/csv/list-export.ts'
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
import { IdSchema, Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'

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

/** An id of any kind, or the name of a target without an id. */
const Reference = Type.String({ minLength: 1, maxLength: 128 })

/** The filters of a list; an undefined member matches every entry. */
interface EntryFilter {
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
}

/** A request for a list of entries. */
type AuditRequest = FastifyRequest & {
  query: EntryFilter & { limit?: number; cursor?: string; since?: string; until?: string }
}

/** An entry in lists and streams. */
export function toWire(row: Tables['audit']) {
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

/**
 * The owner of the entries: an organization, by its index; null for entries of the operator alone; or the whole
 * installation, by ids, which are ordered by time.
 */
type Owner = Id<'organization'> | null | 'all'

/** Restricts a query to the entries of an owner, for `$call`. */
function ownedBy(owner: Owner) {
  return <Row>(query: SelectQueryBuilder<Tables, 'audit', Row>) =>
    owner === 'all'
      ? query
      : owner === null
        ? query.where('organization_id', 'is', null)
        : query.where('organization_id', '=', owner)
}

/** The entries of an owner in a span, newest first. */
export function findEntries(
  db: Db,
  owner: Owner,
  { action, actor, target }: EntryFilter,
  span: Span<'audit'>,
  take: number,
) {
  return db
    .selectFrom('audit')
    .selectAll()
    .$call(ownedBy(owner))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(actor !== undefined, (query) => query.where('actor_id', '=', actor ?? ''))
    .$if(target !== undefined, (query) => query.where('target_id', '=', target ?? ''))
    .$call(inSpan(span))
    .orderBy('id', 'desc')
    .limit(take)
}

function selectIds(db: Db, owner: Owner, span: Span<'audit'>) {
  return db.selectFrom('audit').select('id').$call(ownedBy(owner)).$call(inSpan(span)).orderBy('id', 'desc')
}

/**
 * A page of filtered entries. No index covers actor and target, nor the action within the whole installation, so the
 * search goes window by window.
 */
function readEntries(
  { db }: Database,
  owner: Owner,
  filter: EntryFilter,
  whole: Span<'audit'>,
  page: PageRequest<'audit'>,
): Promise<Tables['audit'][]> {
  const span = restOf(page, whole)
  const isIndexed = filter.actor === undefined && filter.target === undefined
  const isOne = owner !== null && owner !== 'all'
  const isRare = !isIndexed || (filter.action !== undefined && !isOne)
  const windows = isRare ? windowsOf(span, (one) => findBound(selectIds(db, owner, one))) : [span]
  return seek(windows, page.take, (one, rest) => findEntries(db, owner, filter, one, rest).execute())
}

const Filters = {
  ...PageQuery,
  ...SpanQuery,
  action: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z_.]+$' })),
  actor: Type.Optional(Reference),
  target: Type.Optional(Reference),
}

/** @throws ApiError VALIDATION_FAILED where both an organization and entries without one are requested; INVALID_UUID */
function ownerOf(organizationId: string | undefined, withoutOrganization: boolean): Owner {
  if (organizationId === undefined) return withoutOrganization ? null : 'all'
  const owner = parseId('organization', organizationId, 'organizationId')
  if (!withoutOrganization) return owner
  throw new ApiError('VALIDATION_FAILED', {
    ...{ field: 'withoutOrganization', value: true, reason: 'not_beside_organization' },
  })
}

/** The audit log of an organization, and the operator's log of all. */
export function auditRoutes(
  server: Server,
  { database, sendList }: { database: Database; sendList: SendList },
): void {
  function send(
    request: AuditRequest,
    reply: FastifyReply,
    owner: Owner,
    table: { name: string; columns: string[] },
  ) {
    const { action, actor, target } = request.query
    const span = readSpan('audit', request.query)
    const first = readPage('audit', request.query)
    const read = (page: PageRequest<'audit'>) =>
      readEntries(database, owner, { action, actor, target }, span, page)
    return sendList(request, reply, first, { ...table, read, toWire })
  }

  server.get(
    '/v1/audit-log',
    {
      config: { access: 'audit:read' },
      schema: {
        tags: ['Organizations'],
        operationId: 'listAuditEntries',
        summary: 'List the audit log',
        description:
          'The events of the organization, and of the accounts of its members while they were members. Kept for `AUDIT_DAYS`.',
        querystring: strict(Filters),
        response: { 200: jsonOrCsv(Page(Entry)) },
      },
    },
    async (request, reply) =>
      send(request, reply, callerOf(request).organizationId, {
        ...{ name: 'audit-log', columns: [...COLUMNS, ...MORE_COLUMNS] },
      }),
  )

  server.get(
    '/v1/operator/audit-log',
    {
      config: { access: 'installation' },
      schema: {
        tags: ['Operator'],
        operationId: 'listAllAuditEntries',
        summary: 'List the audit log of the installation',
        description:
          'The entries of all organizations, in the form that each organization sees, and those of none. Kept for `AUDIT_DAYS`.',
        querystring: strict({
          ...Filters,
          organizationId: Type.Optional(IdSchema('organization')),
          withoutOrganization: Type.Optional(
            Type.Boolean({
              default: false,
              description:
                'Only entries of no organization, such as sign-ins of addresses without an account.',
            }),
          ),
        }),
        response: { 200: jsonOrCsv(Page(Entry)) },
      },
    },
    async (request, reply) => {
      const { organizationId, withoutOrganization = false } = request.query
      const owner = ownerOf(organizationId, withoutOrganization)
      return send(request, reply, owner, {
        ...{ name: 'audit-log-of-all', columns: ['organizationId', ...COLUMNS, ...MORE_COLUMNS] },
      })
    },
  )
}
