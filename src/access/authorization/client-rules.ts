import { isLabel } from '../../core/text/label.ts'
import { isLocalhost } from '../../core/text/secure-url.ts'
import { AFTER_HOST_PATTERN, HOST_PATTERN } from '../../net/destination.ts'

/** Metadata of RFC 7591. */
export type ClientMetadata = Record<string, unknown> & { client_id: string; client_secret?: string }

export const CLIENT_LIMITS = { name: 100, redirectUris: 10, redirectUri: 1_024 } as const

/** The reason why a redirect URI is refused. */
type RedirectProblem = 'not_a_url' | 'too_long' | 'scheme' | 'credentials' | 'fragment'

/**
 * Checks a redirect URI of a client: https, or http on a loopback address (RFC 8252 7.3), without parts that URL parsers read differently.
 * @returns undefined for a valid one
 */
export function redirectProblem(text: string): RedirectProblem | undefined {
  if (text.length > CLIENT_LIMITS.redirectUri) return 'too_long'
  const url = /^[\x21-\x7e]+$/.test(text) && !text.includes('\\') ? URL.parse(text) : null
  if (url === null || !/^https?:\/\/[^/]/.test(text)) return url === null ? 'not_a_url' : 'scheme'
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'credentials'
  if (text.includes('#')) return 'fragment'
  return url.protocol === 'https:' || isLoopback(url) ? undefined : 'scheme'
}

/**
 * Checks a post-logout URI: as a redirect URI, and without a `state`, which the request adds.
 * @returns undefined for a valid one
 */
export function postLogoutProblem(text: string): RedirectProblem | 'state' | undefined {
  return redirectProblem(text) ?? (new URL(text).searchParams.has('state') ? 'state' : undefined)
}

/**
 * The JSON Schema of a redirect URI in the OpenAPI document: the rules of `redirectProblem`, for URLs in
 * their usual spelling.
 */
export const REDIRECT_RULE = {
  pattern: `^(https://${HOST_PATTERN}|http://(127[.]0[.]0[.]1|\\[::1\\]|localhost))${AFTER_HOST_PATTERN}$`,
  not: { pattern: '[^!-~]|#' },
}
/** The same for a post-logout URI. */
export const POST_LOGOUT_RULE = { ...REDIRECT_RULE, not: { pattern: '[^!-~]|#|[?&]state(=|&|$)' } }

/** A loopback address, at which only the person's own machine can listen. */
const isLoopback = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost')

/**
 * Whether a request may use this redirect URI: an exact match with one of the client's; on a loopback address with any port (RFC 8252 7.3,
 * OAuth 2.1 4.1.3).
 */
export function isRedirectAllowed(registered: readonly string[], asked: string): boolean {
  if (redirectProblem(asked) !== undefined) return false
  if (registered.includes(asked)) return true
  const portless = withoutPort(asked)
  return portless !== undefined && registered.some((one) => withoutPort(one) === portless)
}

function withoutPort(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !isLoopback(url)) return undefined
  return text.replace(/^(http:\/\/(?:\[::1\]|[^/?#:]+)):\d{1,5}(?=[/?#]|$)/, '$1')
}

/** The host of a redirect URI, for the consent page. */
export function hostOf(redirectUri: string): string {
  const { hostname, host } = new URL(redirectUri)
  return isLocalhost(hostname) ? hostname : host
}

/** The problem of a client's metadata; undefined for valid metadata. */
export function clientProblem(client: {
  clientName?: string | undefined
  redirectUris: string[]
}): { field: 'client_name' | 'redirect_uris'; reason: string } | undefined {
  const { clientName, redirectUris } = client
  if (clientName !== undefined && !isLabel(clientName, CLIENT_LIMITS.name))
    return {
      field: 'client_name',
      reason: `must be visible, on one line, and of ${CLIENT_LIMITS.name} characters at most`,
    }
  if (redirectUris.length > CLIENT_LIMITS.redirectUris)
    return { field: 'redirect_uris', reason: `must be ${CLIENT_LIMITS.redirectUris} at most` }
  if (redirectUris.some((uri) => redirectProblem(uri) !== undefined))
    return {
      field: 'redirect_uris',
      reason: 'must each be https, or http of this machine, without credentials and fragment',
    }
  return undefined
}

/**
 * Removes `scope` from the metadata of a client, because `oidc-provider` does not know the scopes of our resources. Each request names
 * scopes, and the person grants them.
 * @param text JSON; other text stays unchanged
 */
export function withoutScope(text: string): string {
  try {
    const metadata: unknown = JSON.parse(text)
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return text
    const { scope: _, ...rest } = metadata as Record<string, unknown>
    return JSON.stringify(rest)
  } catch {
    return text
  }
}
