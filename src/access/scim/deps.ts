import type { trailOf } from '../../audit/audit.ts'
import type { callerOf } from '../../http/principal.ts'
import type { AccessDeps } from '../deps.ts'
import type { InviteDeps } from '../members/invite.ts'

/** What provisioning is made of. */
export type ScimDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'limiter' | 'outbox' | 'publish' | 'credentials' | 'jobs'
>

/** Who asks, and when. */
export interface Act {
  caller: ReturnType<typeof callerOf>
  trail: ReturnType<typeof trailOf>
}

export function inviteDepsOf({ config, outbox, publish }: ScimDeps): InviteDeps {
  return { appUrl: config.web.appUrl, outbox, publish }
}
