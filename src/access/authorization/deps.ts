import type { Permission } from '../../http/permissions.ts'
import type { Resolve } from '../../net/destination.ts'
import type { AccessDeps } from '../deps.ts'
import type { LeaveProvider } from '../sessions/sign-out.ts'

/** Dependencies of the authorization server. */
export interface AuthorizationDeps
  extends Pick<
    AccessDeps,
    'config' | 'clock' | 'database' | 'vault' | 'limiter' | 'keys' | 'credentials' | 'once'
  > {
  /** Resolves the hosts of client metadata documents. */
  resolve: Resolve
  /** The scopes of the MCP server's tools. */
  mcpScopes: () => readonly Permission[]
  leaveProvider: LeaveProvider
  log: { error(data: object, message: string): void }
}
