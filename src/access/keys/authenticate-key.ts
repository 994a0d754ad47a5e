import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { earlier, type Millis, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { isKeyText } from '../../core/key-text.ts'
import { readFlags } from '../../core/plans.ts'
import { hashToken } from '../../core/secret.ts'
import type { Database } from '../../db/database.ts'
import { isPending } from '../../db/plausible-time.ts'
import { permissionsOf } from '../../http/permissions.ts'
import type { Principal } from '../../http/principal.ts'
import { networksOf } from '../../net/networks.ts'
import type { CredentialCache } from '../credential-cache.ts'
import { OVERLAP_MOST } from './former-secrets.ts'

/**
 * The least interval between writes of `last_used_at`. With the five seconds of the cache it is at most a minute earlier than the last use.
 */
export const USED_EVERY: Millis = 55 * SECOND

interface KeyDeps {
  database: Database
  credentials: CredentialCache
}

type KeyCaller = Extract<Principal, { kind: 'apiKey' }>

/**
 * The caller of an API key: its service account, with the rights of the key.
 * @returns undefined for a text without a valid checksum, without a look-up, and for an unknown or ended key
 * @throws ApiError FORBIDDEN `address_not_allowed`
 */
export async function authenticateKey(
  { database, credentials }: KeyDeps,
  key: string,
  { now, ip }: Pick<FastifyRequest, 'now' | 'ip'>,
): Promise<Principal | undefined> {
  if (!isKeyText('psk', key)) return undefined
  const hash = hashToken(key)
  const caller = await credentials.whose(hash, now, async () => {
    const row = await findKey(database, hash, now)
    if (row === undefined) return undefined
    const found: KeyCaller = {
      kind: 'apiKey',
      keyId: row.id,
      keyHash: hash,
      expiresAt: earlier(row.expires_at, row.secret_expires_at),
      addresses: row.allowed_addresses === null ? null : networksOf(row.allowed_addresses),
      actorId: row.service_account_id,
      organizationId: row.organization_id,
      externalId: row.external_id,
      role: row.role,
      permissions: permissionsOf(row.role, row.scopes),
      plan: row.plan,
      flags: readFlags(row.flags),
    }
    // A refused request does not count as use, and its result is not cached.
    mustComeFrom(found, ip)
    if (now - (row.used_at ?? 0) >= USED_EVERY) await noteUse(database, { ...row, hash }, now)
    return found
  })
  if (caller?.kind !== 'apiKey' || (caller.expiresAt !== null && caller.expiresAt <= now)) return undefined
  mustComeFrom(caller, ip)
  return caller
}

/** @throws ApiError FORBIDDEN `address_not_allowed` */
export function mustComeFrom({ addresses }: Pick<KeyCaller, 'addresses'>, ip: string): void {
  if (addresses !== null && !addresses.has(ip))
    throw new ApiError('FORBIDDEN', { reason: 'address_not_allowed' })
}

/** Finds the key of a present secret, or of a former one that still works. */
function findKey({ db }: Database, hash: string, now: Millis) {
  const present = db
    .selectFrom('api_key')
    .select(['id', sql<Millis | null>`null`.as('secret_expires_at'), 'last_used_at as used_at'])
    .where('key_hash', '=', hash)
  const replaced = db
    .selectFrom('api_key_secret')
    .select(['api_key_id as id', 'expires_at as secret_expires_at', 'last_used_at as used_at'])
    .where('key_hash', '=', hash)
    .where(isPending('expires_at', now, OVERLAP_MOST))
  return db
    .selectFrom(present.unionAll(replaced).as('secret'))
    .innerJoin('api_key', 'api_key.id', 'secret.id')
    .innerJoin('organization', 'organization.id', 'api_key.organization_id')
    .select([
      'api_key.id',
      'api_key.service_account_id',
      'api_key.role',
      'api_key.scopes',
      'api_key.allowed_addresses',
      'api_key.organization_id',
      'api_key.expires_at',
      'secret.secret_expires_at',
      'secret.used_at',
      'organization.plan',
      'organization.flags',
      'organization.external_id',
    ])
    .where('organization.disabled_at', 'is', null)
    .where((where) =>
      where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', now)]),
    )
    .executeTakeFirst()
}

/** A key and the hash of the secret that was used. */
interface Used {
  id: Id<'apiKey'>
  service_account_id: Id<'serviceAccount'>
  hash: string
}

/** The key before its account, as an end of keys locks them. A power cut may lose it: the lists then show an older time. */
async function noteUse(
  database: Database,
  { id, service_account_id, hash }: Used,
  now: Millis,
): Promise<void> {
  const used = { last_used_at: now }
  await database.relaxed(async (tx) => {
    await tx.updateTable('api_key').set(used).where('id', '=', id).execute()
    await tx.updateTable('api_key_secret').set(used).where('key_hash', '=', hash).execute()
    await tx.updateTable('service_account').set(used).where('id', '=', service_account_id).execute()
  })
}
