import { trailOf } from '../../audit/audit.ts'
import { type Id, parseId } from '../../core/id.ts'
import { afterCommit } from '../../db/database.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import { PERMISSION_NAMES, type Permission } from '../../http/permissions.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endKeys, seenBy } from '../accounts/end-keys.ts'
import type { AccessDeps } from '../deps.ts'
import { ApiKeySchema, toApiKey, toApiKeys } from './api-key-wire.ts'
import { scopesColumn } from './key-scopes.ts'

type ApiKeyDeps = Pick<AccessDeps, 'database' | 'credentials'>

const ById = strict({ id: IdSchema('apiKey') })
const WithMade = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Also deletes the keys that were made with it, and with those in turn.',
  }),
)

/** Keys with which machines call the API. */
export function apiKeyRoutes(server: Server, { database, credentials }: ApiKeyDeps): void {
  server.get(
    '/v1/api-keys',
    {
      config: { access: 'keys:read' },
      schema: {
        tags: ['API keys'],
        operationId: 'listApiKeys',
        summary: 'List API keys',
        querystring: strict({
          ...PageQuery,
          createdBy: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 128,
              description:
                'Only keys that this account or service account made or rotated; also of a former member.',
            }),
          ),
          serviceAccountId: Type.Optional(IdSchema('serviceAccount')),
          onlyScope: Type.Optional(
            Type.Unsafe<Permission>(
              Type.String({
                enum: PERMISSION_NAMES,
                description:
                  'Only keys with exactly this one scope, such as the keys of a directory (`scim:write`).',
              }),
            ),
          ),
        }),
        response: { 200: Page(ApiKeySchema) },
      },
    },
    async (request) => {
      const { createdBy, serviceAccountId, onlyScope } = request.query
      const owner =
        serviceAccountId === undefined
          ? undefined
          : parseId('serviceAccount', serviceAccountId, 'serviceAccountId')
      const page = readPage('apiKey', request.query)
      const rows = await database.db
        .selectFrom('api_key')
        .selectAll()
        .where('organization_id', '=', callerOf(request).organizationId)
        .$if(createdBy !== undefined, (query) => query.where((where) => seenBy(where, createdBy ?? '')))
        .$if(owner !== undefined, (query) =>
          query.where('service_account_id', '=', owner as Id<'serviceAccount'>),
        )
        .$if(onlyScope !== undefined, (query) =>
          query.where('scopes', '=', scopesColumn(onlyScope === undefined ? [] : [onlyScope])),
        )
        .$call(inPage(page))
        .execute()
      const keys = await toApiKeys(database.db, rows, request.now)
      return toPage(keys, page, (key) => key)
    },
  )

  server.get(
    '/v1/api-keys/:id',
    {
      config: { access: 'keys:read' },
      schema: {
        tags: ['API keys'],
        operationId: 'readApiKey',
        summary: 'Read an API key',
        params: ById,
        response: { 200: ApiKeySchema },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(database.db, 'api_key', request.params.id, organizationId)
      return toApiKey(database.db, row, request.now)
    },
  )

  server.delete(
    '/v1/api-keys/:id',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['API keys'],
        operationId: 'deleteApiKey',
        summary: 'Delete an API key',
        description:
          'The key ends at once, also for open streams, and its pending invitations are revoked. Its service account stays, and so do the keys that were made with it, unless `withMade` is true.',
        params: ById,
        querystring: strict({ withMade: WithMade }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const id = parseId('apiKey', request.params.id)
      const withMade = request.query.withMade ?? false
      await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'keys:write', request.now)
        const ended = await endKeys(tx, trailOf(request), { organizationId, actorId, withMade }, { id })
        if (ended.length === 0) throw notFound('id', id)
        afterCommit(tx, credentials.clear)
      })
      return reply.code(204).send(null)
    },
  )
}
