import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.ts'
import { isPermission } from './permissions.ts'

/** Where the metadata of the API as a protected resource are (RFC 9728 3.1); those of a part of it have its path behind that. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/** The part of the API whose tokens are its own, with metadata of its own. */
const MCP = '/mcp'

/**
 * The challenge of a refusal that another credential would not get (RFC 6750 3): at routes that take an access token it leads to
 * where a client gets one (RFC 9728 5.1).
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
  // A client of OAuth asks for a grant with that scope then (RFC 6750 3.1); whether the person may give it, the person sees.
  const isLack =
    reason === 'scope_required' || (reason === 'permission_required' && principal?.kind === 'grant')
  if (code !== 'FORBIDDEN' || !isLack || scope === undefined) return undefined
  return `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`
}
