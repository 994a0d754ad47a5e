import type { Id } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import type { lock, lockShared } from '../db/locking.ts'
import { getOwned, notFound } from '../db/owned-row.ts'
import type { Tables } from '../db/tables/tables.ts'

export type KnowledgeBase = Tables['knowledge_base']

/**
 * A knowledge base of the caller's organization that is not deleted.
 * @param rowLock `lock` or `lockShared`, where later writes depend on the row
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getBase(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  text: string,
  { rowLock, field = 'id' }: { rowLock?: typeof lock | typeof lockShared; field?: string } = {},
): Promise<KnowledgeBase> {
  const row = await getOwned(db, 'knowledge_base', text, organizationId, rowLock, field)
  if (row.deleted_at !== null) throw notFound(field, row.id)
  return row
}
