import { audit, type Trail } from '../../audit/audit.ts'
import { toIso, toIsoOrNull } from '../../core/clock.ts'
import { type Id, newId, parseId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lockShared } from '../../db/locking.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { callerOf } from '../../http/principal.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'

type ServiceAccount = Tables['service_account']
type Maker =
  | ReturnType<typeof callerOf>
  /** A setup link. A service account that it makes has no owner, because a link is no member. */
  | { kind: 'setupLink'; organizationId: Id<'organization'>; actorId: Id<'setupLink'>; keyId: null }

export const ServiceAccountSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  ownerId: Nullable(Type.String()),
  createdBy: Nullable(Type.String()),
  createdAt: Moment,
  updatedAt: Moment,
  lastUsedAt: Nullable(Moment),
})

export function toServiceAccount(row: ServiceAccount): Static<typeof ServiceAccountSchema> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    ownerId: row.owner_id,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
  }
}

/** Service accounts that an organization may have. */
const MOST_ACCOUNTS = 1_000

interface NewServiceAccount {
  name: string
  description?: string | null | undefined
  /** Default: the person who makes it, or the owner of the service account that makes it. */
  ownerId?: string | null | undefined
}

/**
 * Makes a service account of the maker's organization, which stays locked until `tx` ends.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND where the owner is no member; FORBIDDEN `too_many_service_accounts`;
 * UNAUTHORIZED where the organization was deleted
 */
export async function addServiceAccount(
  tx: Tx,
  trail: Trail,
  maker: Maker,
  { name, description, ownerId }: NewServiceAccount,
): Promise<ServiceAccount> {
  const { organizationId, actorId, keyId } = maker
  const rows = tx.selectFrom('service_account').where('organization_id', '=', organizationId)
  await refuseBeyond(tx, organizationId, { rows, most: MOST_ACCOUNTS, reason: 'too_many_service_accounts' })
  const row: ServiceAccount = {
    id: newId('serviceAccount', trail.now),
    organization_id: organizationId,
    name,
    description: description ?? null,
    owner_id:
      ownerId === undefined ? await usualOwner(tx, maker) : await findOwner(tx, organizationId, ownerId),
    created_by: actorId,
    key_id: keyId,
    created_at: trail.now,
    updated_at: trail.now,
    last_used_at: null,
  }
  await tx.insertInto('service_account').values(row).execute()
  await audit(tx, trail, {
    action: 'service_account.created',
    organizationId,
    actorId,
    targetId: row.id,
    details: { name, ownerId: row.owner_id },
  })
  return row
}

async function usualOwner(tx: Tx, maker: Maker): Promise<Id<'account'> | null> {
  if (maker.kind === 'account') return maker.accountId
  if (maker.kind === 'setupLink') return null
  const account = await tx
    .selectFrom('service_account')
    .select('owner_id')
    .where('id', '=', maker.actorId as ServiceAccount['id'])
    .executeTakeFirst()
  return account?.owner_id ?? null
}

/**
 * The owner of a service account. The membership stays locked, so that its end follows `tx` and removes the owner.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function findOwner(
  tx: Tx,
  organizationId: Id<'organization'>,
  text: string | null,
): Promise<Id<'account'> | null> {
  if (text === null) return null
  const id = parseId('account', text, 'ownerId')
  const membership = tx
    .selectFrom('membership')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', id)
  if ((await lockShared(tx, membership).executeTakeFirst()) === undefined) throw notFound('ownerId', id)
  return id
}
