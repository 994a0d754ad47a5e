import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { ConnectionProvider } from '../config/providers-file.ts'
import { type Clock, HOUR, type Millis, SECOND } from '../core/clock.ts'
import { memoizeFor } from '../core/memoize.ts'
import { isLocalhost, isSecureUrl } from '../core/text/secure-url.ts'
import type { Agent } from '../net/agent.ts'
import { callFailureIn } from '../net/call.ts'
import { readRetryAfter } from '../net/retry-after.ts'
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts'
import { ProviderRefusal } from './provider-refusal.ts'

/** One request to a provider, from name resolution to the last byte. */
export const PROVIDER_DEADLINE: Millis = 10 * SECOND

/** How long a provider's metadata are cached. */
export const METADATA_LIFETIME: Millis = HOUR

/** openid-client is loaded by the first flow: a server without providers never loads it. */
const load = () => import('openid-client')
export type Library = Awaited<ReturnType<typeof load>>

/** OAuth and OpenID with one provider. Every failure is a ProviderRefusal. */
interface Protocol {
  /** Fetches the metadata unless they are cached. */
  prepare(now: Millis): Promise<void>
  /**
   * Runs `work` with the library, configured for the provider.
   * @param owner the organization whose share of outgoing connections it uses
   */
  run<T>(now: Millis, owner: string, work: (oidc: Library, config: Configuration) => Promise<T>): Promise<T>
}

export function createProtocol(
  settings: ConnectionProvider,
  { clock, agent }: { clock: Clock; agent: Agent },
): Protocol {
  const { issuer, endpoints, revocationEndpoint } = settings
  const allowHttp = isLocalhost(new URL(endpoints?.token ?? issuer ?? '').hostname)
  const discovered = memoizeFor(METADATA_LIFETIME, () => findMetadata())

  async function findMetadata(): Promise<ServerMetadata> {
    const own = revocationEndpoint === undefined ? {} : { revocation_endpoint: revocationEndpoint }
    if (endpoints !== undefined) {
      const { authorization, token } = endpoints
      return {
        issuer: issuer ?? new URL(authorization).origin,
        authorization_endpoint: authorization,
        token_endpoint: token,
        ...own,
      }
    }
    const metadata = { ...(await discover(await load())), ...own }
    const { authorization_endpoint, token_endpoint } = metadata
    if (token_endpoint === undefined || !isWebAddress(authorization_endpoint))
      throw new ProviderRefusal('failed', 'no_endpoints')
    return metadata
  }

  /** Fetches OpenID's metadata, or those of plain OAuth (RFC 8414). */
  async function discover(oidc: Library): Promise<ServerMetadata> {
    const { fetch, last } = watch(settings.name)
    const ask = async (algorithm: 'oidc' | 'oauth2') =>
      (
        await oidc.discovery(new URL(issuer ?? ''), settings.clientId, undefined, undefined, {
          algorithm,
          [oidc.customFetch]: fetch,
          ...(allowHttp ? { execute: [oidc.allowInsecureRequests] } : {}),
        })
      ).serverMetadata()
    try {
      return await ask('oidc').catch((error: unknown) => {
        if (last()?.status !== 404) throw error
        return ask('oauth2')
      })
    } catch (error) {
      throw toRefusal(oidc, error, last(), clock.now())
    }
  }

  function watch(owner: string) {
    const fetchProvider = createProviderFetch({
      clock,
      allowHttp,
      deadline: PROVIDER_DEADLINE,
      agent,
      owner,
    })
    let answer: Response | undefined
    const fetch: ProviderFetch = async (url, options) => {
      answer = undefined
      const response = await fetchProvider(url, options)
      answer = options.method === 'POST' ? await withStatus(response) : response
      return answer
    }
    return { fetch, last: () => answer }
  }

  function configure(oidc: Library, metadata: ServerMetadata, fetch: ProviderFetch): Configuration {
    const { clientId, clientSecret, tokenAuthMethod } = settings
    const auth = {
      client_secret_basic: () => basicAuth(clientSecret ?? ''),
      client_secret_post: () => oidc.ClientSecretPost(clientSecret),
      none: () => oidc.None(),
    }[tokenAuthMethod]()
    const config = new oidc.Configuration(metadata, clientId, { [oidc.clockTolerance]: 60 }, auth)
    config[oidc.customFetch] = fetch
    if (allowHttp) oidc.allowInsecureRequests(config)
    return config
  }

  return {
    prepare: async (now) => void (await discovered(now)),
    async run(now, owner, work) {
      const oidc = await load()
      const metadata = await discovered(now)
      const { fetch, last } = watch(owner)
      try {
        return await work(oidc, configure(oidc, metadata, fetch))
      } catch (error) {
        throw toRefusal(oidc, error, last(), clock.now())
      }
    },
  }
}

/**
 * HTTP Basic authentication (RFC 6749 2.3.1). The library escapes more characters than form encoding, and some servers
 * do not decode them.
 */
export function basicAuth(secret: string): ClientAuth {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return (_server, { client_id }, _body, headers) => {
    const credentials = Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64')
    headers.set('authorization', `Basic ${credentials}`)
  }
}

/** Whether a URL is fit for a redirect of the browser. */
export function isWebAddress(url: string | undefined): boolean {
  return url !== undefined && /^https?:/.test(url) && URL.canParse(url) && isSecureUrl(url)
}

/** Some providers (GitHub) answer errors with 200; this sets the proper status. */
async function withStatus(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.clone().text()
  if (!text.includes('"error"') || text.includes('"access_token"')) return response
  return new Response(text, { status: 400, headers: response.headers })
}

/** Errors of the provider itself, not of the person (RFC 6749 4.1.2.1). */
export const PROVIDER_TROUBLE = ['server_error', 'temporarily_unavailable']
/** Errors for a code or refresh token that a provider does not accept; the first is the standard's. */
const BAD_GRANT = ['invalid_grant', 'bad_refresh_token', 'bad_verification_code']
/** The ID token does not match the request. */
const BAD_ID_TOKEN = ['OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED']

function toRefusal(oidc: Library, error: unknown, last: Response | undefined, now: Millis): ProviderRefusal {
  if (error instanceof ProviderRefusal) return error
  if (error instanceof oidc.AuthorizationResponseError)
    return new ProviderRefusal(PROVIDER_TROUBLE.includes(error.error) ? 'failed' : 'denied', error.error)
  if (last?.status === 429)
    return new ProviderRefusal(
      'rate_limited',
      'status_429',
      readRetryAfter(last.headers.get('retry-after') ?? undefined, now),
    )
  if (error instanceof oidc.ResponseBodyError)
    return BAD_GRANT.includes(error.error)
      ? new ProviderRefusal('refused', 'invalid_grant')
      : new ProviderRefusal('failed', error.error)
  if (error instanceof oidc.ClientError && BAD_ID_TOKEN.includes(error.code ?? ''))
    return new ProviderRefusal('refused', 'id_token')
  const reason = callFailureIn(error)
  if (reason !== undefined) return new ProviderRefusal('failed', reason)
  return new ProviderRefusal(
    'failed',
    last === undefined || last.ok ? 'unexpected_answer' : `status_${last.status}`,
  )
}
