import type { trailOf } from '../../audit/audit.ts'
import type { callerOf } from '../../http/principal.ts'
import type { AccessDeps } from '../deps.ts'
import type { InviteDeps } from '../members/invite.ts'

/** The dependencies of provisioning. */
export type ScimDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'limiter' | 'outbox' | 'publish' | 'credentials' | 'jobs'
>

/** The caller of a change, with its time and its entry in the audit log. */
export interface ScimContext {
  caller: ReturnType<typeof callerOf>
  trail: ReturnType<typeof trailOf>
}

export function inviteDepsOf({ config, outbox, publish }: ScimDeps): InviteDeps {
  return { appUrl: config.web.appUrl, outbox, publish }
}
