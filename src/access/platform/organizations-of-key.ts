import { sql } from 'kysely'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/**
 * The organizations with pending invitations or setup links of a platform key, and with `withMade` also those with API keys that it made,
 * in the order of locking.
 */
export async function organizationsOf(
  tx: Tx,
  id: Id<'platformKey'>,
  { withMade }: { withMade: boolean },
): Promise<Id<'organization'>[]> {
  const ofKeys = sql`
    union select organization_id from api_key where created_by = ${id} or rotated_by = ${id}
    union select organization_id from api_key_secret where created_by = ${id}
    union select organization_id from ended_key where maker = ${id}`
  const { rows } = await sql<{ organization_id: Id<'organization'> }>`
    select organization_id from invitation where inviter_id = ${id} and status = 'pending'
    union select organization_id from setup_link where created_by = ${id} and status in ('pending', 'opened')
    ${withMade ? ofKeys : sql``}
    order by organization_id`.execute(tx)
  return rows.map(({ organization_id }) => organization_id)
}
