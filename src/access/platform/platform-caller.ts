import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { readFlags } from '../../core/plans.ts'
import type { Database, Db } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import type { NamedOrganization } from '../../http/organization-header.ts'
import type { Principal } from '../../http/principal.ts'
import type { PlatformCredential } from '../credential-cache.ts'

/** Only its scopes limit a platform key. */
export const ROLE = 'administrator'

const select = (db: Db) =>
  db
    .selectFrom('organization')
    .select(['id', 'plan', 'flags', 'external_id', 'disabled_at'])
    .where('deleted_at', 'is', null)

const selectById = prepared<{ id: Id<'organization'> }>()((db, value) =>
  select(db).where('id', '=', value('id')),
)
const selectByExternalId = prepared<{ externalId: string }>()((db, value) =>
  select(db).where('external_id', '=', value('externalId')),
)

/**
 * The caller of a platform key for one organization.
 * @returns undefined where the organization does not exist
 * @throws ApiError UNAUTHORIZED where it is disabled, as for its own keys
 */
export async function findPlatformCaller(
  { lookups }: Pick<Database, 'lookups'>,
  { id, keyHash, permissions, expiresAt }: PlatformCredential,
  named: NamedOrganization,
): Promise<Principal | undefined> {
  const [row] = 'id' in named ? await selectById(lookups, named) : await selectByExternalId(lookups, named)
  if (row === undefined) return undefined
  if (row.disabled_at !== null) throw new ApiError('UNAUTHORIZED', { reason: 'organization_disabled' })
  return {
    ...{ kind: 'platformKey', actorId: id, keyId: null, keyHash, role: ROLE, permissions, expiresAt },
    ...{ organizationId: row.id, externalId: row.external_id },
    ...{ plan: row.plan, flags: readFlags(row.flags) },
  }
}
