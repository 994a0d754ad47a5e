import { isPermission, type Permission } from '../http/permissions.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import { mcpRoutes } from './mcp-route.ts'
import { createMcpTools, type McpTool } from './mcp-tool.ts'
import { collectOperations } from './operations.ts'

/** Postern as an MCP server: its tools are routes of the API. */
interface Mcp {
  routes: (server: Server) => void
  /** The permissions that the routes of its tools require. */
  scopes: () => readonly Permission[]
}

/** Collects all routes that are added from now on; the tools are made of them with the first message. */
export function createMcp(server: Server, { config, log }: Pick<Shared, 'config' | 'log'>): Mcp {
  const operations = collectOperations(server)
  let offers: ReadonlyMap<string, McpTool> | undefined
  const deps = {
    baseUrl: config.web.baseUrl,
    allowedOrigins: config.web.allowedOrigins,
    plans: config.plans.book,
    log,
  }
  const allOffers = () => {
    offers ??= createMcpTools(operations)
    return offers
  }
  return {
    routes: (to) => mcpRoutes(to, deps, allOffers),
    scopes() {
      const asked = [...allOffers().values()].map(({ operation }) => operation.access)
      return [...new Set(asked.filter((access) => access !== undefined).filter(isPermission))].sort()
    },
  }
}
