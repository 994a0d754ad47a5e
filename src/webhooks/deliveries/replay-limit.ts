import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { lockOrganization } from '../../organizations/organizations.ts'

/** Replays of an organization that may run at once: every poll reads all running replays of all organizations. */
const MOST_RUNNING = 10

/**
 * Locks the organization until `tx` ends, so that of several replays that begin at once each counts those before it.
 * @throws ApiError FORBIDDEN `too_many_replays`; UNAUTHORIZED where the organization was deleted
 */
export async function refuseTooManyReplays(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  if ((await lockOrganization(tx, organizationId)) === undefined) throw new ApiError('UNAUTHORIZED', {})
  const { running } = await tx
    .selectFrom('replay')
    .select(({ fn }) => fn.countAll<number>().as('running'))
    .where('organization_id', '=', organizationId)
    .where('status', '=', literal('running'))
    .executeTakeFirstOrThrow()
  if (Number(running) >= MOST_RUNNING)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_replays', limit: MOST_RUNNING })
}
