import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { RateName } from '../../core/limits.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { callerOf } from '../../http/principal.ts'
import type { Limiter } from '../../http/rate-limit.ts'

/** The rates of an organization, each as a multiple of the plan's requests per minute. */
const RATES_OF_PLAN: [RateName, number][] = [
  ['invitationsPerOrganization', 1],
  ['invitationsPerOrganizationDaily', 5],
]

/**
 * Counts invitations of an organization against what its plan allows, whichever member makes them or has them sent again.
 * @param wanted the number of invitations
 * @returns how many are allowed now, and when the others are
 */
export async function countInvitations(
  { limiter, book }: { limiter: Limiter; book: PlanBook },
  { organizationId, plan }: Pick<ReturnType<typeof callerOf>, 'organizationId' | 'plan'>,
  wanted: number,
  now: Millis,
): Promise<{ granted: number; refusal: ApiError }> {
  const { requestsPerMinute } = planOf(book, plan)
  const limits = RATES_OF_PLAN.map(([name, times]) => {
    const limit = limiter.limit(name, organizationId)
    const max = Math.min(limit.rate.max, (requestsPerMinute ?? Number.POSITIVE_INFINITY) * times)
    return { ...limit, rate: { ...limit.rate, max } }
  })
  const { granted, retryAfterSeconds } = await limiter.grant(limits, wanted, now)
  return { granted, refusal: new ApiError('RATE_LIMITED', { retryAfterSeconds }) }
}

/**
 * As `countInvitations`, for one.
 * @throws ApiError RATE_LIMITED with the seconds after which a retry works
 */
export async function countInvitation(
  ...[deps, caller, now]: [
    Parameters<typeof countInvitations>[0],
    Parameters<typeof countInvitations>[1],
    Millis,
  ]
): Promise<void> {
  const { granted, refusal } = await countInvitations(deps, caller, 1, now)
  if (granted === 0) throw refusal
}
