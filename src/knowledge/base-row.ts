import { type Id, parseId } from '../core/id.ts'
import type { Db, Tx } from '../db/database.ts'
import type { hold, lock } from '../db/locking.ts'
import { notFound } from '../db/owned-row.ts'
import type { Tables } from '../db/tables/tables.ts'

export type KnowledgeBase = Tables['knowledge_base']

/**
 * A knowledge base of the caller's organization that is not deleted.
 * @param how `lock` or `hold`, where what is written after it rests on it
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getBase(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  text: string,
  { how, field = 'id' }: { how?: typeof lock | typeof hold; field?: string } = {},
): Promise<KnowledgeBase> {
  const id = parseId('knowledgeBase', text, field)
  const query = db
    .selectFrom('knowledge_base')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
  const row = await (how === undefined ? query : how(db, query)).executeTakeFirst()
  if (row === undefined) throw notFound(field, id)
  return row
}
