import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'

/** The most API keys of an organization, expired ones included, because lists show them too. */
const MOST_KEYS = 1_000

/** Locks the organization. @throws ApiError FORBIDDEN `too_many_api_keys` */
export async function refuseMoreKeys(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const rows = tx.selectFrom('api_key').where('organization_id', '=', organizationId)
  await refuseBeyond(tx, organizationId, { rows, most: MOST_KEYS, reason: 'too_many_api_keys' })
}
