import type { Server } from '../../http/server.ts'
import type { ScimDeps } from './deps.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { exchangeRoutes } from './exchanges.ts'
import { groupRoutes } from './group-routes.ts'
import { mappedGroupRoutes } from './mapped-groups.ts'
import { provisionedUserRoutes } from './provisioned-users.ts'
import { settingRoutes } from './settings.ts'
import { userRoutes } from './user-routes.ts'

/** The routes by which a directory provisions users and groups (SCIM 2.0, RFC 7643 and 7644), and those for its administrators. */
export function scimRoutes(server: Server, deps: ScimDeps): void {
  discoveryRoutes(server, deps)
  userRoutes(server, deps)
  groupRoutes(server, deps)
  settingRoutes(server, deps)
  provisionedUserRoutes(server, deps)
  mappedGroupRoutes(server, deps)
  exchangeRoutes(server, deps)
}
