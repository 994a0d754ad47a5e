import type { FastifyRequest } from 'fastify'
import { RESOURCE_METADATA } from '../../http/challenge.ts'
import type { Permission } from '../../http/permissions.ts'
import type { Server } from '../../http/server.ts'
import { audienceOf, GRANTABLE, IDENTITY_SCOPES, MCP_PATH, type ResourceName } from '../resources.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { AuthorizationDeps } from './deps.ts'
import { PATHS } from './paths.ts'

/** RFC 8414, and OpenID Connect Discovery 1.0. */
const AS_METADATA = '/.well-known/oauth-authorization-server'
const OPENID_METADATA = '/.well-known/openid-configuration'

/** Documents from which a client with one URL of this server learns how to get a token (RFC 9728 for the resources). */
export function discoveryRoutes(
  server: Server,
  deps: Pick<AuthorizationDeps, 'config' | 'mcpScopes'>,
  authorization: AuthorizationServer,
): void {
  const { baseUrl, product } = deps.config.web
  const scopesOf = (name: ResourceName): readonly Permission[] =>
    name === 'api' ? GRANTABLE : deps.mcpScopes()
  // Their content follows the standards, so the API's document does not describe it.
  const open = { config: { access: 'public' as const, anyOrigin: true }, schema: { hide: true } }
  const resources = { api: RESOURCE_METADATA, mcp: `${RESOURCE_METADATA}${MCP_PATH}` }
  for (const [name, path] of Object.entries(resources) as [ResourceName, string][])
    server.get(path, open, async (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=300')
      return {
        resource: audienceOf(baseUrl, name),
        authorization_servers: [baseUrl],
        scopes_supported: [...scopesOf(name)],
        bearer_methods_supported: ['header'],
        resource_name: product.name,
      }
    })
  for (const path of [AS_METADATA, OPENID_METADATA])
    server.get(path, open, async (request, reply) => {
      void reply.header('cache-control', 'public, max-age=300')
      return readMetadata(request)
    })

  async function readMetadata(request: FastifyRequest) {
    const { body } = await authorization.ask(request, { method: 'GET', url: AS_METADATA, headers: {} })
    return {
      ...(JSON.parse(body) as { issuer: string }),
      userinfo_endpoint: `${baseUrl}${PATHS.userinfo}`,
      end_session_endpoint: `${baseUrl}${PATHS.end_session}`,
      introspection_endpoint: `${baseUrl}${PATHS.introspection}`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      // `form_post` needs a page that submits itself, which the content policy forbids.
      response_modes_supported: ['query'],
      scopes_supported: [...IDENTITY_SCOPES, ...GRANTABLE],
      protected_resources: [audienceOf(baseUrl, 'api'), audienceOf(baseUrl, 'mcp')],
    }
  }
}
