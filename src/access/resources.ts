import type { Permission } from '../http/permissions.ts'
import { PERMISSION_NAMES } from '../http/permissions.ts'

/** The route of the MCP server, which is a resource of its own (RFC 8707). */
export const MCP_PATH = '/mcp'

/** A part of this server that a token can be for. */
export type ResourceName = 'api' | 'mcp'

/**
 * The part of this server that a resource indicator names: the whole API, or its MCP server alone. A URL of an origin alone is
 * the same with a `/` at its end.
 */
export function readResource(baseUrl: string, text: string): ResourceName | undefined {
  if (text === baseUrl || text === `${baseUrl}/`) return 'api'
  return text === `${baseUrl}${MCP_PATH}` ? 'mcp' : undefined
}

/** What tokens for a resource have in `aud`. */
export function audienceOf(baseUrl: string, resource: ResourceName): string {
  return resource === 'api' ? baseUrl : `${baseUrl}${MCP_PATH}`
}

/** Permissions that no client is granted: an API key that it made would go on after its grant has ended. */
const NOT_GRANTED: ReadonlySet<Permission> = new Set(['keys:write', 'sign_in:write', 'scim:write'])

/** The scopes that a person can grant: the permissions of an organization. */
export const GRANTABLE: readonly Permission[] = PERMISSION_NAMES.filter((name) => !NOT_GRANTED.has(name))

/** Scopes of OpenID Connect, which are of the person and not of an organization. */
export const IDENTITY_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const
