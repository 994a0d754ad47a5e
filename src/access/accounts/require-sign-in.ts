import { sql } from 'kysely'
import type { Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { setSignInRequired } from '../../organizations/organizations.ts'
import { endGrants } from './end-grants.ts'
import { mustBeAdministrators } from './keep-administrator.ts'

interface Demand {
  organizationId: Id<'organization'>
  /** null: the operator. */
  actorId: string | null
  required: boolean
  /** Administrators who may sign in otherwise, with a second factor. */
  exceptions: Id<'account'>[]
}

/**
 * Requires members to sign in by the organization's identity provider, or ends the requirement. Sessions of other sign-ins get no more
 * tokens of the organization, and their grants end. The organization must be locked by `tx`; the caller clears the cache of credentials
 * after the commit.
 * @throws ApiError FORBIDDEN `no_identity_provider`; VALIDATION_FAILED where an exception is no administrator, or none has a second factor
 */
export async function requireSignIn(tx: Tx, trail: Trail, demand: Demand): Promise<void> {
  const { organizationId, actorId, required } = demand
  const exceptions = required ? demand.exceptions : []
  if (required) {
    await mustHaveProvider(tx, organizationId)
    await mustBeAdministrators(tx, organizationId, exceptions)
  }
  await tx
    .updateTable('membership')
    .set({ own_sign_in_at: null })
    .where('organization_id', '=', organizationId)
    .where('own_sign_in_at', 'is not', null)
    .execute()
  for (const accountId of exceptions)
    await tx
      .updateTable('membership')
      .set({ own_sign_in_at: trail.now })
      .where('organization_id', '=', organizationId)
      .where('account_id', '=', accountId)
      .execute()
  await setSignInRequired(tx, trail, { id: organizationId, required, exceptions, actorId })
  if (required) await endOwnSignIns(tx, trail, organizationId, actorId)
}

/** @throws ApiError FORBIDDEN `no_identity_provider` */
async function mustHaveProvider(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const provider = await tx
    .selectFrom('identity_provider')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .executeTakeFirst()
  if (provider === undefined) throw new ApiError('FORBIDDEN', { reason: 'no_identity_provider' })
}

/** Ends access that members obtained by other sign-ins, except that of the exceptions. */
async function endOwnSignIns(
  tx: Tx,
  trail: Trail,
  organizationId: Id<'organization'>,
  actorId: string | null,
): Promise<void> {
  await sql`
    insert into session_exclusion (session_id, organization_id, created_at)
    select session.id, membership.organization_id, ${trail.now}
    from membership join session on session.account_id = membership.account_id
    where membership.organization_id = ${organizationId}
      and session.identity_provider_id is null
      and not (membership.own_sign_in_at is not null and session.factor_at is not null)
    on conflict do nothing`.execute(tx)
  const grants = await tx
    .selectFrom('oauth_grant')
    .innerJoin('membership', (join) =>
      join
        .onRef('membership.account_id', '=', 'oauth_grant.account_id')
        .onRef('membership.organization_id', '=', 'oauth_grant.organization_id'),
    )
    .select('oauth_grant.id')
    .where('oauth_grant.organization_id', '=', organizationId)
    .where('oauth_grant.identity_provider_id', 'is', null)
    .where('membership.own_sign_in_at', 'is', null)
    .execute()
  for (const { id } of grants) await endGrants(tx, trail, { id }, { actorId, because: 'sign_in_required' })
}
