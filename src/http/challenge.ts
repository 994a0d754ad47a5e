import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.ts'
import { isPermission } from './permissions.ts'

/**
 * The path of the API's metadata as a protected resource (RFC 9728 3.1); metadata of a part of the API have its path
 * appended.
 */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/** The part of the API that has its own tokens and its own metadata. */
const MCP = '/mcp'

/**
 * The challenge of a refusal that another credential could avoid (RFC 6750 3). On routes with an access token it names
 * the metadata by which a client gets one (RFC 9728 5.1).
 * @returns undefined for every other error
 */
export function challengeOf(
  { code, details }: ApiError,
  { headers, routeOptions, principal }: FastifyRequest,
  baseUrl: string,
): string | undefined {
  const { scope, reason } = details as { scope?: string; reason?: string }
  const { access } = routeOptions.config
  const takesTokens = access !== undefined && (access === 'caller' || isPermission(access))
  const metadata = `resource_metadata="${baseUrl}${RESOURCE_METADATA}${routeOptions.url === MCP ? MCP : ''}"`
  if (code === 'UNAUTHORIZED') {
    if (!takesTokens) return 'Bearer'
    const isRefused = headers.authorization !== undefined
    return `Bearer ${isRefused ? 'error="invalid_token", ' : ''}${metadata}`
  }
  // An OAuth client then asks for a grant with that scope (RFC 6750 3.1); the consent page decides whether the person
  // may give it.
  const isLack =
    reason === 'scope_required' || (reason === 'permission_required' && principal?.kind === 'grant')
  if (code !== 'FORBIDDEN' || !isLack || scope === undefined) return undefined
  return `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`
}
