import { ApiError } from '../../core/errors.ts'

/** How many webhooks of ours an event has come through: deliveries send it, inbound paths read it. */
export const HOPS_HEADER = 'x-service-hops'

/** Inbound paths that an event may come through: one with more goes in a circle. */
const MOST_HOPS = 5

/**
 * Reads how many webhooks a call from outside has come through. A value that is no number counts as 0: a sender that can write
 * nonsense into the header could also leave it out.
 * @throws ApiError VALIDATION_FAILED when they are too many
 */
export function readHops(header: string | undefined): number {
  // A header that came several times is joined by Node.
  const counts = (header ?? '').split(',').filter((text) => /^\s*\d+\s*$/.test(text))
  const hops = Math.max(0, ...counts.map(Number))
  if (hops <= MOST_HOPS) return hops
  throw new ApiError('VALIDATION_FAILED', { field: 'X-Service-Hops', value: header, reason: 'too_many_hops' })
}
