import { toIso } from '../../core/clock.ts'
import { callerOf } from '../../http/principal.ts'
import {
  inPage,
  inSpan,
  Page,
  PageQuery,
  readPage,
  readSpan,
  SpanQuery,
  toPage,
} from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { ScimDeps } from './deps.ts'

const ExchangeSchema = Type.Object(
  {
    id: Type.String(),
    method: Type.String(),
    path: Type.String({ examples: ['/scim/v2/Users?filter=userName eq …', '/scim/v2/Users/{id}'] }),
    status: Type.Integer(),
    code: Nullable(Type.String()),
    scimType: Nullable(Type.String()),
    detail: Nullable(Type.String()),
    resourceId: Nullable(Type.String()),
    externalId: Nullable(Type.String()),
    durationMs: Type.Integer(),
    createdAt: Moment,
  },
  { title: 'ProvisioningExchange' },
)

/** Answers with at least this status are refusals. */
const FAILED = 400

/** `GET /v1/scim/exchanges`: the directory's requests and their answers. */
export function exchangeRoutes(server: Server, { database }: Pick<ScimDeps, 'database'>): void {
  server.get(
    '/v1/scim/exchanges',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'listProvisioningExchanges',
        summary: 'List the requests of the directory',
        description:
          'The requests of the directory by SCIM and their answers, without the values that it sent. The newest 500 requests are kept, for 7 days.',
        querystring: strict({
          ...PageQuery,
          ...SpanQuery,
          onlyFailed: Type.Optional(
            Type.Boolean({ default: false, description: 'Only requests that were answered with an error.' }),
          ),
        }),
        response: { 200: Page(ExchangeSchema) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const { onlyFailed = false } = request.query
      const page = readPage('scimExchange', request.query)
      const rows = await database.db
        .selectFrom('scim_exchange')
        .leftJoin('scim_user', (join) =>
          join
            .onRef('scim_user.id', '=', 'scim_exchange.resource_id')
            .onRef('scim_user.organization_id', '=', 'scim_exchange.organization_id'),
        )
        .leftJoin('scim_group', (join) =>
          join
            .onRef('scim_group.id', '=', 'scim_exchange.resource_id')
            .onRef('scim_group.organization_id', '=', 'scim_exchange.organization_id'),
        )
        .selectAll('scim_exchange')
        .select(['scim_user.external_id as userKnownAs', 'scim_group.external_id as groupKnownAs'])
        .where('scim_exchange.organization_id', '=', organizationId)
        .$if(onlyFailed, (query) => query.where('scim_exchange.status', '>=', FAILED))
        .$call(inSpan(readSpan('scimExchange', request.query), 'scim_exchange.id'))
        .$call(inPage(page, 'scim_exchange.id'))
        .execute()
      return toPage(rows, page, (row) => ({
        id: row.id,
        method: row.method,
        path: row.path,
        status: Number(row.status),
        code: row.code,
        scimType: row.scim_type,
        detail: row.detail,
        resourceId: row.resource_id,
        externalId: row.userKnownAs ?? row.groupKnownAs,
        durationMs: Number(row.duration),
        createdAt: toIso(row.created_at),
      }))
    },
  )
}
