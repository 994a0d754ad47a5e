import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { ConnectionProvider } from '../config/providers-file.ts'
import { type Clock, DAY, type Millis, SECOND } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Agent } from '../net/agent.ts'
import { createProtocol, type Library } from '../oauth/protocol.ts'
import { ProviderRefusal } from '../oauth/provider-refusal.ts'

/** The tokens of an organization's account at a provider; they never leave the server. */
export interface Tokens {
  accessToken: string
  /** null: the access token cannot be renewed. */
  refreshToken: string | null
}

/** The answer of a token endpoint. */
export interface TokenGrant {
  tokens: Tokens
  /** null where the provider does not state it. */
  expiresAt: Millis | null
  /** undefined: the requested or previous scopes. */
  scopes: string | undefined
  /** The provider's key of the account, where an ID token has one. */
  subject: string | undefined
}

/** The secrets of one flow, from the authorization request to the tokens. */
interface FlowSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/**
 * A connection provider. All functions throw ProviderRefusal. Calls for an organization use its share of outgoing
 * connections.
 */
export interface Provider {
  settings: ConnectionProvider
  /** Fetches the provider's metadata unless they are cached. */
  prepare(now: Millis): Promise<void>
  /** The URL to which the browser is sent. */
  authorizationUrl(secrets: FlowSecrets, now: Millis): Promise<string>
  /** Exchanges the browser's code for tokens. */
  exchange(
    query: URLSearchParams,
    secrets: FlowSecrets,
    now: Millis,
    owner: Id<'organization'>,
  ): Promise<TokenGrant>
  /** Exchanges a refresh token for new tokens; the kind `refused` means that the provider no longer accepts it. */
  refresh(refreshToken: string, now: Millis, owner: Id<'organization'>): Promise<TokenGrant>
  /** Revokes tokens. @returns false where the provider has no revocation endpoint */
  revoke(tokens: Tokens, now: Millis, owner: Id<'organization'>): Promise<boolean>
}

/** Scopes (RFC 6749 3.3), up to a sensible length. */
const SCOPES = /^[\x20-\x7e]{0,4000}$/

/** Longest lifetime; a longer one is an error of the provider. */
const LONGEST_LIFETIME: Millis = 3_650 * DAY

export function createProvider(
  settings: ConnectionProvider,
  parts: {
    clock: Clock
    agent: Agent
    /** Registered at the provider exactly like this, and equal in both requests. */
    redirectUri: string
  },
): Provider {
  const { clock, redirectUri } = parts
  const protocol = createProtocol(settings, parts)
  const isOpenId = settings.scopes.includes('openid')

  function granted(answer: TokenEndpointResponse & TokenEndpointResponseHelpers): TokenGrant {
    const { access_token, refresh_token, token_type, expires_in, scope } = answer
    // The token is sent in a header, so other characters or types cannot be used.
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

  /** RFC 9207 2.4: an issuer in the answer must be this one, against mix-up attacks. */
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
