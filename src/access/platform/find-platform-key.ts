import type { FastifyRequest } from 'fastify'
import { earlier } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { isPending } from '../../db/plausible-time.ts'
import { permissionsOf } from '../../http/permissions.ts'
import { networksOf } from '../../net/networks.ts'
import type { PlatformCredential } from '../credential-cache.ts'
import { mustComeFrom, USED_EVERY } from '../keys/authenticate-key.ts'
import { OVERLAP_MOST } from '../keys/former-secrets.ts'
import { ROLE } from './platform-caller.ts'

/**
 * The platform key of a secret, which may be the current one or an earlier one that is still accepted.
 * @returns undefined where it is unknown or has expired
 * @throws ApiError FORBIDDEN `address_not_allowed`
 */
export async function findPlatformKey(
  database: Database,
  hash: string,
  { now, ip }: Pick<FastifyRequest, 'now' | 'ip'>,
): Promise<PlatformCredential | undefined> {
  const row = await database.db
    .selectFrom('platform_key')
    .leftJoin('platform_key_secret', (join) =>
      join
        .onRef('platform_key_secret.platform_key_id', '=', 'platform_key.id')
        .on('platform_key_secret.key_hash', '=', hash)
        .on(isPending('platform_key_secret.expires_at', now, OVERLAP_MOST)),
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
  const addresses = row.allowed_addresses === null ? null : networksOf(row.allowed_addresses)
  // A refused request does not count as a use of the key, and the refusal is not cached.
  mustComeFrom({ addresses }, ip)
  if (now - (row.last_used_at ?? 0) >= USED_EVERY)
    // A power cut may lose this write: the list then shows an older time.
    await database.relaxed((tx) =>
      tx.updateTable('platform_key').set({ last_used_at: now }).where('id', '=', row.id).execute(),
    )
  return {
    id: row.id,
    keyHash: hash,
    permissions: permissionsOf(ROLE, row.scopes),
    mayCreateOrganizations: row.may_create_organizations === 1,
    addresses,
    expiresAt: earlier(row.expires_at, row.secret_expires_at),
  }
}
