import { ownTrail } from '../audit/audit.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import { addressRule } from '../net/address.ts'
import { createAgent } from '../net/agent.ts'
import type { Charge } from '../shared/charge.ts'
import type { Shared } from '../shared/shared.ts'
import { authorizeRoutes } from './authorize/authorize.ts'
import { callbackRoutes, redirectUriOf } from './authorize/callback.ts'
import { expireOverdue } from './connection-status.ts'
import { connectionRoutes } from './connections.ts'
import type { ConnectionDeps } from './deps.ts'
import { fetchRoutes } from './fetch/fetch.ts'
import { type TokenRequest, tokenFor, tokenInsteadOf } from './fetch/token-for.ts'
import { providerRoutes } from './list-providers.ts'
import { createProvider } from './provider.ts'
import { createRefresh, freeClaims } from './refresh.ts'
import { refreshRoutes } from './refresh-route.ts'
import { revocationHandler, settleRevocation } from './revoke.ts'

/** Accounts of organizations at external services. */
interface Connections {
  routes: (server: Server) => void
  start: () => Promise<void>
  /** Marks expired connections; called periodically. */
  expire: () => Promise<void>
  /** Tokens of connections, for slices that call a provider's API themselves. */
  tokens: {
    of: (asked: TokenRequest) => Promise<string>
    insteadOf: (asked: TokenRequest, refused: string) => Promise<string | undefined>
  }
  close: () => Promise<void>
}

/** Connections whose tokens one process revokes at the same time. */
const REVOKED_AT_ONCE = 4

/** Creates the parts of the slice; none runs yet. */
export function createConnections(
  { config, clock, log, database, vault, resolve }: Shared,
  { publish, charge, jobs }: Pick<Delivery, 'publish'> & { charge: Charge; jobs: Jobs },
): Connections {
  const agent = createAgent({
    isAllowed: addressRule(config.connections.allowedNetworks, 'CONNECTIONS_ALLOWED_NETWORKS'),
    resolve,
  })
  const providers = config.connections.providers.map((settings) => {
    const redirectUri = redirectUriOf(config.web.baseUrl, settings.name)
    return [settings.name, createProvider(settings, { clock, agent, redirectUri })] as const
  })
  const parts = {
    ...{ config, clock, log, database, vault, publish, providers: new Map(providers), agent },
    addRevocation: jobs.add,
  }
  const deps: ConnectionDeps = { ...parts, refresh: createRefresh(parts), charge }
  jobs.register(revocationHandler(deps), { places: REVOKED_AT_ONCE, onSettled: settleRevocation })
  return {
    routes(server) {
      authorizeRoutes(server, deps)
      callbackRoutes(server, deps)
      providerRoutes(server, config.connections.providers)
      connectionRoutes(server, deps)
      refreshRoutes(server, deps)
      fetchRoutes(server, deps)
    },
    start: () => freeClaims(deps),
    expire: () => expireOverdue(deps, ownTrail(clock.now())),
    tokens: {
      of: (asked) => tokenFor(deps, asked),
      insteadOf: (asked, refused) => tokenInsteadOf(deps, asked, refused),
    },
    close: agent.close,
  }
}
