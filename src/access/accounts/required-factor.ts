import { type RawBuilder, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'

/** The requirement of an organization for a member, from their rows. */
export interface FactorDemand {
  /** The moment from which it requires a second factor of its members; null: never. */
  second_factor_from: Millis | null
  /** The time that a member then has to add one, or has after joining; null: none. */
  second_factor_grace: Millis | null
  joined_at: Millis
}

/**
 * The moment from which a member without a second factor gets no token of the organization. The grace period of the organization begins
 * with its requirement or with the joining, whichever is later. The requirement of the installation has no grace period, so that no
 * organization can postpone it. The earlier moment counts. The session always lets the person add a factor.
 * @param everywhere the moment from which the installation requires one; undefined: never
 * @returns null where none is required
 */
export function factorDueAt(
  { second_factor_from, second_factor_grace, joined_at }: FactorDemand,
  everywhere: Millis | undefined,
  now: Millis,
): Millis | null {
  // A joining in the future comes from a wrong clock, and would extend the grace period without end.
  const joined = joined_at <= now ? joined_at : 0
  const ofOrganization =
    second_factor_from === null ? [] : [Math.max(second_factor_from, joined) + (second_factor_grace ?? 0)]
  const all = [...ofOrganization, ...(everywhere === undefined ? [] : [Math.max(everywhere, joined)])]
  return all.length === 0 ? null : Math.min(...all)
}

/** Whether a member needs a second factor now to get a token of the organization. */
export function isFactorDue(demand: FactorDemand, everywhere: Millis | undefined, now: Millis): boolean {
  const due = factorDueAt(demand, everywhere, now)
  return due !== null && due <= now
}

/** Whether the organization's identity provider has vouched for a second factor: in a session, and for a grant. */
export const bySession = sql<boolean>`(session.identity_provider_id is not null and session.factor_at is not null)`
export const byGrant = sql<boolean>`(oauth_grant.provider_factor = 1)`

/**
 * The condition of `isFactorDue` for a query of `account`, `membership` and `organization`: the account has the required second factor, or
 * needs none yet.
 * @param vouched the condition that the organization's identity provider has confirmed one
 */
export function hasRequiredFactor(
  everywhere: Millis | undefined,
  now: Millis,
  vouched: RawBuilder<boolean>,
): RawBuilder<boolean> {
  const grace = sql`coalesce(organization.second_factor_grace, 0)`
  const isRequiredEverywhere = everywhere !== undefined && everywhere <= now
  if (isRequiredEverywhere) return sql<boolean>`(account.second_factors > 0 or ${vouched})`
  return sql<boolean>`(account.second_factors > 0 or ${vouched}
    or organization.second_factor_from is null or organization.second_factor_from + ${grace} > ${now}
    or (membership.created_at <= ${now} and membership.created_at + ${grace} > ${now}))`
}
