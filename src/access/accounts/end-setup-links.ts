import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { PERMISSION_NAMES, type Permissions } from '../../http/permissions.ts'

interface Revocation {
  organizationId: Id<'organization'>
  actorId: string | null
  /** The account or key whose right has ended, for the audit log. */
  maker: string
}

type Made = (where: ExpressionBuilder<Tables, 'setup_link'>) => Expression<SqlBool>

/** The purposes of a link that need only `sign_in:write`; any other purpose lets its holder decide who signs members in. */
export const DOMAINS_ALONE = 'domains'

/** Revokes the setup links of an organization for which `made` is true, with one entry in the audit log for all. */
export async function endSetupLinks(
  tx: Tx,
  trail: Trail,
  { organizationId, actorId, maker }: Revocation,
  made: Made,
): Promise<void> {
  const revoked = await tx
    .updateTable('setup_link')
    .set({ status: 'revoked', ended_at: trail.now })
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['pending', 'opened'])
    .where(made)
    .returning(['id', 'organization_id'])
    .execute()
  if (revoked.length === 0) return
  noteChanges(tx, 'setupLink', revoked)
  await audit(tx, trail, {
    action: 'setup_link.revoked',
    organizationId,
    actorId,
    details: { because: 'maker', maker, count: revoked.length },
  })
}

/**
 * Revokes the setup links of an account that rest on more than it may do from now on.
 * @param kept its permissions; undefined where it has none
 */
export async function endSetupLinksBeyond(
  tx: Tx,
  trail: Trail,
  revocation: Revocation,
  kept: Permissions | undefined,
): Promise<void> {
  if (kept !== undefined && PERMISSION_NAMES.every((name) => kept.has(name))) return
  const mayProve = kept?.has('sign_in:write') ?? false
  await endSetupLinks(tx, trail, revocation, (where) =>
    where.and([
      where('created_by', '=', revocation.maker),
      ...(mayProve ? [where('purposes', '!=', DOMAINS_ALONE)] : []),
    ]),
  )
}
