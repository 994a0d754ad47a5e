import { sql } from 'kysely'
import { ApiError } from '../../core/errors.ts'
import type { Principal, SessionMembership } from '../../http/principal.ts'
import { organizationSignInRequired } from '../accounts/sign-in-required.ts'

/** Whether a person is an exception from a required sign-in and has shown a second factor (`shown`). */
const isException = (shown: ReturnType<typeof sql<boolean>>) =>
  sql<boolean>`(membership.own_sign_in_at is not null and account.second_factors > 0 and ${shown})`

/**
 * The condition that a session gives access to an organization, for a query of `session`, `account`, `membership` and `organization`. A
 * session of an organization's identity provider gives access only to that organization; a person's own, to organizations that do not
 * require their provider, or that except the person after a second factor.
 */
export const sessionOpens = sql<boolean>`(case when session.bound_organization_id is not null
  then session.bound_organization_id = organization.id
  else organization.sign_in_required_at is null or ${isException(sql<boolean>`session.factor_at is not null`)} end)`

/** The same for a grant, in a query of `oauth_grant`, `account`, `membership` and `organization`. */
export const grantOpens = sql<boolean>`(oauth_grant.identity_provider_id is not null
  or organization.sign_in_required_at is null or ${isException(sql<boolean>`true`)})`

type SignedIn = Pick<
  Extract<Principal, { kind: 'session' }>,
  'secondFactors' | 'hasShownFactor' | 'identityProviderId'
>

/** Whether an organization requires a sign-in by its identity provider and the session began otherwise. */
export function lacksSignIn(
  { secondFactors, hasShownFactor, identityProviderId }: SignedIn,
  { sign_in_required_at, own_sign_in_at }: Pick<SessionMembership, 'sign_in_required_at' | 'own_sign_in_at'>,
): boolean {
  if (identityProviderId !== null || sign_in_required_at === null) return false
  return own_sign_in_at === null || secondFactors === 0 || !hasShownFactor
}

/** The refusal of a session without the required sign-in; a person who is an exception is asked for a second factor instead. */
export function signInRefusal({
  organization_id,
  own_sign_in_at,
}: Pick<SessionMembership, 'organization_id' | 'own_sign_in_at'>): ApiError<'FORBIDDEN'> {
  if (own_sign_in_at !== null) return new ApiError('FORBIDDEN', { reason: 'second_factor_required' })
  return organizationSignInRequired(organization_id)
}
