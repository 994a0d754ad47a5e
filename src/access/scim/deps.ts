import type { AccessDeps } from '../deps.ts'
import type { InviteDeps } from '../members/invite.ts'

/** What provisioning is made of. */
export type ScimDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'limiter' | 'outbox' | 'publish' | 'credentials' | 'jobs'
>

export function inviteDepsOf({ config, outbox, publish }: ScimDeps): InviteDeps {
  return { appUrl: config.web.appUrl, outbox, publish }
}
