import { audit, type Trail } from '../../audit/audit.ts'
import { DAY, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Permission } from '../../http/permissions.ts'
import { endWithKey } from '../accounts/end-with-key.ts'
import { allowMoreSecrets } from '../keys/former-secrets.ts'
import { scopesColumn } from '../keys/key-scopes.ts'
import { newSecret } from '../keys/new-secret.ts'
import { organizationsOf } from './organizations-of-key.ts'

type PlatformKey = Tables['platform_key']

export interface NewPlatformKey {
  name: string
  /** null: all scopes, also those of later versions. */
  scopes: readonly Permission[] | null
  mayCreateOrganizations: boolean
  /** The networks from which it may be used, in the form of `readAddresses`. */
  allowedAddresses: string | null
  /** undefined: it does not expire. */
  expiresInDays: number | undefined
}

/** A new platform key and its secret. The store has only a hash of the secret. */
interface Made {
  row: PlatformKey
  key: string
}

export async function addPlatformKey(tx: Tx, trail: Trail, wanted: NewPlatformKey): Promise<Made> {
  const { name, scopes, mayCreateOrganizations, allowedAddresses, expiresInDays } = wanted
  const { key, columns } = newSecret('ppk')
  const row: PlatformKey = {
    id: newId('platformKey', trail.now),
    name,
    scopes: scopes === null ? null : scopesColumn(scopes),
    may_create_organizations: mayCreateOrganizations ? 1 : 0,
    allowed_addresses: allowedAddresses,
    ...columns,
    created_at: trail.now,
    expires_at: expiresInDays === undefined ? null : trail.now + expiresInDays * DAY,
    rotated_at: null,
    last_used_at: null,
  }
  await tx.insertInto('platform_key').values(row).execute()
  await audit(tx, trail, {
    action: 'platform_key.created',
    targetId: row.id,
    details: { name, scopes: row.scopes, mayCreateOrganizations },
  })
  return { row, key }
}

/** Changes of a platform key; undefined members do not change. Its scopes never change. */
export interface PlatformKeyChange {
  name?: string | undefined
  /** In the form of `readAddresses`. */
  allowedAddresses?: string | null | undefined
  /** From now on; null: it does not expire. */
  expiresInDays?: number | null | undefined
}

/**
 * Changes a platform key. Pending invitations that were made with it expire with it at the latest. The caller clears the cache of
 * credentials after the commit.
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function changePlatformKey(
  tx: Tx,
  trail: Trail,
  id: Id<'platformKey'>,
  { name, allowedAddresses, expiresInDays }: PlatformKeyChange,
): Promise<PlatformKey> {
  const until = expiresInDays === undefined || expiresInDays === null ? null : trail.now + expiresInDays * DAY
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(allowedAddresses === undefined ? {} : { allowed_addresses: allowedAddresses }),
    ...(expiresInDays === undefined ? {} : { expires_at: until }),
  }
  const changed = tx.updateTable('platform_key').set(change).where('id', '=', id).returningAll()
  const row = await changed.executeTakeFirst()
  if (row === undefined) throw notFound('id', id)
  await audit(tx, trail, {
    action: 'platform_key.updated',
    targetId: id,
    details: {
      name: row.name,
      allowedAddresses: row.allowed_addresses,
      expiresAt: toIsoOrNull(row.expires_at),
    },
  })
  for (const organizationId of await organizationsOf(tx, id, { withMade: false }))
    await endWithKey(tx, organizationId, { keyId: id, until: row.expires_at })
  return row
}

/**
 * Gives a platform key a new secret. The previous secret is accepted for `overlap` more, and earlier ones until their own ends; without an
 * overlap all of them end at once.
 * @throws ApiError ENTITY_NOT_FOUND, FORBIDDEN `too_many_secrets`
 */
export async function rotatePlatformKey(
  tx: Tx,
  trail: Trail,
  id: Id<'platformKey'>,
  overlap: Millis,
): Promise<Made & { previousExpiresAt: Millis }> {
  const { now } = trail
  const known = tx.selectFrom('platform_key').selectAll().where('id', '=', id)
  const before = await lock(tx, known).executeTakeFirst()
  if (before === undefined) throw notFound('id', id)
  const { key, columns } = newSecret('ppk')
  await tx
    .deleteFrom('platform_key_secret')
    .where('platform_key_id', '=', id)
    .$if(overlap > 0, (query) => query.where('expires_at', '<=', now))
    .execute()
  const previousExpiresAt = now + overlap
  if (overlap > 0) {
    const { count } = await tx
      .selectFrom('platform_key_secret')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('platform_key_id', '=', id)
      .executeTakeFirstOrThrow()
    allowMoreSecrets(Number(count))
    await tx
      .insertInto('platform_key_secret')
      .values({
        ...{ key_hash: before.key_hash, platform_key_id: id, hint: before.hint },
        ...{ created_at: now, expires_at: previousExpiresAt },
      })
      .execute()
  }
  const change = { ...columns, rotated_at: now }
  await tx.updateTable('platform_key').set(change).where('id', '=', id).execute()
  await audit(tx, trail, {
    action: 'platform_key.rotated',
    targetId: id,
    details: { name: before.name, previousExpiresAt: toIso(previousExpiresAt) },
  })
  return { row: { ...before, ...change }, key, previousExpiresAt }
}

/** A platform key in the form of the operator's API and the command line. */
export function toPlatformKey(row: PlatformKey) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]),
    mayCreateOrganizations: row.may_create_organizations === 1,
    allowedAddresses: row.allowed_addresses === null ? null : (JSON.parse(row.allowed_addresses) as string[]),
    hint: row.hint,
    createdAt: toIso(row.created_at),
    expiresAt: toIsoOrNull(row.expires_at),
    rotatedAt: toIsoOrNull(row.rotated_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
  }
}
