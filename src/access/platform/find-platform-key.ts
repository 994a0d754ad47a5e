import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { permissionsOf } from '../../http/permissions.ts'
import type { PlatformCredential } from '../credential-cache.ts'
import { ROLE } from './acting.ts'

/** `last_used_at` of a key is moved at most this often. */
const USED_EVERY: Millis = 10 * MINUTE

/**
 * The platform key of a secret: the present one, or an earlier one that is still accepted.
 * @returns undefined where it is unknown or has expired
 */
export async function findPlatformKey(
  database: Database,
  hash: string,
  now: Millis,
): Promise<PlatformCredential | undefined> {
  const row = await database.db
    .selectFrom('platform_key')
    .leftJoin('platform_key_secret', (join) =>
      join
        .onRef('platform_key_secret.platform_key_id', '=', 'platform_key.id')
        .on('platform_key_secret.key_hash', '=', hash)
        .on('platform_key_secret.expires_at', '>', now),
    )
    .select([
      'platform_key.id',
      'platform_key.scopes',
      'platform_key.may_create_organizations',
      'platform_key.allowed_addresses',
      'platform_key.expires_at',
      'platform_key.last_used_at',
      'platform_key_secret.expires_at as secret_expires_at',
    ])
    .where((where) =>
      where.or([where('platform_key.key_hash', '=', hash), where('platform_key_secret.key_hash', '=', hash)]),
    )
    .where((where) =>
      where.or([where('platform_key.expires_at', 'is', null), where('platform_key.expires_at', '>', now)]),
    )
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (now - (row.last_used_at ?? 0) >= USED_EVERY)
    // A power cut may lose it: the list then shows an older time.
    await database.relaxed((tx) =>
      tx.updateTable('platform_key').set({ last_used_at: now }).where('id', '=', row.id).execute(),
    )
  const ends = [row.expires_at, row.secret_expires_at].filter((end) => end !== null)
  return {
    id: row.id,
    permissions: permissionsOf(ROLE, row.scopes),
    mayCreateOrganizations: row.may_create_organizations === 1,
    allowedAddresses: row.allowed_addresses === null ? null : JSON.parse(row.allowed_addresses),
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
  }
}
