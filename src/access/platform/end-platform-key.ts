import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { endInvitations } from '../accounts/end-invitations.ts'
import { endKeys } from '../accounts/end-keys.ts'
import { endSetupLinks } from '../accounts/end-setup-links.ts'
import { organizationsOf } from './organizations-of-key.ts'

/**
 * Ends a platform key, and in every organization the pending invitations and setup links that were made with it. A transaction that
 * makes something with the key locks its row (`mustStillHave`), so that the end waits for it and also ends its result.
 *
 * The caller clears the cache of credentials after the commit, which also ends streams.
 * @param withMade whether the API keys that were made with it also end, and the keys that were made with those
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function endPlatformKey(
  tx: Tx,
  trail: Trail,
  id: Id<'platformKey'>,
  { withMade }: { withMade: boolean },
): Promise<{ name: string }> {
  const ended = await tx.deleteFrom('platform_key').where('id', '=', id).returning('name').executeTakeFirst()
  if (ended === undefined) throw notFound('id', id)
  await audit(tx, trail, {
    action: 'platform_key.deleted',
    targetId: id,
    details: { name: ended.name, withMade },
  })
  for (const organizationId of await organizationsOf(tx, id, { withMade })) {
    const ending = { organizationId, actorId: null }
    if (withMade) await endKeys(tx, trail, { ...ending, withMade }, { madeBy: id })
    await endInvitations(tx, trail, { ...ending, inviter: id }, (where) => where('inviter_id', '=', id))
    await endSetupLinks(tx, trail, { ...ending, maker: id }, (where) => where('created_by', '=', id))
  }
  return ended
}
