import type { ExpressionBuilder } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { endInvitations } from './end-invitations.ts'

/** Which API keys end: one, those of a service account, or those of which an account or a platform key made a secret. */
type EndedKeys =
  | { id: Id<'apiKey'> }
  | { serviceAccountId: Id<'serviceAccount'> }
  | { madeBy: Id<'account' | 'platformKey'> }

interface Ending {
  organizationId: Id<'organization'>
  /** Who ended them. */
  actorId: string | null
  /** Whether also those end that were made with them, and with those in turn: their makers have seen the secrets. */
  withMade?: boolean
}

/**
 * Ends API keys of an organization, and the pending invitations that were made with them. Every end of a key is made here,
 * but for that of the whole organization.
 *
 * `tx` must have locked the organization, under whose lock keys are made, or have ended the platform key that made them. The caller clears the cache of credentials after
 * the commit, which ends streams, too.
 * @returns the ids of the keys that ended
 */
export async function endKeys(
  tx: Tx,
  trail: Trail,
  { organizationId, actorId, withMade = false }: Ending,
  which: EndedKeys,
): Promise<Id<'apiKey'>[]> {
  const ended = await deleteKeys(tx, organizationId, which)
  const makers = ended.map(({ id }) => id)
  for (const id of withMade ? makers : []) {
    const made = await deleteKeys(tx, organizationId, { madeWith: id })
    for (const key of made) {
      ended.push(key)
      // The loop goes over what is added to the list.
      makers.push(key.id)
    }
  }
  for (const { id, name, service_account_id, key_id } of ended) {
    const because =
      withMade && key_id !== null && makers.includes(key_id) ? { because: 'maker', maker: key_id } : {}
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
  }
  return ended.map(({ id }) => id)
}

/**
 * Ends the keys that an account made or rotated, and those made with them, in every organization. Locks the organizations: the
 * account may be locked by `tx`, and nothing below the organizations.
 * @returns how many ended
 */
export async function endKeysOf(tx: Tx, trail: Trail, madeBy: Id<'account'>): Promise<number> {
  const organizations = await tx
    .selectFrom('api_key')
    .select('organization_id')
    .distinct()
    .where((where) => seenBy(where, madeBy))
    .orderBy('organization_id')
    .execute()
  let ended = 0
  for (const { organization_id: organizationId } of organizations) {
    await lockOrganization(tx, organizationId)
    const keys = await endKeys(tx, trail, { organizationId, actorId: null, withMade: true }, { madeBy })
    ended += keys.length
  }
  return ended
}

/** Deletes the keys of one choice. Who made or rotated a key has seen a secret of it. */
function deleteKeys(
  tx: Tx,
  organizationId: Id<'organization'>,
  which: EndedKeys | { madeWith: Id<'apiKey'> },
) {
  return tx
    .deleteFrom('api_key')
    .where('organization_id', '=', organizationId)
    .where((where) => {
      if ('id' in which) return where('id', '=', which.id)
      if ('serviceAccountId' in which) return where('service_account_id', '=', which.serviceAccountId)
      if ('madeBy' in which) return seenBy(where, which.madeBy)
      return where.or([
        where('key_id', '=', which.madeWith),
        where('rotated_with', '=', which.madeWith),
        where('id', 'in', formerSecrets(where).where('key_id', '=', which.madeWith)),
      ])
    })
    .returning(['id', 'name', 'service_account_id', 'key_id'])
    .execute()
}

type Where = ExpressionBuilder<Tables, 'api_key'>

/** A condition for the keys of which an account or service account has made a secret. */
export function seenBy(where: Where, maker: string) {
  return where.or([
    where('created_by', '=', maker),
    where('rotated_by', '=', maker),
    where('id', 'in', formerSecrets(where).where('created_by', '=', maker)),
  ])
}

const formerSecrets = (where: Where) => where.selectFrom('api_key_secret').select('api_key_id')
