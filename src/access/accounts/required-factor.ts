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
 * From when on a member gets no token of the organization without a second factor: the grace of the organization after the
 * requirement began, or after the person joined, whichever is later. Until then, and afterwards, a session lets the person add one.
 * @param everywhere from when the installation requires one; undefined: it does not
 * @returns null where none is required
 */
export function factorDueAt(
  { second_factor_from, second_factor_grace, joined_at }: FactorDemand,
  everywhere: Millis | undefined,
  now: Millis,
): Millis | null {
  const begins = [second_factor_from, everywhere].filter((from) => typeof from === 'number')
  if (begins.length === 0) return null
  const from = Math.min(...begins)
  // A joining that is ahead was noted by a clock that was wrong, and would give time without an end.
  const since = joined_at <= now ? Math.max(from, joined_at) : from
  return since + (second_factor_grace ?? 0)
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
  const isYetToCome =
    everywhere === undefined ? sql<boolean>`true` : sql<boolean>`${everywhere} + ${grace} > ${now}`
  return sql<boolean>`(account.second_factors > 0 or ${vouched}
    or (membership.created_at <= ${now} and membership.created_at + ${grace} > ${now})
    or ((organization.second_factor_from is null or organization.second_factor_from + ${grace} > ${now}) and ${isYetToCome}))`
}
