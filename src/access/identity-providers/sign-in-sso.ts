import type { FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId, readId } from '../../core/id.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { checkReturnUrl, returnUrlSchema } from '../../http/schema/return-url.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { findDomainOwner } from '../domains/proven-domain.ts'
import { beginFlow, type CallbackHandler } from '../social/callback.ts'
import { enterOrganization } from './enter-organization.ts'
import type { Vouched } from './read-claims.ts'
import type { RoundTrip } from './round-trip.ts'

type Provider = Tables['identity_provider']
type SsoDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'publish' | 'outbox' | 'credentials' | 'endMade'
> & { roundTrip: RoundTrip; recordTest: RecordTest }

/** Records the result of a test sign-in that a setup link began; it begins no session. */
export type RecordTest = (
  request: FastifyRequest,
  test: { setupLinkId: Id<'setupLink'>; provider: Provider | undefined },
  vouch: (provider: Provider) => Promise<Vouched>,
) => Promise<void>

/** The ways to name an identity provider; a request has one of them. */
interface Named {
  email?: string
  identityProviderId?: string
  organizationId?: string
}

/**
 * `POST /v1/auth/sign-in/sso`, with the identity provider of an organization.
 * @returns where their callbacks lead
 */
export function signInSsoRoutes(server: Server, deps: SsoDeps): CallbackHandler {
  const { config, database, roundTrip, recordTest } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/sign-in/sso',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signInWithOrganization',
        summary: 'Sign in with the identity provider of an organization',
        description:
          'Takes one of `email`, `identityProviderId` and `organizationId`. An address selects the organization that has proven its domain; the answer reveals nothing about accounts. Redirect the browser to `authUrl`; it arrives at `callbackURL` with a session that gives access only to that organization. Without such a provider the answer is `VALIDATION_FAILED` with `reason: no_identity_provider`.',
        body: strict(
          {
            email: Type.Optional(EmailSchema),
            identityProviderId: Type.Optional(IdSchema('identityProvider')),
            organizationId: Type.Optional(IdSchema('organization')),
            callbackURL: returnUrlSchema(config.web.allowedOrigins),
            errorCallbackURL: Type.Optional(returnUrlSchema(config.web.allowedOrigins)),
          },
          documented({
            oneOf: ['email', 'identityProviderId', 'organizationId'].map((name) => ({ required: [name] })),
          }),
        ),
        response: { 200: Type.Object({ authUrl: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const callbackURL = checkReturnUrl(body.callbackURL, config.web.allowedOrigins, 'callbackURL')
      const errorCallbackURL =
        checkReturnUrl(body.errorCallbackURL, config.web.allowedOrigins, 'errorCallbackURL') ?? callbackURL
      const provider = await findNamed(database.db, body)
      const hint = body.email === undefined ? undefined : normalizeEmail(body.email)
      const { authUrl, secrets } = await roundTrip.begin(provider, now, hint)
      const cookie = await beginFlow(deps, request, provider.id, secrets, {
        ...{ callbackURL, errorCallbackURL, invitationToken: null },
      })
      void reply.setCookie(cookie.name, cookie.value, cookie.options)
      return { authUrl }
    },
  )

  return {
    knows: (name) => readId('identityProvider', name) === name,
    ownerOf: async (name) =>
      (await findProvider(database.db, name as Provider['id']))?.organization_id ?? null,
    async complete(request, returned) {
      const provider = await findProvider(database.db, returned.provider as Provider['id'])
      const { setupLinkId } = returned.flow
      if (setupLinkId !== undefined) {
        await recordTest(request, { setupLinkId, provider }, (of) =>
          roundTrip.vouchedBy(of, request, returned),
        )
        return { kind: 'tested' }
      }
      if (provider?.status !== 'active') throw new ApiError('UNAUTHORIZED', { reason: 'provider_disabled' })
      const vouched = await roundTrip.vouchedBy(provider, request, returned)
      const replaces = request.cookies[cookies.session]
      const way = { replaces, returnTo: returned.flow.callbackURL, beganAt: returned.beganAt }
      return database.tx((tx) => enterOrganization(tx, deps, trailOf(request), provider, vouched, way))
    },
  }
}

/** @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED `no_identity_provider` */
async function findNamed(db: Db, { email, identityProviderId, organizationId }: Named): Promise<Provider> {
  const given = Object.entries({ email, identityProviderId, organizationId }).filter(
    ([, value]) => value !== undefined,
  )
  const [[field = 'email', value = ''] = []] = given
  if (given.length === 0) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'email' })
  if (given.length > 1)
    throw new ApiError('VALIDATION_FAILED', { field: given[1]?.[0] ?? '', reason: 'one_of_them' })
  // The oldest first. An id is as old as the setup link by which the provider was made.
  const active = db
    .selectFrom('identity_provider')
    .selectAll()
    .where('status', '=', 'active')
    .orderBy('created_at')
    .orderBy('id')
  const owner =
    email === undefined
      ? undefined
      : ((await findDomainOwner(db, normalizeEmail(email) ?? ''))?.organization_id ?? null)
  const of = (id: Id<'organization'>) => active.where('organization_id', '=', id).executeTakeFirst()
  const provider =
    identityProviderId !== undefined
      ? await active
          .where('id', '=', parseId('identityProvider', identityProviderId, 'identityProviderId'))
          .executeTakeFirst()
      : organizationId !== undefined
        ? await of(parseId('organization', organizationId, 'organizationId'))
        : owner && (await of(owner))
  if (!provider) throw new ApiError('VALIDATION_FAILED', { field, value, reason: 'no_identity_provider' })
  return provider
}

function findProvider(db: Db, id: Provider['id']): Promise<Provider | undefined> {
  return db.selectFrom('identity_provider').selectAll().where('id', '=', id).executeTakeFirst()
}
