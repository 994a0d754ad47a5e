import { createPublicKey, type JsonWebKeyInput } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { OAuthClient, OAuthContext } from 'oidc-provider'
import { type Millis, SECOND } from '../../core/clock.ts'
import { LIFETIME } from '../../core/limits.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { audienceOf, GRANTABLE, IDENTITY_SCOPES, readResource } from '../resources.ts'
import type { Signer } from '../signing-keys.ts'
import { claimsOfAccount, organizationOfGrant } from './account-claims.ts'
import { createAdapters } from './adapters.ts'
import { clientProblem, isRedirectAllowed } from './client-rules.ts'
import { newClientId } from './client-store.ts'
import type { AuthorizationDeps } from './deps.ts'
import { USER_CODE } from './device-codes.ts'
import { loadProvider } from './load-provider.ts'
import { CONSENT_PAGE, PATHS } from './paths.ts'

const seconds = (duration: Millis) => Math.floor(duration / SECOND)

/** `fetch` for client metadata documents. */
export type FetchDocument = (url: string, options: { headers: Headers }) => Promise<Response>

/** The poll interval of a device. */
const POLL_SECONDS = 2

/** Longest program name of a device, in characters. */
const LONGEST_PROGRAM = 200

/** The Fastify request behind each request of `oidc-provider`. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>()

export interface BuiltProvider {
  provider: Provider
  /** Answers a request by `oidc-provider`. */
  serve: (request: FastifyRequest, ...pair: Parameters<ReturnType<Provider['callback']>>) => void
}

/**
 * `oidc-provider` behind our sign-in and consent: codes with PKCE only, tokens signed by our keys, records in our store, no login of its
 * own, unused features off.
 * @param fetch fetches client metadata documents
 */
export async function buildProvider(
  deps: AuthorizationDeps,
  { signer, fetch }: { signer: Signer; fetch: FetchDocument },
): Promise<BuiltProvider> {
  const { default: OidcProvider, errors, ExternalSigningKey } = await loadProvider()
  const { config, keys, vault, clock } = deps
  const { baseUrl } = config.web
  const { kid } = signer
  const published = (await keys.published(clock.now())).find((one) => one.kid === kid)

  class OwnKey extends ExternalSigningKey {
    override keyObject() {
      return createPublicKey({ key: published, format: 'jwk' } as JsonWebKeyInput)
    }
    override async sign(data: Uint8Array) {
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
      return new Uint8Array(await crypto.subtle.sign(algorithm, signer.key, new Uint8Array(data)))
    }
  }
  const key = Object.assign(new OwnKey(), { kid, alg: 'ES256' })
  const requestNow = () => {
    const { req } = OidcProvider.ctx ?? {}
    return req === undefined ? undefined : requests.get(req)
  }
  const prefix = cookiesFor(baseUrl).options.secure ? '__Host-' : ''
  const allowClient = async (_context: OAuthContext, client: OAuthClient) =>
    clientProblem(client) === undefined

  const provider = new OidcProvider(baseUrl, {
    adapter: createAdapters(deps, { errors, requestNow }),
    jwks: { keys: [key] },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    scopes: [...IDENTITY_SCOPES],
    claims: {
      openid: ['sub', 'org_id'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name'],
    },
    // One consent covers all claims of a grant.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: {
      names: { session: 'oauth_session', interaction: `${prefix}oauth_request`, resume: 'oauth_resume' },
      keys: [vault.mac('cookies', 'oauth')],
      short: { httpOnly: true, sameSite: 'lax', path: '/' },
      long: { httpOnly: true, sameSite: 'lax' },
    },
    routes: PATHS,
    interactions: {
      url: (_context: OAuthContext, { jti }: { jti: string }) => `${baseUrl}${CONSENT_PAGE}?request=${jti}`,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context: OAuthContext, client: OAuthClient, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      deviceFlow: {
        enabled: config.access.oauth.deviceFlow,
        ...USER_CODE,
        deviceInfo() {
          const { ip = '', headers = {} } = requestNow() ?? {}
          return { address: ip, program: (headers['user-agent'] ?? '').slice(0, LONGEST_PROGRAM) }
        },
      },
      registration: {
        enabled: config.access.oauth.registration,
        idFactory: () => newClientId(clock.now()),
        issueRegistrationAccessToken: false,
      },
      clientIdMetadataDocument: {
        enabled: config.access.oauth.clientDocuments,
        ack: 'draft-02',
        allowClient,
        cacheDuration: { min: 60, max: 3_600 },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => baseUrl,
        // This also applies to a token request without a resource, although an ID token is issued too.
        useGrantedResource: () => true,
        getResourceServerInfo(_context: OAuthContext, indicator: string) {
          const resource = readResource(baseUrl, indicator)
          if (resource === undefined) throw new errors.InvalidTarget('it is no resource of this server')
          return {
            scope: GRANTABLE.join(' '),
            audience: audienceOf(baseUrl, resource),
            accessTokenTTL: seconds(LIFETIME.jwt),
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256', kid } },
          }
        },
      },
    },
    async extraTokenClaims(_context: OAuthContext, token: { grantId: string }) {
      return { org_id: await organizationOfGrant(deps, token.grantId), grant_id: token.grantId }
    },
    findAccount: (_context: OAuthContext, id: string, token?: { grantId?: string }) =>
      claimsOfAccount(deps, id, token?.grantId),
    // Clients with `openid` need `offline_access` for a refresh token; others get one until the grant ends.
    issueRefreshToken: (_context: OAuthContext, client: OAuthClient, source: { scopes: Set<string> }) =>
      client.grantTypeAllowed('refresh_token') &&
      (source.scopes.has('offline_access') || !source.scopes.has('openid')),
    rotateRefreshToken: () => true,
    // A grant has its session in its own row.
    expiresWithSession: () => false,
    fetch,
    renderError(context: OAuthContext, { error }: { error: string }) {
      context.status = 303
      context.redirect(`${baseUrl}${CONSENT_PAGE}?error=${encodeURIComponent(error)}`)
    },
    ttl: {
      AccessToken: seconds(LIFETIME.jwt),
      AuthorizationCode: seconds(LIFETIME.authorizationCode),
      DeviceCode: seconds(LIFETIME.deviceCode),
      Grant: seconds(LIFETIME.grant),
      IdToken: seconds(LIFETIME.jwt),
      Interaction: seconds(LIFETIME.consentRequest),
      RefreshToken: seconds(LIFETIME.refreshToken),
      Session: seconds(LIFETIME.consentRequest),
    },
  })
  // This server is the proxy in front of it, and sets the scheme.
  provider.proxy = true
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    return isRedirectAllowed(this.redirectUris, uri)
  }
  // RFC 8628 3.2: without this member clients poll every five seconds.
  provider.on('device_authorization.success', (_context: OAuthContext, answer: { interval?: number }) => {
    answer.interval = POLL_SECONDS
  })
  provider.on('server_error', (_context: OAuthContext, error: Error) =>
    deps.log.error({ err: error }, 'authorization server'),
  )
  const serve = provider.callback()
  return {
    provider,
    serve(request, req, res) {
      requests.set(req, request)
      serve(req, res)
    },
  }
}
