import type { JSONWebKeySet } from 'jose'
import type { Configuration, ServerMetadata } from 'openid-client'
import type { ProviderConfig } from '../../config/config.ts'
import type { Clock, Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailureBackoff } from '../../core/failure-backoff.ts'
import { memoizeFor } from '../../core/memoize.ts'
import { isLocalhost } from '../../core/text/secure-url.ts'
import { withQuery } from '../../http/schema/return-url.ts'
import type { Agent } from '../../net/agent.ts'
import { callFailureIn } from '../../net/call.ts'
import { LONGEST_URL } from '../../net/destination.ts'
import { basicAuth, isWebAddress, METADATA_LIFETIME, PROVIDER_TROUBLE } from '../../oauth/protocol.ts'
import { createProviderFetch } from '../../oauth/provider-fetch.ts'
import { loadJose } from '../jose.ts'
import {
  ALGORITHMS_OF_ANY,
  ALGORITHMS_OF_KNOWN,
  createKeySet,
  FAILURE_PAUSES,
  type KeySet,
  verifyIdToken,
} from './id-token.ts'
import type { Claims, Dialect } from './identity.ts'
import { isOwnMetadata, isOwnToken, mayAnswer } from './issuer.ts'
import { type LogoutClaims, verifyLogoutToken } from './logout-token.ts'

/** The secrets of one flow, from the request to the token. */
interface FlowSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/** The result of the exchange of a code. */
interface Exchanged {
  /** The claims of the verified ID token. */
  claims: Claims
  idToken: string
}

/** The data of a sign-out at a provider. */
interface SignOut {
  state: string
  /** The ID token of the session; undefined where it is not known. */
  hint: string | undefined
  /** Registered at the provider. */
  returnTo: string
}

/** An identity provider of Postern. All methods throw ApiError INTEGRATION_PROVIDER_ERROR when it fails. */
export interface OpenIdProvider {
  /**
   * The address to which the browser is sent.
   * @param hint the address of the person, where it is known
   */
  authorizationUrl(secrets: FlowSecrets, now: Millis, hint?: string): Promise<string>
  /**
   * Exchanges the code that the browser brings for a verified ID token.
   * @throws ApiError UNAUTHORIZED when the provider refuses, or the code or the token is invalid
   */
  exchange(query: URLSearchParams, secrets: FlowSecrets, now: Millis): Promise<Exchanged>
  /**
   * The URL at which the browser signs out at the provider (OpenID Connect RP-Initiated Logout 1.0, 2); undefined where the provider has no
   * trustworthy one.
   */
  signOutUrl(signOut: SignOut, now: Millis): Promise<string | undefined>
  /** Fetches its metadata and keys. */
  check(now: Millis): Promise<void>
  /**
   * Verifies its back-channel message about the end of a person's session. Any client can send such a token, so a failing provider is
   * called less and less often for it.
   * @throws ApiError UNAUTHORIZED
   */
  readLogout(token: string, now: Millis): Promise<LogoutClaims>
}

interface Discovered {
  metadata: ServerMetadata
  keys: KeySet
}

/** openid-client is loaded by the first sign-in: a server without providers never loads it. */
const load = () => import('openid-client')
type Library = Awaited<ReturnType<typeof load>>

export function createOpenIdProvider(parts: {
  /** The name in errors. */
  name: string
  dialect: Dialect
  settings: ProviderConfig
  clock: Clock
  agent: Agent
  /** The owner of the share of connections and look-ups. */
  owner: string
  /** The exact URI that is registered at the provider, the same in both requests. */
  redirectUri: string
}): OpenIdProvider {
  const { name, dialect, settings, clock, agent, owner, redirectUri } = parts
  const { issuer, clientId, clientSecret } = settings
  const allowHttp = isLocalhost(new URL(issuer).hostname)
  const fetchProvider = createProviderFetch({ clock, allowHttp, agent, owner })
  const discovered = withFailureBackoff(FAILURE_PAUSES, memoizeFor(METADATA_LIFETIME, discover))

  async function discover(): Promise<Discovered> {
    const oidc = await load()
    // The full address, because the library would refuse Microsoft's aliases; the issuer is checked below.
    const config = await oidc.discovery(
      new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
      clientId,
      clientSecret,
      undefined,
      {
        [oidc.customFetch]: fetchProvider,
        ...(allowHttp ? { execute: [oidc.allowInsecureRequests] } : {}),
      },
    )
    const metadata = config.serverMetadata()
    const { jwks_uri, issuer: found } = metadata
    if (!isOwnMetadata(dialect, issuer, found)) throw failed(name, 'foreign_issuer')
    if (jwks_uri === undefined) throw failed(name, 'no_keys')
    // Browsers are redirected to this address.
    if (!isWebAddress(metadata.authorization_endpoint)) throw failed(name, 'no_endpoints')
    return { metadata, keys: createKeySet(() => fetchKeys(jwks_uri)) }
  }

  async function fetchKeys(address: string): Promise<JSONWebKeySet> {
    const response = await fetchProvider(address, { method: 'GET', headers: { accept: 'application/json' } })
    if (response.status !== 200) throw failed(name, `keys_status_${response.status}`)
    const { keys } = (await response.json()) as JSONWebKeySet
    if (!Array.isArray(keys)) throw failed(name, 'no_keys')
    return { keys }
  }

  /** A configuration of the library with these metadata that sends requests by `fetch`. */
  function configure(oidc: Library, metadata: ServerMetadata, fetch = fetchProvider): Configuration {
    const config = new oidc.Configuration(metadata, clientId, {}, clientAuth(oidc, metadata))
    config[oidc.customFetch] = fetch
    if (allowHttp) oidc.allowInsecureRequests(config)
    return config
  }

  /** The client authentication that the issuer supports. Google and Microsoft accept the secret in the body. */
  function clientAuth(oidc: Library, metadata: ServerMetadata) {
    const { token_endpoint_auth_methods_supported: methods } = metadata
    const takesPost = dialect !== 'openid' || (methods?.includes('client_secret_post') ?? false)
    return takesPost ? oidc.ClientSecretPost(clientSecret) : basicAuth(clientSecret)
  }

  async function authorize(
    { state, nonce, codeVerifier }: FlowSecrets,
    now: Millis,
    hint?: string,
  ): Promise<string> {
    const oidc = await load()
    const { metadata } = await discovered(now, 'caller')
    const url = oidc.buildAuthorizationUrl(configure(oidc, metadata), {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(hint === undefined ? {} : { login_hint: hint }),
    })
    return url.href
  }

  async function signOutUrl({ state, hint, returnTo }: SignOut, now: Millis): Promise<string | undefined> {
    // A sign-out does not wait for a provider that fails.
    const { metadata } = await discovered(now, 'stranger')
    const url = endSessionOf(metadata)
    if (url === undefined) return undefined
    const { decodeJwt } = await loadJose()
    // The client id may have changed since; the provider would refuse a hint of another client.
    const isOwn = hint !== undefined && [decodeJwt(hint).aud].flat().includes(clientId)
    const parameters = { client_id: clientId, ...(isOwn && { id_token_hint: hint }) }
    return withQuery(url, { ...parameters, post_logout_redirect_uri: returnTo, state })
  }

  async function exchangeCode(query: URLSearchParams, secrets: FlowSecrets, now: Millis): Promise<Exchanged> {
    const oidc = await load()
    const { metadata, keys } = await discovered(now, 'caller')
    const iss = query.get('iss') ?? undefined
    // RFC 9207 2.4: the answer names its issuer, so that no other provider's can be mistaken for it.
    if (iss === undefined && metadata.authorization_response_iss_parameter_supported) throw refused('no_iss')
    if (iss !== undefined && !mayAnswer(metadata.issuer, iss)) throw refused('iss')
    if (!query.get('code') && !query.has('error')) throw refused('no_code')

    let idToken: unknown
    const config = configure(oidc, { ...metadata, issuer: iss ?? metadata.issuer }, async (url, options) => {
      const response = await fetchProvider(url, options)
      if (response.status !== 200) return response
      // openid-client knows neither Microsoft's issuer of many tenants outside its public cloud, nor our clock, nor our limit for fetches
      // of keys; so only `verifyIdToken` verifies the token.
      const { id_token, ...rest } = (await response.json()) as Record<string, unknown>
      idToken = id_token
      return Response.json(rest)
    })
    const answer = new URL(redirectUri)
    answer.search = query.toString()
    await oidc.authorizationCodeGrant(config, answer, {
      expectedState: secrets.state,
      pkceCodeVerifier: secrets.codeVerifier,
    })
    if (typeof idToken !== 'string') throw failed(name, 'no_id_token')
    const claims = await verifyIdToken(idToken, {
      keys,
      clientId,
      nonce: secrets.nonce,
      now,
      algorithms: dialect === 'openid' ? ALGORITHMS_OF_ANY : ALGORITHMS_OF_KNOWN,
      isOwnToken: (found) => isOwnToken(dialect, issuer, metadata.issuer, found),
    })
    if (iss !== undefined && iss !== metadata.issuer && iss !== claims.iss) throw refused('iss')
    return { claims, idToken }
  }

  return {
    authorizationUrl: (secrets, now, hint) => withApiErrors(name, () => authorize(secrets, now, hint)),
    signOutUrl: (signOut, now) => withApiErrors(name, () => signOutUrl(signOut, now)),
    check: (now) =>
      withApiErrors(name, async () => {
        const { keys } = await discovered(now, 'caller')
        await keys.load(now)
      }),
    readLogout: (token, now) =>
      withApiErrors(name, async () => {
        const { metadata, keys } = await discovered(now, 'stranger')
        const isOwn = (claims: Claims) => isOwnToken(dialect, issuer, metadata.issuer, claims)
        return verifyLogoutToken(token, {
          keys,
          clientId,
          now,
          algorithms: ALGORITHMS_OF_ANY,
          isOwnToken: isOwn,
        })
      }),
    exchange: (query, secrets, now) => withApiErrors(name, () => exchangeCode(query, secrets, now)),
  }
}

/**
 * The address of a provider for sign-outs, only at the origin of its issuer or of its sign-in page. Otherwise the metadata could send a
 * browser, with an ID token, to any address.
 */
function endSessionOf({
  issuer,
  authorization_endpoint: page,
  end_session_endpoint: end,
}: ServerMetadata): string | undefined {
  if (typeof end !== 'string' || end.length > LONGEST_URL || !isWebAddress(end)) return undefined
  const { origin, username, password } = new URL(end)
  const own = [issuer, page].map((one) => URL.parse(one ?? '')?.origin)
  return own.includes(origin) && username === '' && password === '' ? end : undefined
}

/** Converts an error into the refusal of a sign-in, or into a failure of the provider. */
async function withApiErrors<T>(provider: string, work: () => Promise<T>): Promise<T> {
  const oidc = await load()
  try {
    return await work()
  } catch (error) {
    throw toApiError(oidc, provider, error)
  }
}

function toApiError(oidc: Library, provider: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof oidc.AuthorizationResponseError)
    return PROVIDER_TROUBLE.includes(error.error) ? failed(provider, error.error) : refused('denied')
  if (error instanceof oidc.ResponseBodyError)
    return error.error === 'invalid_grant' ? refused('code') : failed(provider, error.error)
  return failed(provider, callFailureIn(error) ?? 'unexpected_answer')
}

function refused(reason: string): ApiError<'UNAUTHORIZED'> {
  return new ApiError('UNAUTHORIZED', { reason })
}

function failed(provider: string, reason: string): ApiError<'INTEGRATION_PROVIDER_ERROR'> {
  return new ApiError('INTEGRATION_PROVIDER_ERROR', { provider, reason: reason.slice(0, 64) })
}
