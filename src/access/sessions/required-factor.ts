import { type RawBuilder, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'

/**
 * Whether an organization, or the installation, requires a second factor of its members by now. Until the moment that it names they
 * have time to add one; after it they get no token of the organization, while their session lets them add one.
 * @param requiredFrom when the organization began or begins to require it; null: it does not
 * @param everywhere the same of the installation; undefined: it does not
 */
export function isFactorRequired(
  requiredFrom: Millis | null,
  everywhere: Millis | undefined,
  now: Millis,
): boolean {
  return [requiredFrom, everywhere].some((from) => typeof from === 'number' && from <= now)
}

/** Whether the organization's identity provider has vouched for a second factor: in a session, and for a grant. */
export const bySession = sql<boolean>`(session.identity_provider_id is not null and session.factor_at is not null)`
export const byGrant = sql<boolean>`(oauth_grant.provider_factor = 1)`

/**
 * The condition that an account has the second factor that is required of it, of a query of `account` and `organization`.
 * @param vouched the condition that the organization's identity provider has vouched for one
 */
export function hasRequiredFactor(
  everywhere: Millis | undefined,
  now: Millis,
  vouched: RawBuilder<boolean>,
): RawBuilder<boolean> {
  if (isFactorRequired(null, everywhere, now)) return sql<boolean>`(account.second_factors > 0 or ${vouched})`
  return sql<boolean>`(account.second_factors > 0 or organization.second_factor_from is null
    or organization.second_factor_from > ${now} or ${vouched})`
}
