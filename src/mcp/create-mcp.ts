import { isPermission, type Permission } from '../http/permissions.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import { mcpRoutes } from './mcp-route.ts'
import { createOffers, type Offer } from './offer.ts'
import { collectOperations } from './operations.ts'

/** Postern as an MCP server: its tools are routes of the API. */
interface Mcp {
  routes: (server: Server) => void
  /** What the routes of its tools ask of their callers, by name. */
  scopes: () => readonly Permission[]
}

/** Looks at every route that is added from now on; its tools are made of them when the first message arrives. */
export function createMcp(server: Server, { config, log }: Pick<Shared, 'config' | 'log'>): Mcp {
  const operations = collectOperations(server)
  let offers: ReadonlyMap<string, Offer> | undefined
  const deps = {
    baseUrl: config.web.baseUrl,
    allowedOrigins: config.web.allowedOrigins,
    plans: config.plans.book,
    log,
  }
  const allOffers = () => {
    offers ??= createOffers(operations)
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
