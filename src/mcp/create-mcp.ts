import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import { mcpRoutes } from './mcp-route.ts'
import { createOffers, type Offer } from './offer.ts'
import { collectOperations } from './operations.ts'

/** Postern as an MCP server: its tools are routes of the API. */
interface Mcp {
  routes: (server: Server) => void
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
  return {
    routes: (to) =>
      mcpRoutes(to, deps, () => {
        offers ??= createOffers(operations)
        return offers
      }),
  }
}
