import type { Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { rightsOf } from '../../http/permissions.ts'
import { endInvitations } from './end-invitations.ts'
import { endSetupLinksBeyond } from './end-setup-links.ts'
import { type GivenRole, lackToGive } from './given-role.ts'

interface EndedRight {
  organizationId: Id<'organization'>
  /** The account that loses the right. */
  accountId: Id<'account'>
  /** The actor of the change. */
  actorId: string | null
  /** The new role of the account; absent after the end of the membership. */
  kept?: GivenRole
}

/**
 * Ends setup links and pending invitations of an account whose right to administer ends or becomes smaller,
 * except those that its remaining role may make. Service accounts and API keys belong to the organization and
 * stay (`end-keys.ts` ends the keys that the account made).
 *
 * `tx` must have changed or locked the row of the right, so that no further link or invitation is made with it until the commit.
 */
export async function endAdministration(
  tx: Tx,
  trail: Trail,
  { accountId, kept, ...right }: EndedRight,
): Promise<void> {
  await endSetupLinksBeyond(tx, trail, { ...right, maker: accountId }, kept?.permissions)
  const ended = kept?.permissions.has('invitations:write')
    ? await rolesBeyond(tx, right.organizationId, accountId, kept)
    : undefined
  if (ended?.length === 0) return
  await endInvitations(tx, trail, { ...right, inviter: accountId }, (where) =>
    where.and([
      where('inviter_id', '=', accountId),
      ...(ended === undefined
        ? []
        : [
            where.or(
              ended.map(({ role, role_id }) =>
                where.and([
                  where('role', '=', role),
                  role_id === null ? where('role_id', 'is', null) : where('role_id', '=', role_id),
                ]),
              ),
            ),
          ]),
    ]),
  )
}

/** Roles of an account's pending invitations that exceed its permissions. */
async function rolesBeyond(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
  kept: GivenRole,
) {
  const given = await tx
    .selectFrom('invitation')
    .leftJoin('role', 'role.id', 'invitation.role_id')
    .select(['invitation.role', 'invitation.role_id', 'role.permissions'])
    .distinct()
    .where('invitation.organization_id', '=', organizationId)
    .where('invitation.inviter_id', '=', accountId)
    .where('invitation.status', '=', 'pending')
    .execute()
  const giver = { role: kept.name, permissions: kept.permissions }
  return given.filter((held) => {
    const { role: name, permissions } = rightsOf(held)
    return lackToGive(giver, { name, permissions }) !== undefined
  })
}
