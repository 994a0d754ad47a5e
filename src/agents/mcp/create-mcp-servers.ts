import type { Delivery } from '../../delivery/create-delivery.ts'
import type { Server } from '../../http/server.ts'
import { addressRule } from '../../net/address.ts'
import { createAgent } from '../../net/agent.ts'
import type { Shared } from '../../shared/shared.ts'
import type { ToolSource } from '../tools/tool.ts'
import type { ServerDeps, Tokens } from './deps.ts'
import { refreshRoutes } from './refresh.ts'
import { serverChangeRoutes } from './server-change.ts'
import { serverRoutes } from './servers.ts'
import { createToolSource } from './tool-source.ts'

/** The MCP servers of organizations, and their tools. */
interface McpServers {
  routes: (server: Server) => void
  /** The tools that agents may call. */
  tools: ToolSource
  close: () => Promise<void>
}

/** Creates the parts of this sub-room; none runs yet, and no server is called before a request needs it. */
export function createMcpServers(
  shared: Shared,
  { publish, tokens }: Pick<Delivery, 'publish'> & { tokens: Tokens },
): McpServers {
  const { config, resolve } = shared
  const isAllowed = addressRule(config.agents.mcpNetworks, 'MCP_ALLOWED_NETWORKS')
  const agent = createAgent({ isAllowed, resolve })
  const deps: ServerDeps = { ...shared, publish, tokens, agent, isAllowed, baseUrl: config.web.baseUrl }
  return {
    routes(server) {
      serverRoutes(server, deps)
      serverChangeRoutes(server, deps)
      refreshRoutes(server, deps)
    },
    tools: createToolSource(deps),
    close: agent.close,
  }
}
