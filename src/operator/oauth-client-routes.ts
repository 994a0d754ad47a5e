import { DEVICE_GRANT } from '../access/authorization/built-in-clients.ts'
import {
  CLIENT_LIMITS,
  POST_LOGOUT_RULE,
  postLogoutProblem,
  REDIRECT_RULE,
  redirectProblem,
} from '../access/authorization/client-rules.ts'
import { addRegisteredClient } from '../access/authorization/client-store.ts'
import { endClient } from '../access/authorization/end-client.ts'
import { postLogoutUrisOf } from '../access/authorization/logout-request.ts'
import { audit, trailOf } from '../audit/audit.ts'
import { toIso, toIsoOrNull } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { parseId } from '../core/id.ts'
import { afterCommit } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import type { Tables } from '../db/tables/tables.ts'
import { inPage, Page, PageQuery, readPage, toPage } from '../http/schema/list.ts'
import { documented } from '../http/schema/public-schema.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, Moment, NameSchema, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { OperatorDeps } from './deps.ts'

const tags = ['Operator']
const Fields = {
  id: Type.String(),
  name: Type.String(),
  redirectUris: Type.Array(Type.String()),
  postLogoutRedirectUris: Type.Array(Type.String()),
  organizationId: Nullable(Type.String()),
  origin: Type.String({ enum: ['registered', 'dynamic'] }),
  isConfidential: Type.Boolean(),
  usesDeviceFlow: Type.Boolean(),
  createdAt: Moment,
  lastUsedAt: Nullable(Moment),
  expiresAt: Nullable(Moment),
}

const Uris = (rule: object) =>
  Type.Array(Type.String({ minLength: 1, maxLength: CLIENT_LIMITS.redirectUri, ...documented(rule) }), {
    maxItems: CLIENT_LIMITS.redirectUris,
  })
/** A client has a redirect URI, or uses the device flow. */
const SOME_FLOW = {
  not: { properties: { redirectUris: { maxItems: 0 }, usesDeviceFlow: { const: false } } },
}

/** Routes that register, list and delete OAuth clients. */
export function oauthClientRoutes(
  server: Server,
  {
    config,
    database,
    vault,
    once,
    forgetCallers,
  }: Pick<OperatorDeps, 'config' | 'database' | 'vault' | 'once' | 'forgetCallers'>,
): void {
  server.post(
    '/v1/operator/oauth-clients',
    {
      config: { access: 'installation', once: true },
      schema: {
        tags,
        operationId: 'createOauthClient',
        summary: 'Register an application',
        description:
          'The page for consent shows this name, as registered. A confidential application authenticates at the token endpoint (`client_secret_basic`) with the `clientSecret`, which only this answer shows; others use only PKCE. With `organizationId` only members of that organization can grant it access.',
        body: strict(
          {
            name: Type.String({ ...NameSchema, description: 'The name that people see.' }),
            redirectUris: Uris(REDIRECT_RULE),
            postLogoutRedirectUris: Type.Optional(Uris(POST_LOGOUT_RULE)),
            usesDeviceFlow: Type.Optional(Type.Boolean({ default: false })),
            isConfidential: Type.Optional(Type.Boolean({ default: false })),
            organizationId: Type.Optional(Nullable(IdSchema('organization'))),
          },
          documented(SOME_FLOW),
        ),
        response: { 201: Type.Object({ ...Fields, clientSecret: Nullable(Type.String()) }) },
      },
    },
    (request, reply) =>
      once(request, reply, async (tx) => {
        const {
          redirectUris,
          postLogoutRedirectUris = [],
          isConfidential = false,
          usesDeviceFlow = false,
        } = request.body
        if (redirectUris.length === 0 && !usesDeviceFlow)
          throw new ApiError('VALIDATION_FAILED', { field: 'redirectUris', value: [], reason: 'too_few' })
        const name = request.body.name.trim()
        for (const [field, uris, problemOf] of [
          ['redirectUris', redirectUris, redirectProblem],
          ['postLogoutRedirectUris', postLogoutRedirectUris, postLogoutProblem],
        ] as const)
          for (const [index, uri] of uris.entries()) {
            const reason = problemOf(uri)
            if (reason !== undefined)
              throw new ApiError('VALIDATION_FAILED', { field: `${field}.${index}`, value: uri, reason })
          }
        const named = request.body.organizationId ?? null
        const organizationId = named === null ? null : parseId('organization', named, 'organizationId')
        if (organizationId !== null && (await lockOrganization(tx, organizationId)) === undefined)
          throw notFound('organizationId', organizationId)
        const wanted = {
          ...{ name, redirectUris, postLogoutRedirectUris },
          ...{ isConfidential, usesDeviceFlow, organizationId },
        }
        const { row, clientSecret } = await addRegisteredClient(tx, vault, wanted, request.now)
        await audit(tx, trailOf(request), {
          action: 'oauth_client.created',
          organizationId,
          targetId: row.id,
          details: { name, redirectUris: redirectUris.join(' '), isConfidential, usesDeviceFlow },
        })
        const headers = { location: `${config.web.baseUrl}/v1/operator/oauth-clients` }
        return { status: 201, body: { ...toClient(row), clientSecret }, headers }
      }),
  )

  server.get(
    '/v1/operator/oauth-clients',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'listOauthClients',
        summary: 'List the applications that have registered or were registered',
        querystring: strict(PageQuery),
        response: { 200: Page(Type.Object(Fields)) },
      },
    },
    async ({ query }) => {
      const page = readPage('oauthClient', query)
      const rows = await database.db.selectFrom('oauth_client').selectAll().$call(inPage(page)).execute()
      return toPage(rows, page, toClient)
    },
  )

  server.delete(
    '/v1/operator/oauth-clients/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'deleteOauthClient',
        summary: 'Delete an application',
        description: 'Its grants end at once in every organization, also for open streams.',
        params: strict({ id: IdSchema('oauthClient') }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = parseId('oauthClient', request.params.id)
      await database.tx(async (tx) => {
        await endClient(tx, trailOf(request), id)
        afterCommit(tx, forgetCallers)
      })
      return reply.code(204).send(null)
    },
  )
}

function toClient(row: Tables['oauth_client']) {
  const metadata = JSON.parse(row.metadata) as Record<string, string[] | undefined>
  const { redirect_uris, grant_types } = metadata
  return {
    id: row.id,
    name: row.name,
    redirectUris: redirect_uris ?? [],
    postLogoutRedirectUris: postLogoutUrisOf(metadata),
    organizationId: row.organization_id,
    origin: row.origin,
    isConfidential: row.secret !== null,
    usesDeviceFlow: grant_types?.includes(DEVICE_GRANT) ?? false,
    createdAt: toIso(row.created_at),
    lastUsedAt: toIsoOrNull(row.used_at),
    expiresAt: toIsoOrNull(row.expires_at),
  }
}
