import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction } from 'oidc-provider'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { notFound } from '../../db/owned-row.ts'
import { sessionOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { hostOf } from './client-rules.ts'
import {
  type ConsentRequest,
  ConsentRequestFields,
  readConsentRequest,
  requiresNewSignIn,
  toConsentRequestWire,
} from './consent-request.ts'
import type { AuthorizationDeps } from './deps.ts'
import { makeGrant } from './make-grant.ts'
import { consumeRecord, recordedAt } from './records.ts'

const RequestId = strict({ id: Type.String({ minLength: 1, maxLength: 64 }) })

/** The body of a decision. */
export const Decision = {
  allow: Type.Boolean(),
  organizationId: Type.Optional(IdSchema('organization')),
  scopes: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 })),
}

/** The two routes of the consent page: they read the request and take the decision. */
export function consentRoutes(
  server: Server,
  deps: AuthorizationDeps,
  authorization: AuthorizationServer,
): void {
  server.get(
    '/v1/auth/authorizations/:id',
    {
      config: { access: 'session', ofOrganization: true },
      schema: {
        tags: ['OAuth'],
        operationId: 'readAuthorization',
        summary: 'Read the request of an application',
        description: 'For the page for consent, in the browser in which the application asked.',
        params: RequestId,
        response: {
          200: Type.Object({
            client: Type.Object({
              name: Type.String(),
              host: Type.String({ description: 'Where the person is sent back to.' }),
              isRegistered: Type.Boolean({
                description:
                  'Whether the operator registered it, or it is part of Postern; otherwise it chose its own name.',
              }),
            }),
            needsNewSignIn: Type.Boolean({
              description: 'Whether the application requires a newer sign-in, or one of another account.',
            }),
            ...ConsentRequestFields,
          }),
        },
      },
    },
    async (request, reply) => {
      const asked = await askedOf(await mustBeAsked(request, reply), request)
      const { name, host, isKnown } = asked.client
      const session = sessionOf(request)
      const { accountId, sessionId } = session
      const begun = await deps.database.db
        .selectFrom('session')
        .select('created_at')
        .where('id', '=', sessionId)
        .executeTakeFirst()
      return {
        client: { name, host, isRegistered: isKnown },
        needsNewSignIn: requiresNewSignIn(asked, { accountId, at: begun?.created_at ?? 0 }),
        ...(await toConsentRequestWire(deps.database.db, asked, session)),
      }
    },
  )

  server.post(
    '/v1/auth/authorizations/:id',
    {
      config: { access: 'session', ofOrganization: true },
      schema: {
        tags: ['OAuth'],
        operationId: 'decideAuthorization',
        summary: 'Grant or refuse the request of an application',
        description:
          'A grant is for one organization. Its scopes are a part of the requested ones; scopes that the person does not have in the organization are left out.',
        params: RequestId,
        body: strict(Decision),
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
      const asked = await askedOf(interaction, request)
      const session = sessionOf(request)
      const { jti } = interaction
      const grant = await makeGrant(deps, trailOf(request), {
        ...{ session, organizationId, asked, scopes },
        async use(tx) {
          if (!(await consumeRecord(tx, 'Interaction', jti, request.now))) throw notFound('id', jti)
        },
      })
      const login = { accountId: session.accountId, ts: Math.floor(grant.signedInAt / 1_000) }
      const result = { login, consent: { grantId: grant.id } }
      return { redirectTo: await authorization.decide(request, reply, result) }
    },
  )

  /** @throws ApiError ENTITY_NOT_FOUND where the request belongs to another browser, or a later one has replaced it */
  async function mustBeAsked(request: FastifyRequest, reply: FastifyReply): Promise<Interaction> {
    const { id } = request.params as { id: string }
    const interaction = await authorization.interactionOf(request, reply)
    if (interaction === undefined || interaction.jti !== id) throw notFound('id', id)
    return interaction
  }

  async function askedOf({ params, jti }: Interaction, { now }: FastifyRequest): Promise<ConsentRequest> {
    const client = await authorization.findClient(params.client_id ?? '')
    if (client === undefined) throw notFound('id', jti)
    const askedAt = (await recordedAt(deps.database.db, 'Interaction', jti)) ?? now
    return readConsentRequest(deps, { client, params, host: hostOf(params.redirect_uri ?? ''), askedAt }, now)
  }
}
