import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { MINUTE, type Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { PLANS, type Rate, type RateName, type Rates } from '../core/limits.ts'

/** What one more request does to a counter. */
export interface Window {
  count: number
  resetAt: Millis
}

/** Counts in fixed windows; in memory for one process, in the database for many. */
export interface Counter {
  /** Adds one to `key` and tells how many there are in its window. */
  add(key: string, windowMs: Millis, now: Millis): Promise<Window>
}

export interface Limiter {
  readonly counter: Counter
  /**
   * Counts one request against a rate of the table.
   * @throws ApiError RATE_LIMITED with the seconds after which a retry works
   */
  take(key: string, name: RateName, now: Millis): Promise<Window & { rate: Rate }>
}

/** Rates of a route beside the general one: by name, counted by the caller's network. */
export type RouteRates = readonly RateName[]

export function createLimiter(counter: Counter, rates: Rates): Limiter {
  return {
    counter,
    async take(key, name, now) {
      const rate = rates[name]
      const window = await counter.add(`${name}:${key}`, rate.windowMs, now)
      if (window.count > rate.max)
        throw new ApiError('RATE_LIMITED', { retryAfterSeconds: secondsUntil(window.resetAt, now) })
      return { ...window, rate }
    },
  }
}

/** Keys a counter in memory may hold before those whose window has ended are dropped. */
const SWEEP_AT = 20_000

export function memoryCounter(): Counter {
  const windows = new Map<string, Window>()
  let sweepAt = SWEEP_AT
  return {
    async add(key, windowMs, now) {
      const window = windows.get(key)
      if (window !== undefined && now < window.resetAt) {
        window.count += 1
        // A copy: callers that asked at the same moment must each read their own count.
        return { ...window }
      }
      if (windows.size >= sweepAt) {
        for (const [old, { resetAt }] of windows) if (resetAt <= now) windows.delete(old)
        sweepAt = Math.max(SWEEP_AT, windows.size * 2)
      }
      const fresh = { count: 1, resetAt: now + windowMs }
      windows.set(key, fresh)
      return { ...fresh }
    },
  }
}

/**
 * The general limit of a request, with its headers (draft-ietf-httpapi-ratelimit-headers): callers with an
 * organization count against its plan, everybody else against their network.
 * @throws ApiError RATE_LIMITED
 */
export async function limitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: Limiter,
): Promise<void> {
  const { principal, now } = request
  if (principal.kind === 'operator') return
  const network = networkOf(request.ip)
  for (const name of request.routeOptions.config.rates ?? []) {
    announce(reply, name, await limiter.take(network, name, now), now)
  }
  if (principal.kind === 'session') {
    announce(reply, 'session', await limiter.take(principal.sessionId, 'tokenPerSession', now), now)
    return
  }
  if (principal.kind === 'nobody') {
    announce(reply, 'address', await limiter.take(network, 'publicPerIp', now), now)
    return
  }
  const max = PLANS[principal.plan]
  if (max === null) return
  const rate = { max, windowMs: MINUTE }
  const window = await limiter.counter.add(`plan:${principal.organizationId}`, rate.windowMs, now)
  announce(reply, principal.plan, { ...window, rate }, now)
  if (window.count > max)
    throw new ApiError('RATE_LIMITED', { retryAfterSeconds: secondsUntil(window.resetAt, now) })
}

function announce(
  reply: FastifyReply,
  name: string,
  { count, resetAt, rate }: Window & { rate: Rate },
  now: Millis,
): void {
  reply.header('ratelimit-policy', `"${name}";q=${rate.max};w=${Math.ceil(rate.windowMs / 1_000)}`)
  reply.header('ratelimit', `"${name}";r=${Math.max(0, rate.max - count)};t=${secondsUntil(resetAt, now)}`)
}

/** Whole seconds, rounded up: a retry after them works (RFC 9110 10.2.3). */
export function secondsUntil(moment: Millis, now: Millis): number {
  return Math.max(1, Math.ceil((moment - now) / 1_000))
}

/**
 * What one subscriber holds: an IPv4 address or an IPv6 /64, however it was written; an address that cannot
 * be read shares one bucket with all others of its kind.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
