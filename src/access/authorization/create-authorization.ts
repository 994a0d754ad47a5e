import type { Server } from '../../http/server.ts'
import { createAuthorizationServer } from './authorization-server.ts'
import { consentRoutes } from './consent-routes.ts'
import type { AuthorizationDeps } from './deps.ts'
import { deviceRoutes } from './device-routes.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { introspectionRoute } from './introspection-route.ts'
import { logoutRoutes } from './logout-routes.ts'
import { protocolRoutes } from './protocol-routes.ts'
import { userinfoRoute } from './userinfo-route.ts'

/** OAuth 2.1 and OpenID Connect for clients. `oidc-provider` is not loaded yet. */
export function createAuthorization(deps: AuthorizationDeps): {
  routes: (server: Server) => void
  close: () => Promise<void>
} {
  const authorization = createAuthorizationServer(deps)
  return {
    routes(server) {
      discoveryRoutes(server, deps, authorization)
      protocolRoutes(server, deps, authorization)
      userinfoRoute(server, deps)
      introspectionRoute(server, deps)
      logoutRoutes(server, deps)
      consentRoutes(server, deps, authorization)
      deviceRoutes(server, deps, authorization)
    },
    close: authorization.close,
  }
}
