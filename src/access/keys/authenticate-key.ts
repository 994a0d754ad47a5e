import type { FastifyRequest } from 'fastify'
import { MINUTE, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { isKeyText } from '../../core/key-text.ts'
import { readFlags } from '../../core/plans.ts'
import { hashToken } from '../../core/secret.ts'
import type { Database } from '../../db/database.ts'
import { permissionsOf } from '../../http/permissions.ts'
import type { Principal } from '../../http/principal.ts'
import type { CredentialCache } from '../credential-cache.ts'

/** `last_used_at` of a key is moved at most this often. */
const USED_EVERY: Millis = 10 * MINUTE

interface KeyDeps {
  database: Database
  credentials: CredentialCache
}

/**
 * The caller of an API key: its service account, with the rights of the key.
 * @returns undefined for a text without the checksum of a key, which is not looked up, and for a key that is unknown or has ended
 */
export async function authenticateKey(
  { database, credentials }: KeyDeps,
  key: string,
  { now }: Pick<FastifyRequest, 'now'>,
): Promise<Principal | undefined> {
  if (!isKeyText('psk', key)) return undefined
  const hash = hashToken(key)
  return credentials.whose(hash, now, async () => {
    const row = await findKey(database, hash, now)
    if (row === undefined) return undefined
    if (now - (row.last_used_at ?? 0) >= USED_EVERY) await noteUse(database, row, now)
    return {
      kind: 'apiKey',
      keyId: row.id,
      expiresAt: row.expires_at,
      actorId: row.service_account_id,
      organizationId: row.organization_id,
      externalId: row.external_id,
      role: row.role,
      permissions: permissionsOf(row.role, row.scopes),
      plan: row.plan,
      flags: readFlags(row.flags),
    }
  })
}

function findKey({ db }: Database, hash: string, now: Millis) {
  return db
    .selectFrom('api_key')
    .innerJoin('organization', 'organization.id', 'api_key.organization_id')
    .select([
      'api_key.id',
      'api_key.service_account_id',
      'api_key.role',
      'api_key.scopes',
      'api_key.organization_id',
      'api_key.last_used_at',
      'api_key.expires_at',
      'organization.plan',
      'organization.flags',
      'organization.external_id',
    ])
    .where('api_key.key_hash', '=', hash)
    .where('organization.disabled_at', 'is', null)
    .where((where) =>
      where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', now)]),
    )
    .executeTakeFirst()
}

/** The key before its account, as an end of keys locks them. A power cut may lose it: the lists then show an older time. */
async function noteUse(
  database: Database,
  key: { id: Id<'apiKey'>; service_account_id: Id<'serviceAccount'> },
  now: Millis,
): Promise<void> {
  await database.relaxed(async (tx) => {
    await tx.updateTable('api_key').set({ last_used_at: now }).where('id', '=', key.id).execute()
    await tx
      .updateTable('service_account')
      .set({ last_used_at: now })
      .where('id', '=', key.service_account_id)
      .execute()
  })
}
