import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { endGrants } from '../accounts/end-grants.ts'

/**
 * Deletes a client with all its grants, in every organization. The caller clears the cache of credentials after the commit, which ends
 * streams, too.
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function endClient(tx: Tx, trail: Trail, id: Id<'oauthClient'>): Promise<void> {
  const deleted = await tx
    .deleteFrom('oauth_client')
    .where('id', '=', id)
    .returning(['name', 'organization_id'])
    .executeTakeFirst()
  if (deleted === undefined) throw notFound('id', id)
  const endedGrants = await endGrants(tx, trail, { clientId: id }, { actorId: null, because: 'client' })
  await audit(tx, trail, {
    action: 'oauth_client.deleted',
    organizationId: deleted.organization_id,
    targetId: id,
    details: { name: deleted.name, endedGrants },
  })
}
