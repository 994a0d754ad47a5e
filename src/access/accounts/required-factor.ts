import { type RawBuilder, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'

/** What an organization asks of a member, as their rows say. */
export interface FactorDemand {
  /** From when it requires a second factor of its members; null: it does not. */
  second_factor_from: Millis | null
  /** How long a member has to add one then, or after joining; null: no time. */
  second_factor_grace: Millis | null
  joined_at: Millis
}

/**
 * From when on a member gets no token of the organization without a second factor. The organization gives its grace after its requirement
 * began, or after the person joined, whichever is later; the requirement of the installation has none, so that no organization puts
 * it off. The earlier of both counts. Until then, and afterwards, a session lets the person add one.
 * @param everywhere from when the installation requires one; undefined: it does not
 * @returns null where none is required
 */
export function factorDueAt(
  { second_factor_from, second_factor_grace, joined_at }: FactorDemand,
  everywhere: Millis | undefined,
  now: Millis,
): Millis | null {
  // A joining that is ahead was noted by a clock that was wrong, and would give time without an end.
  const joined = joined_at <= now ? joined_at : 0
  const ofOrganization =
    second_factor_from === null ? [] : [Math.max(second_factor_from, joined) + (second_factor_grace ?? 0)]
  const all = [...ofOrganization, ...(everywhere === undefined ? [] : [Math.max(everywhere, joined)])]
  return all.length === 0 ? null : Math.min(...all)
}

/** Whether a member needs a second factor by now to get a token of the organization. */
export function isFactorDue(demand: FactorDemand, everywhere: Millis | undefined, now: Millis): boolean {
  const due = factorDueAt(demand, everywhere, now)
  return due !== null && due <= now
}

/** Whether the organization's identity provider has vouched for a second factor: in a session, and for a grant. */
export const bySession = sql<boolean>`(session.identity_provider_id is not null and session.factor_at is not null)`
export const byGrant = sql<boolean>`(oauth_grant.provider_factor = 1)`

/**
 * The condition that an account has the second factor that is due, of a query of `account`, `membership` and `organization`: the same as
 * `isFactorDue` says of one row.
 * @param vouched the condition that the organization's identity provider has vouched for one
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
