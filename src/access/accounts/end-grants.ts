import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/** The grants that end: one, those of an account, of a member in one organization, of a client, of an organization, or of its identity provider. */
interface EndedGrants {
  id?: Id<'grant'> | undefined
  accountId?: Id<'account'> | undefined
  organizationId?: Id<'organization'> | undefined
  clientId?: string | undefined
  identityProviderId?: Id<'identityProvider'> | undefined
}

/**
 * Ends grants of people to clients, with their codes and refresh tokens; their access tokens are refused after the commit. All grants
 * end here, except those that are deleted with the row of their session, account or organization. The caller clears the cache of credentials
 * after the commit, which ends streams, too.
 * @param which the condition of the ended grants; at least one member is given
 * @param because the reason for the audit log; undefined where the entry of a larger end has it
 * @returns how many ended
 */
export async function endGrants(
  tx: Tx,
  trail: Trail,
  { id, accountId, organizationId, clientId, identityProviderId }: EndedGrants,
  { actorId, because }: { actorId: string | null; because?: string | undefined },
): Promise<number> {
  const chosen = [id, accountId, organizationId, clientId, identityProviderId].filter(
    (one) => one !== undefined,
  )
  if (chosen.length === 0) throw new Error('grants are ended by what they have in common')
  const ended = await tx
    .deleteFrom('oauth_grant')
    .$if(id !== undefined, (query) => query.where('id', '=', id as Id<'grant'>))
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as Id<'account'>))
    .$if(organizationId !== undefined, (query) =>
      query.where('organization_id', '=', organizationId as Id<'organization'>),
    )
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId as string))
    .$if(identityProviderId !== undefined, (query) =>
      query.where('identity_provider_id', '=', identityProviderId as Id<'identityProvider'>),
    )
    .returning(['id', 'account_id', 'organization_id', 'client_name'])
    .execute()
  if (ended.length === 0) return 0
  await tx
    .deleteFrom('oauth_record')
    .where(
      'grant_id',
      'in',
      ended.map((grant) => grant.id),
    )
    .execute()
  for (const grant of ended)
    await audit(tx, trail, {
      action: 'grant.ended',
      organizationId: grant.organization_id,
      accountId: grant.account_id,
      actorId,
      targetId: grant.id,
      details: { client: grant.client_name, ...(because === undefined ? {} : { because }) },
    })
  return ended.length
}
