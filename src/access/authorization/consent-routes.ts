import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction } from 'oidc-provider'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { type Permission, permissionRow, rightsOf } from '../../http/permissions.ts'
import { type SessionMembership, sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { GRANTABLE, IDENTITY_SCOPES, readResource } from '../resources.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { hostOf } from './client-rules.ts'
import { findClient } from './client-store.ts'
import type { AuthorizationDeps } from './deps.ts'
import { makeGrant } from './make-grant.ts'

const RequestId = strict({ id: Type.String({ minLength: 1, maxLength: 64 }) })

const Scope = Type.Object({ name: Type.String(), about: Type.String() })

/** What a client asks a person for. */
interface Asked {
  client: { id: string; name: string; host: string; isKnown: boolean; onlyFor: Id<'organization'> | null }
  resource: string
  scopes: Permission[]
  identity: string[]
  /** Whether it goes on without the person's session. */
  lasts: boolean
}

/** The two calls of the page that asks a person for consent: what is asked, and what the person decides. */
export function consentRoutes(
  server: Server,
  deps: AuthorizationDeps,
  authorization: AuthorizationServer,
): void {
  const { config, database } = deps
  const { baseUrl } = config.web

  server.get(
    '/v1/auth/authorizations/:id',
    {
      config: { access: 'session' },
      schema: {
        tags: ['OAuth'],
        operationId: 'readAuthorization',
        summary: 'Read what an application asks for',
        description: 'For the page for consent, in the browser in which the application asked.',
        params: RequestId,
        response: {
          200: Type.Object({
            client: Type.Object({
              name: Type.String(),
              host: Type.String({ description: 'Where the person is sent back to.' }),
              isRegistered: Type.Boolean({
                description: 'Whether the operator registered it; else its name is its own word.',
              }),
            }),
            resource: Type.String(),
            lasts: Type.Boolean({ description: 'Whether it goes on after the session has ended.' }),
            identity: Type.Array(Type.String()),
            scopes: Type.Array(Scope),
            organizations: Type.Array(
              Type.Object({
                id: Type.String(),
                name: Type.String(),
                role: Type.String(),
                scopes: Type.Array(Type.String(), {
                  description: 'Those of the asked scopes that the person may grant there.',
                }),
              }),
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const asked = await readAsked(request, reply, await mustBeAsked(request, reply))
      const { client, resource, scopes, identity, lasts } = asked
      const open = openMemberships(sessionOf(request).memberships, asked)
      const names = await namesOf(database.db, open)
      return {
        client: { name: client.name, host: client.host, isRegistered: client.isKnown },
        ...{ resource, lasts, identity },
        scopes: scopes.map((name) => ({ name, about: permissionRow(name).about })),
        organizations: open.map((membership) => {
          const { role, permissions } = rightsOf(membership)
          const id = membership.organization_id
          return {
            id,
            name: names.get(id) ?? '',
            role,
            scopes: scopes.filter((name) => permissions.has(name)),
          }
        }),
      }
    },
  )

  server.post(
    '/v1/auth/authorizations/:id',
    {
      config: { access: 'session' },
      schema: {
        tags: ['OAuth'],
        operationId: 'decideAuthorization',
        summary: 'Grant or refuse what an application asks for',
        description:
          'A grant is for one organization. The scopes are some of those that were asked for; what the person may not do in the organization is left out.',
        params: RequestId,
        body: strict({
          allow: Type.Boolean(),
          organizationId: Type.Optional(IdSchema('organization')),
          scopes: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 })),
        }),
        response: { 200: Type.Object({ redirectTo: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { allow, organizationId: named, scopes } = request.body
      const interaction = await mustBeAsked(request, reply)
      if (!allow) {
        const refused = { error: 'access_denied', error_description: 'the person did not consent' }
        return { redirectTo: await authorization.decide(request, reply, refused) }
      }
      if (named === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'organizationId' })
      const organizationId = parseId('organization', named, 'organizationId')
      const asked = await readAsked(request, reply, interaction)
      const session = sessionOf(request)
      const chosen = asked.scopes.filter((name) => scopes === undefined || scopes.includes(name))
      const grant = await makeGrant(deps, trailOf(request), {
        ...{ session, organizationId, interactionId: interaction.jti },
        ...{ client: asked.client, resource: asked.resource, lasts: asked.lasts },
        ...{ scopes: chosen, identity: asked.identity },
      })
      const login = { accountId: session.accountId, ts: Math.floor(grant.signedInAt / 1_000) }
      const result = { login, consent: { grantId: grant.id } }
      return { redirectTo: await authorization.decide(request, reply, result) }
    },
  )

  /** @throws ApiError ENTITY_NOT_FOUND where another browser was asked, or this one for something else since */
  async function mustBeAsked(request: FastifyRequest, reply: FastifyReply): Promise<Interaction> {
    const { id } = request.params as { id: string }
    const interaction = await authorization.interactionOf(request, reply)
    if (interaction === undefined || interaction.jti !== id) throw notFound('id', id)
    return interaction
  }

  async function readAsked(
    request: FastifyRequest,
    _reply: FastifyReply,
    { params, jti }: Interaction,
  ): Promise<Asked> {
    const clientId = params.client_id ?? ''
    const client = await authorization.findClient(clientId)
    if (client === undefined) throw notFound('id', jti)
    const known = await findClient(database.db, deps.vault, clientId, request.now)
    const host = hostOf(params.redirect_uri ?? '')
    const asked = new Set((params.scope ?? '').split(' '))
    const identity = IDENTITY_SCOPES.filter((name) => asked.has(name))
    const isOpenid = asked.has('openid')
    return {
      client: {
        id: clientId,
        name: client.clientName ?? host,
        host,
        isKnown: known?.row.origin === 'registered',
        onlyFor: known?.row.organization_id ?? null,
      },
      resource: params.resource ?? baseUrl,
      scopes:
        readResource(baseUrl, params.resource ?? baseUrl) === undefined
          ? []
          : GRANTABLE.filter((name) => asked.has(name)),
      identity,
      lasts: client.grantTypeAllowed('refresh_token') && (asked.has('offline_access') || !isOpenid),
    }
  }
}

/** The organizations that the consent page offers: `GET /v1/auth/token` issues a token for each of them to this session. */
function openMemberships(memberships: SessionMembership[], { client }: Asked): SessionMembership[] {
  return memberships.filter(
    ({ organization_id, disabled_at, ended_at }) =>
      disabled_at === null && ended_at === null && (client.onlyFor ?? organization_id) === organization_id,
  )
}

async function namesOf(db: Db, memberships: SessionMembership[]): Promise<Map<string, string>> {
  if (memberships.length === 0) return new Map()
  const rows = await db
    .selectFrom('organization')
    .select(['id', 'name'])
    .where(
      'id',
      'in',
      memberships.map(({ organization_id }) => organization_id),
    )
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
