import { type ExpressionBuilder, sql } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { noteMany, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endInvitations } from './end-invitations.ts'
import { endSetupLinks } from './end-setup-links.ts'

/** The API keys that end: one key, the keys of a service account, or the keys that have a secret made by an account or a platform key. */
type EndedKeys =
  | { id: Id<'apiKey'> }
  | { serviceAccountId: Id<'serviceAccount'> }
  | { madeBy: Id<'account' | 'platformKey'> }

interface Ending {
  organizationId: Id<'organization'>
  /** The actor of the change. */
  actorId: string | null
  /** Whether keys end too that were made with them, directly or indirectly, because their makers know the secrets. */
  withMade?: boolean
}

/**
 * Ends API keys of an organization, and the pending invitations and setup links that were made with them. Every end of a key is made here,
 * but for that of the whole organization.
 *
 * `tx` must have locked the organization, under whose lock keys are made, or have ended the platform key that made them. The caller clears
 * the cache of credentials after the commit, which ends streams, too.
 * @returns the ids of the keys that ended
 */
export async function endKeys(
  tx: Tx,
  trail: Trail,
  { organizationId, actorId, withMade = false }: Ending,
  which: EndedKeys,
): Promise<Id<'apiKey'>[]> {
  if (!withMade) await noteMakers(tx, organizationId, which)
  const ended = await deleteKeys(tx, organizationId, which)
  const makers = new Set<string>(ended.map(({ id }) => id))
  if ('madeBy' in which) makers.add(which.madeBy)
  // The loop also visits keys that it adds to the set.
  for (const maker of withMade ? makers : []) {
    const made = await deleteKeys(tx, organizationId, { madeWith: maker })
    ended.push(...made)
    for (const { id } of [...made, ...(await endedBefore(tx, organizationId, maker))]) makers.add(id)
  }
  for (const { id, name, service_account_id, key_id } of ended) {
    const because =
      withMade && key_id !== null && makers.has(key_id) ? { because: 'maker', maker: key_id } : {}
    await audit(tx, trail, {
      action: 'api_key.deleted',
      organizationId,
      actorId,
      targetId: id,
      details: { name, serviceAccountId: service_account_id, ...because },
    })
    await endInvitations(tx, trail, { organizationId, actorId, inviter: id }, (where) =>
      where('key_id', '=', id),
    )
    await endSetupLinks(tx, trail, { organizationId, actorId, maker: id }, (where) =>
      where('key_id', '=', id),
    )
  }
  return ended.map(({ id }) => id)
}

/**
 * Ends the keys that an account made or rotated, and those made with them, in every organization. Locks the organizations; `tx` may have
 * locked the account, and no row below an organization. The account's organizations are locked as well, because a concurrent request may
 * make its first key there.
 * @returns how many ended
 */
export async function endKeysOf(tx: Tx, trail: Trail, madeBy: Id<'account'>): Promise<number> {
  let ended = 0
  for (const organizationId of await organizationsWithTraces(tx, madeBy)) {
    await lockOrganization(tx, organizationId)
    const keys = await endKeys(tx, trail, { organizationId, actorId: null, withMade: true }, { madeBy })
    ended += keys.length
  }
  return ended
}

/** The organizations that have an account as a member, or a key made by it, ended ones included, in the order of locking. */
export async function organizationsWithTraces(
  tx: Tx,
  accountId: Id<'account'>,
): Promise<Id<'organization'>[]> {
  const rows = await tx
    .selectFrom('membership')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .union(
      tx
        .selectFrom('api_key')
        .select('organization_id')
        .where((where) => seenBy(where, accountId)),
    )
    .union(tx.selectFrom('ended_key').select('organization_id').where('maker', '=', accountId))
    .orderBy('organization_id')
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}

/** Deletes the keys of one choice. Who made or rotated a key has seen a secret of it. */
async function deleteKeys(tx: Tx, organizationId: Id<'organization'>, which: Choice) {
  const deleted = await tx
    .deleteFrom('api_key')
    .where('organization_id', '=', organizationId)
    .where((where) => chosen(where, which))
    .returning(['id', 'name', 'service_account_id', 'key_id'])
    .execute()
  if (deleted.length > 0) noteMany(tx, organizationId)
  return deleted
}

type Where = ExpressionBuilder<Tables, 'api_key'>
type Choice = EndedKeys | { madeWith: string }

function chosen(where: Where, which: Choice) {
  if ('id' in which) return where('id', '=', which.id)
  if ('serviceAccountId' in which) return where('service_account_id', '=', which.serviceAccountId)
  if ('madeBy' in which) return seenBy(where, which.madeBy)
  const madeWith = which.madeWith as Id<'apiKey'>
  return where.or([
    where('key_id', '=', madeWith),
    where('rotated_with', '=', madeWith),
    where('id', 'in', formerSecrets(where).where('key_id', '=', madeWith)),
  ])
}

/**
 * Records the makers of keys that end separately: the account or key that made their secrets. So a later end of a maker also finds keys
 * that were made with them.
 */
async function noteMakers(tx: Tx, organizationId: Id<'organization'>, which: EndedKeys): Promise<void> {
  const keys = tx
    .selectFrom('api_key')
    .where('organization_id', '=', organizationId)
    .where((where) => chosen(where, which))
  const secrets = tx.selectFrom('api_key_secret').where('api_key_id', 'in', keys.select('id'))
  const rows = [
    ...(await keys.select(['id', makerOf('key_id', 'created_by')]).execute()),
    ...(await keys.select(['id', makerOf('rotated_with', 'rotated_by')]).execute()),
    ...(await secrets.select(['api_key_id as id', makerOf('key_id', 'created_by')]).execute()),
  ].flatMap(({ id, maker }) => (maker === null ? [] : { id, maker, organization_id: organizationId }))
  if (rows.length === 0) return
  await tx
    .insertInto('ended_key')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const makerOf = (key: string, account: string) =>
  sql<string | null>`coalesce(${sql.ref(key)}, ${sql.ref(account)})`.as('maker')

/** Earlier ended keys that had a secret made by this account or with this key. */
function endedBefore(tx: Tx, organizationId: Id<'organization'>, maker: string) {
  return tx
    .selectFrom('ended_key')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('maker', '=', maker)
    .execute()
}

/** A condition that selects the keys that have a secret made by an account, a service account or a platform key. */
export function seenBy(where: Where, maker: string) {
  return where.or([
    where('created_by', '=', maker),
    where('rotated_by', '=', maker),
    where('id', 'in', formerSecrets(where).where('created_by', '=', maker)),
  ])
}

const formerSecrets = (where: Where) => where.selectFrom('api_key_secret').select('api_key_id')
