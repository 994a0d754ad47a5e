import { audit, type Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Publish } from '../../delivery/publish/publish.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endAdministration } from './end-administration.ts'
import { endGrants } from './end-grants.ts'
import { endKeys, seenBy } from './end-keys.ts'
import { endOwnership } from './end-ownership.ts'
import { providersOf } from './end-provider-entry.ts'
import { fullName } from './full-name.ts'
import { keepAdministrator } from './keep-administrator.ts'

interface EndedMembership {
  organizationId: Id<'organization'>
  accountId: Id<'account'>
  /** The actor: the member, an administrator, a service account, or null for the command line. */
  actorId: string | null
  /** Whether the last administrator may be removed. */
  force?: boolean
  /** Whether API keys end that the member made or rotated, and keys that were made with those. */
  endKeys?: boolean
}

/** Ids of keys that the audit log names in one entry; `GET /v1/api-keys?createdBy=` lists all. */
const MOST_NAMED = 20

/**
 * Ends a membership and everything that rests on it, for a member who leaves, is removed or is deleted.
 * @throws ApiError FORBIDDEN `last_administrator`, ENTITY_NOT_FOUND
 */
export async function endMembership(
  tx: Tx,
  publish: Publish,
  trail: Trail,
  { organizationId, accountId, actorId, force = false, endKeys: withKeys = false }: EndedMembership,
): Promise<void> {
  // The end of keys requires the lock of the organization.
  if (force) await lockOrganization(tx, organizationId)
  else await keepAdministrator(tx, organizationId, accountId)
  const ended = await tx
    .deleteFrom('membership')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst()
  if (ended === undefined) throw notFound('accountId', accountId)
  await endGrants(tx, trail, { accountId, organizationId }, { actorId, because: 'membership' })
  await endProviderSessions(tx, organizationId, accountId)
  await endOwnership(tx, organizationId, accountId)
  await keepName(tx, organizationId, accountId, trail.now)
  await endAdministration(tx, trail, { organizationId, accountId, actorId })
  const right = { organizationId, actorId, withMade: true }
  const deleted = withKeys ? await endKeys(tx, trail, right, { madeBy: accountId }) : []
  await audit(tx, trail, {
    action: 'member.removed',
    organizationId,
    accountId,
    actorId,
    targetId: accountId,
    details: {
      ...(deleted.length === 0 ? {} : { deletedApiKeys: deleted.length }),
      ...(await keptKeys(tx, organizationId, accountId)),
    },
  })
  await publish(tx, trail.now, { organizationId, type: 'member.removed', data: { accountId } })
}

/**
 * Ends sessions of the organization's identity providers, which give access to no other organization, and removes the person's identities
 * there.
 */
async function endProviderSessions(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<void> {
  await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('bound_organization_id', '=', organizationId)
    .execute()
  await tx
    .deleteFrom('identity')
    .where('account_id', '=', accountId)
    .where('provider', 'in', providersOf(tx, organizationId))
    .execute()
}

/** Keeps a former member's name for the records that name the account by id. The row goes when the account is deleted. */
async function keepName(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
  now: Millis,
): Promise<void> {
  const account = await tx
    .selectFrom('account')
    .select(['email', 'first_name', 'last_name'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const kept = { name: fullName(account), left_at: now }
  await tx
    .insertInto('former_member')
    .values({ organization_id: organizationId, account_id: accountId, ...kept })
    .onConflict((conflict) => conflict.columns(['organization_id', 'account_id']).doUpdateSet(kept))
    .execute()
}

/** Counts and names, for the audit log, the remaining keys that have a secret made by the former member. */
async function keptKeys(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<Record<string, string | number>> {
  const rows = await tx
    .selectFrom('api_key')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where((where) => seenBy(where, accountId))
    .orderBy('id')
    .execute()
  if (rows.length === 0) return {}
  const named = rows.slice(0, MOST_NAMED).map(({ id }) => id)
  return { keptApiKeys: rows.length, keptApiKeyIds: named.join(' ') }
}
