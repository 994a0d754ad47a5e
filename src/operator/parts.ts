import type { InviteDeps } from '../access/members/invite.ts'
import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Delivery } from '../delivery/create-delivery.ts'

/** What the rooms below know how to do. */
export interface OperatorParts extends Pick<Delivery, 'dispatch' | 'forgetWebhook'> {
  forgetCallers: () => void
  inviting: InviteDeps
  /** Cancels every run of an organization that has not ended. */
  cancelRuns: (organizationId: Id<'organization'>, now: Millis) => Promise<void>
}
