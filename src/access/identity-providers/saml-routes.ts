import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { hashToken } from '../../core/secret.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { answerFlow } from '../../oauth/flow-state.ts'
import { takeForms } from '../authorization/forms.ts'
import type { AccessDeps } from '../deps.ts'
import { ownMetadata } from '../saml/own-metadata.ts'
import type { Flow } from '../social/state.ts'
import { listOwnKeys, type OwnKeys, openOwnKey, type Purpose } from './own-keys.ts'
import { ownNamesOf, readSaml } from './saml-settings.ts'

type Provider = Tables['identity_provider']

/**
 * `POST /v1/auth/callback/{provider}` for the answers of SAML identity providers, which browsers bring, and the routes with Postern's
 * metadata and certificates.
 *
 * A browser sends no `SameSite=Lax` cookie with a form of another site. So the answer is checked and stored with the flow of its
 * `RelayState`, and the browser is redirected by `GET`, with the cookie, to the callback of all providers. A session begins only in a
 * browser that has both the cookie of the sign-in and the code of the sent answer. Otherwise a victim who is led to the identity provider
 * with an attacker's request would sign the attacker in.
 */
export function samlRoutes(
  server: Server,
  {
    config,
    database,
    vault,
    saml,
    ownKeys,
  }: Pick<AccessDeps, 'config' | 'database' | 'vault' | 'saml'> & { ownKeys: OwnKeys },
): void {
  const { baseUrl } = config.web

  void server.register(async (scope) => {
    takeForms(scope)
    scope.post<{ Params: { provider: string }; Body: unknown }>(
      '/v1/auth/callback/:provider',
      {
        bodyLimit: SIZE.eventBody,
        config: { access: 'public', rates: ['signInPerIp'], crossSite: true },
        schema: { hide: true },
      },
      async ({ params, body, now }, reply) => {
        const form = new URLSearchParams(typeof body === 'string' ? body : '')
        const state = form.get('RelayState') ?? ''
        const encoded = form.get('SAMLResponse') ?? ''
        // A code that only this sender can know; a repeated form has the same code.
        const code = hashToken(encoded)
        const provider = await findSaml(database.db, params.provider)
        if (provider === undefined) throw new ApiError('ENTITY_NOT_FOUND', {})
        const { entityId: issuer, certificates } = readSaml(provider)
        const own = ownNamesOf(baseUrl, provider.id)
        const keys = (await listOwnKeys(database.db, provider, 'encryption', now)).map((key) =>
          openOwnKey(vault, key),
        )
        const key = { state, provider: provider.id }
        const isKnown = await answerFlow<Flow>(database, vault, key, now, ({ requestId = '' }) =>
          saml
            .readResponse(provider.organization_id, encoded, {
              ...{ issuer, certificates: certificates.map(({ pem }) => pem) },
              ...{ keys, audience: own.entityId, recipient: own.acsUrl, requestId, now },
            })
            .then((judged) => ({ judged, codeHash: hashToken(code) })),
        )
        if (!isKnown)
          throw new ApiError('VALIDATION_FAILED', {
            ...{ field: 'state', value: '[redacted]', reason: 'unknown_or_expired' },
          })
        return reply.redirect(`${own.acsUrl}?${new URLSearchParams({ state, code })}`, 303)
      },
    )
  })

  const open = {
    config: { access: 'public' as const, rates: ['publicPerIp'] as const },
    schema: { hide: true, params: strict({ id: IdSchema('identityProvider') }) },
  }

  server.get('/v1/auth/saml/:id/metadata', open, async ({ params, now }, reply) => {
    const provider = await findSaml(database.db, params.id)
    if (provider === undefined) throw new ApiError('ENTITY_NOT_FOUND', {})
    const certificates = {
      encryption: await newestOf(provider, 'encryption', now),
      // A provider that reads it knows the newest one before anything is signed by it.
      signing: (await ownKeys.ensure(provider, 'signing', now)).map(({ certificate }) => certificate),
    }
    void reply.type('application/samlmetadata+xml; charset=utf-8')
    return ownMetadata(ownNamesOf(baseUrl, provider.id), certificates)
  })

  for (const [name, purpose, file] of [
    ['certificate', 'encryption', 'postern.pem'],
    ['signing-certificate', 'signing', 'postern-signing.pem'],
  ] as const)
    server.get(`/v1/auth/saml/:id/${name}`, open, async ({ params, now }, reply) => {
      const provider = await findSaml(database.db, params.id)
      if (provider === undefined) throw new ApiError('ENTITY_NOT_FOUND', {})
      void reply
        .type('application/x-pem-file')
        .header('content-disposition', `attachment; filename="${file}"`)
      return newestOf(provider, purpose, now)
    })

  /** The certificate that is entered at the provider; a replaced key works on for a time, and is not shown. */
  async function newestOf(provider: Provider, purpose: Purpose, now: Millis): Promise<string> {
    const [newest] = await ownKeys.ensure(provider, purpose, now)
    if (newest === undefined) throw new ApiError('ENTITY_NOT_FOUND', {})
    return newest.certificate
  }
}

/** The SAML identity provider that an address names. */
export async function findSaml(db: Db, id: string): Promise<Provider | undefined> {
  if (readId('identityProvider', id) !== id) return undefined
  return db
    .selectFrom('identity_provider')
    .selectAll()
    .where('id', '=', id as Provider['id'])
    .where('kind', '=', 'saml')
    .executeTakeFirst()
}
