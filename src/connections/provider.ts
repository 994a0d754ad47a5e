import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { ConnectionProvider } from '../config/providers-file.ts'
import { type Clock, DAY, type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Agent } from '../net/agent.ts'
import { createProtocol, type Library } from '../oauth/protocol.ts'
import { ProviderRefusal } from '../oauth/refusal.ts'

/** The tokens of an organization's account at a provider; they never leave the server. */
export interface Tokens {
  accessToken: string
  /** null: the access token cannot be renewed. */
  refreshToken: string | null
}

/** The answer of a token endpoint. */
export interface Granted {
  tokens: Tokens
  /** null where the provider does not say. */
  expiresAt: Millis | null
  /** undefined: the scopes that were asked for, or that it had. */
  scopes: string | undefined
  /** The provider's own key of the account, where an ID token names one. */
  subject: string | undefined
}

/** The secrets of one flow, from the request to the tokens. */
interface FlowSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/**
 * A provider of connections as Postern uses it. All members but `settings` throw ProviderRefusal. Calls for an
 * organization use its share of the outgoing connections.
 */
export interface Provider {
  settings: ConnectionProvider
  /** Asks for the provider's metadata where they are not known. */
  prepare(now: Millis): Promise<void>
  /** The address to which the browser is sent. */
  authorizationUrl(secrets: FlowSecrets, now: Millis): Promise<string>
  /** Exchanges the code that the browser brings for tokens. */
  exchange(
    query: URLSearchParams,
    secrets: FlowSecrets,
    now: Millis,
    owner: Id<'organization'>,
  ): Promise<Granted>
  /** Exchanges a refresh token for new tokens; `refused` says that the provider no longer takes it. */
  refresh(refreshToken: string, now: Millis, owner: Id<'organization'>): Promise<Granted>
  /** Revokes tokens. @returns false where the provider has no revocation endpoint */
  revoke(tokens: Tokens, now: Millis, owner: Id<'organization'>): Promise<boolean>
}

/** RFC 6749 3.3, in a length that makes sense. */
const SCOPES = /^[\x20-\x7e]{0,4000}$/

/** A longer lifetime is a mistake of the provider. */
const LONGEST_LIFETIME: Millis = 3_650 * DAY

export function createProvider(
  settings: ConnectionProvider,
  parts: {
    clock: Clock
    agent: Agent
    /** Exact: registered at the provider, and the same in both requests. */
    redirectUri: string
  },
): Provider {
  const { clock, redirectUri } = parts
  const protocol = createProtocol(settings, parts)
  const isOpenId = settings.scopes.includes('openid')

  function granted(answer: TokenEndpointResponse & TokenEndpointResponseHelpers): Granted {
    const { access_token, refresh_token, token_type, expires_in, scope } = answer
    // The token is sent in a header: one with other characters, or of another type, cannot be used.
    if (token_type !== 'bearer' || !/^[\x21-\x7e]+$/.test(access_token))
      throw new ProviderRefusal('failed', 'unusable_token')
    const refreshToken = refresh_token === undefined || refresh_token === '' ? null : refresh_token
    return {
      tokens: { accessToken: access_token, refreshToken },
      expiresAt:
        expires_in === undefined
          ? null
          : clock.now() + Math.min(Math.floor(expires_in * SECOND), LONGEST_LIFETIME),
      scopes: scope !== undefined && SCOPES.test(scope) ? scope : undefined,
      subject: subjectOf(answer.claims()?.sub),
    }
  }

  async function authorizationUrl(
    oidc: Library,
    config: Configuration,
    secrets: FlowSecrets,
  ): Promise<string> {
    const url = oidc.buildAuthorizationUrl(config, {
      ...settings.authorizeParameters,
      redirect_uri: redirectUri,
      ...(settings.scopes.length === 0 ? {} : { scope: settings.scopes.join(' ') }),
      state: secrets.state,
      ...(isOpenId ? { nonce: secrets.nonce } : {}),
      code_challenge: await oidc.calculatePKCECodeChallenge(secrets.codeVerifier),
      code_challenge_method: 'S256',
    })
    return url.href
  }

  /** RFC 9207 2.4: an answer that names an issuer names this one, so that no other's can be mistaken for it. */
  function verified(query: URLSearchParams, config: Configuration): URL {
    const { issuer, authorization_response_iss_parameter_supported } = config.serverMetadata()
    const iss = query.get('iss')
    const answer = new URL(redirectUri)
    answer.search = query.toString()
    if (settings.issuer === undefined) answer.searchParams.delete('iss')
    else if (iss === null && authorization_response_iss_parameter_supported)
      throw new ProviderRefusal('refused', 'no_iss')
    else if (iss !== null && iss !== issuer) throw new ProviderRefusal('refused', 'iss')
    if (!query.get('code') && !query.has('error')) throw new ProviderRefusal('refused', 'no_code')
    return answer
  }

  return {
    settings,
    prepare: protocol.prepare,
    authorizationUrl: (secrets, now) =>
      protocol.run(now, settings.name, (oidc, config) => authorizationUrl(oidc, config, secrets)),
    exchange: (query, secrets, now, owner) =>
      protocol.run(now, owner, async (oidc, config) =>
        granted(
          await oidc.authorizationCodeGrant(config, verified(query, config), {
            expectedState: secrets.state,
            pkceCodeVerifier: secrets.codeVerifier,
            ...(isOpenId ? { expectedNonce: secrets.nonce, idTokenExpected: true } : {}),
          }),
        ),
      ),
    refresh: (refreshToken, now, owner) =>
      protocol.run(now, owner, async (oidc, config) =>
        granted(await oidc.refreshTokenGrant(config, refreshToken)),
      ),
    revoke: ({ accessToken, refreshToken }, now, owner) =>
      protocol.run(now, owner, async (oidc, config) => {
        if (config.serverMetadata().revocation_endpoint === undefined) return false
        if (refreshToken !== null)
          await oidc.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' })
        await oidc.tokenRevocation(config, accessToken, { token_type_hint: 'access_token' })
        return true
      }),
  }
}

/** OpenID Connect Core 2: at most 255 ASCII characters. A longer one is ignored. */
function subjectOf(sub: string | undefined): string | undefined {
  if (sub === undefined || /^[\x20-\x7e]{1,255}$/.test(sub)) return sub
  throw new ProviderRefusal('failed', 'unusable_subject')
}
