import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'

/** The refusal of every sign-in except that by the organization's identity provider. A client continues with `POST /v1/auth/sign-in/sso`. */
export function organizationSignInRequired(organizationId: Id<'organization'>): ApiError<'FORBIDDEN'> {
  return new ApiError('FORBIDDEN', { reason: 'organization_sign_in_required', organizationId })
}

/**
 * Checks that an invitation to an organization may be accepted by a sign-in of the person's own.
 * @throws ApiError FORBIDDEN `organization_sign_in_required`
 */
export async function mustTakeOwnSignIn(db: Db | Tx, organizationId: Id<'organization'>): Promise<void> {
  const organization = await db
    .selectFrom('organization')
    .select('sign_in_required_at')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (typeof organization?.sign_in_required_at === 'number') throw organizationSignInRequired(organizationId)
}
