import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'

/** Most running replays of an organization: every poll reads all running replays of all organizations. */
const MOST_RUNNING = 10

/** @throws ApiError FORBIDDEN `too_many_replays`; UNAUTHORIZED where the organization was deleted */
export async function refuseTooManyReplays(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const running = tx
    .selectFrom('replay')
    .where('organization_id', '=', organizationId)
    .where('status', '=', literal('running'))
  await refuseBeyond(tx, organizationId, { rows: running, most: MOST_RUNNING, reason: 'too_many_replays' })
}
