import { sql } from 'kysely'
import { ApiError } from '../../core/errors.ts'
import type { Principal, SessionMembership } from '../../http/principal.ts'
import { organizationSignInRequired } from '../accounts/sign-in-required.ts'

/** An exception from a required sign-in counts with a second factor, which `shown` says was shown. */
const isException = (shown: ReturnType<typeof sql<boolean>>) =>
  sql<boolean>`(membership.own_sign_in_at is not null and account.second_factors > 0 and ${shown})`

/**
 * The condition that a session opens an organization, of a query of `session`, `account`, `membership` and `organization`: one that
 * an organization's identity provider began opens that one alone; a person's own opens those that do not require their
 * identity provider, and those that have named the person as an exception, once a second factor was shown.
 */
export const sessionOpens = sql<boolean>`(case when session.bound_organization_id is not null
  then session.bound_organization_id = organization.id
  else organization.sign_in_required_at is null or ${isException(sql<boolean>`session.factor_at is not null`)} end)`

/** The same of a grant, for a query of `oauth_grant`, `account`, `membership` and `organization`. */
export const grantOpens = sql<boolean>`(oauth_grant.identity_provider_id is not null
  or organization.sign_in_required_at is null or ${isException(sql<boolean>`true`)})`

type SignedIn = Pick<
  Extract<Principal, { kind: 'session' }>,
  'secondFactors' | 'hasShownFactor' | 'identityProviderId'
>

/** Whether an organization asks for a sign-in by its identity provider instead of the one that began the session. */
export function lacksSignIn(
  { secondFactors, hasShownFactor, identityProviderId }: SignedIn,
  { sign_in_required_at, own_sign_in_at }: Pick<SessionMembership, 'sign_in_required_at' | 'own_sign_in_at'>,
): boolean {
  if (identityProviderId !== null || sign_in_required_at === null) return false
  return own_sign_in_at === null || secondFactors === 0 || !hasShownFactor
}

/** The refusal of a session that lacks the sign-in of the organization: an exception from it has to show a second factor. */
export function signInRefusal({
  organization_id,
  own_sign_in_at,
}: Pick<SessionMembership, 'organization_id' | 'own_sign_in_at'>): ApiError<'FORBIDDEN'> {
  if (own_sign_in_at !== null) return new ApiError('FORBIDDEN', { reason: 'second_factor_required' })
  return organizationSignInRequired(organization_id)
}
