import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'

/**
 * Lets pending invitations and setup links of an organization that were made with an API key or a platform key end with it at the
 * latest. Called where the end of the key was moved.
 * @param key `until` is the new end; null: the key does not expire, and nothing changes
 */
export async function endWithKey(
  tx: Tx,
  organizationId: Id<'organization'>,
  { keyId, until }: { keyId: Id<'apiKey' | 'platformKey'>; until: Millis | null },
): Promise<void> {
  if (until === null) return
  const invitations = await tx
    .updateTable('invitation')
    .set({ expires_at: until })
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) => or([eb('key_id', '=', keyId as Id<'apiKey'>), eb('inviter_id', '=', keyId)]))
    .where('status', '=', 'pending')
    .where('expires_at', '>', until)
    .returning('id')
    .execute()
  const links = await tx
    .updateTable('setup_link')
    .set({ expires_at: until })
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) => or([eb('key_id', '=', keyId as Id<'apiKey'>), eb('created_by', '=', keyId)]))
    .where('status', 'in', ['pending', 'opened'])
    .where('expires_at', '>', until)
    .returning('id')
    .execute()
  const ofOrganization = <T>({ id }: { id: T }) => ({ id, organization_id: organizationId })
  noteChanges(tx, 'invitation', invitations.map(ofOrganization))
  noteChanges(tx, 'setupLink', links.map(ofOrganization))
}
