import { sql } from 'kysely'
import { earlier, type Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, readId } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { lockShared } from '../db/locking.ts'
import type { Tables } from '../db/tables/tables.ts'
import {
  lackOf,
  narrowTo,
  type Permission,
  type Permissions,
  permissionsOf,
  type RoleName,
  rightsOf,
} from './permissions.ts'

/** The caller of a request. */
interface Actor {
  organizationId: Id<'organization'>
  /** The id of the account, the service account of the API key, or the platform key. */
  actorId: string
  keyId: Id<'apiKey'> | null
  /**
   * The hash of the secret in the request; a replaced secret ends before the key. undefined: an object that the key
   * created acts.
   */
  keyHash?: string
  /** The grant of the person to the client that sends the request. */
  grantId?: Id<'grant'>
  /**
   * The session of the request's token. The right is refused if the session has ended, also where an administrator
   * ended it for the organization.
   */
  sessionId?: Id<'session'>
}

/** A right that cannot end before this transaction does. */
interface Right {
  /** When it expires; null: never. */
  until: Millis | null
  role: RoleName
  permissions: Permissions
  /** A JSON list of the allowed networks; null: any. */
  addresses: string | null
}

/**
 * Checks a permission again in the transaction that writes what depends on it: the right may have ended since the
 * request began, and cached decisions about callers last five seconds. Locks the row of the right, so that a
 * transaction that ends it comes later and ends the written rows as well.
 * @throws ApiError FORBIDDEN `administrator_required` or `scope_required`
 */
export async function mustStillHave(
  tx: Tx,
  actor: Actor,
  permission: Permission,
  now: Millis,
): Promise<Right> {
  const { organizationId, keyId, keyHash } = actor
  const platformKeyId = readId('platformKey', actor.actorId)
  const found =
    platformKeyId !== undefined
      ? await holdPlatformKey(tx, organizationId, { id: platformKeyId, keyHash }, now)
      : keyId === null
        ? await narrowToGrant(
            tx,
            actor,
            await holdMembership(tx, organizationId, actor.actorId as Id<'account'>, actor.sessionId, now),
            now,
          )
        : await holdKey(tx, organizationId, { id: keyId, keyHash }, now)
  if (found === undefined) throw new ApiError('FORBIDDEN', { reason: 'administrator_required' })
  const { role, permissions } = found
  if (!permissions.has(permission)) throw lackOf(role, permission)
  return found
}

async function holdMembership(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
  sessionId: Id<'session'> | undefined,
  now: Millis,
): Promise<Right | undefined> {
  const membership = await lockShared(
    tx,
    tx
      .selectFrom('membership')
      .select(['role', 'role_id'])
      .where('organization_id', '=', organizationId)
      .where('account_id', '=', accountId),
  ).executeTakeFirst()
  // Read after the lock: a transaction that disables an account locks its memberships first. The session is not locked:
  // a sign-out that commits after this read counts as later than the request.
  const account = await tx
    .selectFrom('account')
    .select('status')
    .where('id', '=', accountId)
    .where(isOrganizationActive(organizationId))
    .$if(sessionId !== undefined, (query) =>
      query.where(isSessionActive(sessionId as Id<'session'>, organizationId, now)),
    )
    .executeTakeFirst()
  if (membership === undefined || account?.status !== 'active') return undefined
  const { role, role_id } = membership
  const permissions = role_id === null ? null : await holdPermissions(tx, role_id)
  return { ...rightsOf({ role, role_id, permissions }), addresses: null, until: null }
}

/** The permissions of a custom role, locked until the transaction ends. */
async function holdPermissions(tx: Tx, id: Id<'role'>): Promise<string | null> {
  const found = await lockShared(
    tx,
    tx.selectFrom('role').select('permissions').where('id', '=', id),
  ).executeTakeFirst()
  return found?.permissions ?? null
}

/** The part of a member's right that a client has by a grant, whose row is locked. */
async function narrowToGrant(
  tx: Tx,
  { grantId }: Actor,
  found: Right | undefined,
  now: Millis,
): Promise<Right | undefined> {
  if (grantId === undefined || found === undefined) return found
  const grant = await lockShared(
    tx,
    tx.selectFrom('oauth_grant').select(['scopes', 'expires_at']).where('id', '=', grantId),
  ).executeTakeFirst()
  if (grant === undefined || grant.expires_at <= now) return undefined
  return { ...found, permissions: narrowTo(found.permissions, grant.scopes), until: grant.expires_at }
}

/** A key, and the hash of the secret that the request used. */
interface UsedKey<Kind extends 'apiKey' | 'platformKey'> {
  id: Id<Kind>
  keyHash: string | undefined
}

async function holdKey(
  tx: Tx,
  organizationId: Id<'organization'>,
  { id, keyHash }: UsedKey<'apiKey'>,
  now: Millis,
): Promise<Right | undefined> {
  const key = await lockShared(
    tx,
    tx
      .selectFrom('api_key')
      .select(['role', 'scopes', 'allowed_addresses', 'expires_at', 'key_hash'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
  ).executeTakeFirst()
  return rightOfKey(tx, organizationId, { key, keyHash }, () =>
    tx
      .selectFrom('api_key_secret')
      .select('expires_at')
      .where('key_hash', '=', keyHash ?? '')
      .where('api_key_id', '=', id)
      .where('expires_at', '>', now)
      .executeTakeFirst(),
  )
}

async function holdPlatformKey(
  tx: Tx,
  organizationId: Id<'organization'>,
  { id, keyHash }: UsedKey<'platformKey'>,
  now: Millis,
): Promise<Right | undefined> {
  const key = await lockShared(
    tx,
    tx
      .selectFrom('platform_key')
      .select(['scopes', 'allowed_addresses', 'expires_at', 'key_hash'])
      .where('id', '=', id)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)])),
  ).executeTakeFirst()
  const administrator = key && ({ ...key, role: 'administrator' } as const)
  return rightOfKey(tx, organizationId, { key: administrator, keyHash }, () =>
    tx
      .selectFrom('platform_key_secret')
      .select('expires_at')
      .where('key_hash', '=', keyHash ?? '')
      .where('platform_key_id', '=', id)
      .where('expires_at', '>', now)
      .executeTakeFirst(),
  )
}

type LockedKey = Pick<Tables['api_key'], 'role' | 'scopes' | 'allowed_addresses' | 'expires_at' | 'key_hash'>

/**
 * The right of a locked key by the secret of the request.
 * @param findReplaced reads the secret among the replaced ones; called after the lock, under which secrets are replaced
 */
async function rightOfKey(
  tx: Tx,
  organizationId: Id<'organization'>,
  { key, keyHash }: { key: LockedKey | undefined; keyHash: string | undefined },
  findReplaced: () => Promise<{ expires_at: Millis } | undefined>,
): Promise<Right | undefined> {
  if (key === undefined) return undefined
  if (keyHash === undefined || keyHash === key.key_hash) return rightIfActive(tx, organizationId, key)
  const replaced = await findReplaced()
  if (replaced === undefined) return undefined
  return rightIfActive(tx, organizationId, {
    ...key,
    expires_at: earlier(key.expires_at, replaced.expires_at),
  })
}

/**
 * The right of a locked key, unless the organization has ended. The organization is read after the lock, because a
 * transaction that ends an organization locks the keys first.
 */
async function rightIfActive(
  tx: Tx,
  organizationId: Id<'organization'>,
  key: Pick<Tables['api_key'], 'role' | 'scopes' | 'allowed_addresses' | 'expires_at'>,
): Promise<Right | undefined> {
  const { rows } = await sql`select 1 as one where ${isOrganizationActive(organizationId)}`.execute(tx)
  const { role, scopes, allowed_addresses: addresses, expires_at: until } = key
  return rows.length === 0 ? undefined : { role, permissions: permissionsOf(role, scopes), addresses, until }
}

/** Whether an organization is neither disabled nor deleted. */
const isOrganizationActive = (id: Id<'organization'>) =>
  sql<boolean>`exists (select 1 from organization where id = ${id} and disabled_at is null and deleted_at is null)`

/** Whether a session has not ended, neither as a whole nor for the organization. */
const isSessionActive = (id: Id<'session'>, organizationId: Id<'organization'>, now: Millis) =>
  sql<boolean>`exists (select 1 from session where id = ${id} and expires_at > ${now})
    and not exists (select 1 from session_exclusion where session_id = ${id} and organization_id = ${organizationId})`
