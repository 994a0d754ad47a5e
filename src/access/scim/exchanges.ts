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
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { ScimDeps } from './deps.ts'
import { ExchangeSchema, selectExchanges, toExchange } from './exchange-wire.ts'

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
      const rows = await selectExchanges(database.db)
        .where('scim_exchange.organization_id', '=', organizationId)
        .$if(onlyFailed, (query) => query.where('scim_exchange.status', '>=', FAILED))
        .$call(inSpan(readSpan('scimExchange', request.query), 'scim_exchange.id'))
        .$call(inPage(page, 'scim_exchange.id'))
        .execute()
      return toPage(rows, page, toExchange)
    },
  )
}
