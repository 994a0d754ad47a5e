import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** Deletes every knowledge base of an organization: searches find nothing of them, and their rows are removed in steps. */
export async function endKnowledge(tx: Tx, id: Id<'organization'>, now: Millis): Promise<void> {
  await tx
    .updateTable('knowledge_base')
    .set(({ ref }) => ({ name: ref('id'), deleted_at: now, updated_at: now }))
    .where('organization_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}
