import type { InviteDeps } from '../access/members/invite.ts'
import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Delivery } from '../delivery/create-delivery.ts'
import type { Shared } from '../shared/shared.ts'

/** Functions of the rooms below that the operator's routes call. */
export interface OperatorParts extends Pick<Delivery, 'dispatch' | 'forgetWebhook'> {
  forgetCallers: () => void
  inviting: InviteDeps
  /** Cancels every run of an organization that has not ended. */
  cancelRuns: (organizationId: Id<'organization'>, now: Millis) => Promise<void>
}

/** Dependencies of the operator's routes; each route names the members that it uses. */
export type OperatorDeps = Pick<Shared, 'config' | 'database' | 'vault' | 'once'> &
  OperatorParts & {
    /** Schedules the second end of an organization, for rows of requests that had begun before the first (`late-writes.ts`). */
    lateWrites: { schedule: (id: Id<'organization'>) => void }
  }
