import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'

/** Filters ids: keeps those of knowledge bases of the organization that are not deleted. */
export async function ownedBases(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  ids: Id<'knowledgeBase'>[],
): Promise<Id<'knowledgeBase'>[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('knowledge_base')
    .select('id')
    .where('id', 'in', ids)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}
