import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { MINUTE, type Millis, plausible } from '../core/clock.ts'
import { runForOwner } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import type { Rate, RateName, Rates } from '../core/limits.ts'
import { type PlanBook, planOf } from '../core/plans.ts'
import type { Principal } from './principal.ts'

/** The state of a counter after one more request. */
export interface Window {
  count: number
  resetAt: Millis
}

/** Counts in fixed windows: in memory for one process, in the database for several. */
export interface Counter {
  /** Adds `by` (default 1) to `key`. @returns the count in its window */
  add(key: string, windowMs: Millis, now: Millis, by?: number): Promise<Window>
}

/** A rate, and the key that it counts. */
interface Limit {
  name: string
  key: string
  rate: Rate
  /** Counted by each process alone, without a query. */
  isOwn?: true
}

type Count = Limit & Window & { isFull: boolean }

export interface Limiter {
  limit(name: RateName, key: string): Limit
  /**
   * Counts one request against each limit until one is full. Later limits are read but not counted: a refused request
   * uses up nothing more, and the caller learns the longest wait.
   */
  count(limits: Limit[], now: Millis): Promise<Count[]>
  /**
   * Counts several units of one request against limits, as far as each has room.
   * @returns how many are granted, and the seconds until one more would be; 0 where all are
   */
  grant(limits: Limit[], wanted: number, now: Millis): Promise<{ granted: number; retryAfterSeconds: number }>
  /**
   * Counts one request against rates of the table.
   * @throws ApiError RATE_LIMITED with the seconds until a retry can succeed
   */
  take(key: string, names: RateName | RateName[], now: Millis): Promise<void>
  /**
   * As `take`, and counts nothing: for requests that count only once their outcome is known.
   * @throws ApiError RATE_LIMITED
   */
  check(key: string, name: RateName, now: Millis): Promise<void>
}

/** Rates of a route beside the general one: by name, counted per network of the caller. */
export type RouteRates = readonly RateName[]

export function createLimiter(counter: Counter, rates: Rates): Limiter {
  const own = memoryCounter()
  const limiter: Limiter = {
    limit: (name, key) => ({ name, key: `${name}:${key}`, rate: rates[name] }),
    async count(limits, now) {
      const counts: Count[] = []
      let refused = false
      for (const limit of limits) {
        const { max, windowMs } = limit.rate
        const window = await (limit.isOwn ? own : counter).add(limit.key, windowMs, now, refused ? 0 : 1)
        const isFull: boolean = refused ? window.count >= max : window.count > max
        refused ||= isFull
        counts.push({ ...limit, ...window, isFull })
      }
      return counts
    },
    async grant(limits, wanted, now) {
      let granted = wanted
      const counts: Count[] = []
      for (const limit of limits) {
        const { max, windowMs } = limit.rate
        const window = await counter.add(limit.key, windowMs, now, granted)
        granted = Math.min(granted, Math.max(0, max - (window.count - granted)))
        counts.push({ ...limit, ...window, isFull: window.count >= max })
      }
      return { granted, retryAfterSeconds: granted === wanted ? 0 : longestWait(counts, now) }
    },
    async take(key, names, now) {
      const limits = [names].flat().map((name) => limiter.limit(name, key))
      refuseFull(await limiter.count(limits, now), now)
    },
    async check(key, name, now) {
      const limit = limiter.limit(name, key)
      const window = await counter.add(limit.key, limit.rate.windowMs, now, 0)
      refuseFull([{ ...limit, ...window, isFull: window.count >= limit.rate.max }], now)
    },
  }
  return limiter
}

function refuseFull(counts: Count[], now: Millis): void {
  const retryAfterSeconds = longestWait(counts, now)
  if (retryAfterSeconds > 0) throw new ApiError('RATE_LIMITED', { retryAfterSeconds })
}

/** The seconds until no limit is full; 0 where none is. */
function longestWait(counts: Count[], now: Millis): number {
  const waits = counts.filter(({ isFull }) => isFull).map(({ resetAt }) => secondsUntil(resetAt, now))
  return Math.max(0, ...waits)
}

/** Keys in memory above which keys with ended windows are removed. */
const SWEEP_AT = 20_000

export function memoryCounter(windows = new Map<string, Window>()): Counter {
  let sweepAt = SWEEP_AT
  return {
    async add(key, windowMs, now, by = 1) {
      const window = windows.get(key)
      if (window !== undefined && now < plausible(window.resetAt, now, windowMs)) {
        window.count += by
        // A copy, because each concurrent caller must get its own count.
        return { ...window }
      }
      if (windows.size >= sweepAt) {
        for (const [old, { resetAt }] of windows) if (resetAt <= now) windows.delete(old)
        sweepAt = Math.max(SWEEP_AT, windows.size * 2)
      }
      const fresh = { count: by, resetAt: now + windowMs }
      windows.set(key, fresh)
      return { ...fresh }
    },
  }
}

/**
 * Applies the limits of a request and sets their headers (draft-ietf-httpapi-ratelimit-headers): the route's own, and
 * the general one. Callers with an organization count against its plan, all others against their network.
 * @throws ApiError RATE_LIMITED
 */
export async function limitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: Limiter,
  plans: PlanBook,
): Promise<void> {
  const { principal, now } = request
  if (principal.kind === 'operator') return
  const network = networkOf(request.ip)
  const named = (request.routeOptions.config.rates ?? []).map((name) => limiter.limit(name, network))
  const { ownRate } = request.routeOptions.config
  const general = ownRate ? [] : generalLimit(principal, network, limiter, plans)
  const counts = await limiter.count([...named, ...general], now)
  if (counts.length > 0) announce(reply, counts, now)
  refuseFull(counts, now)
}

/**
 * Counts a request with invalid credentials against its network, to limit guessing on every route.
 * @throws ApiError RATE_LIMITED
 */
export async function limitStranger({ ip, now }: FastifyRequest, limiter: Limiter): Promise<void> {
  const network = networkOf(ip)
  await runForOwner(network, () => limiter.take(network, 'publicPerIp', now))
}

function generalLimit(
  principal: Exclude<Principal, { kind: 'operator' }>,
  network: string,
  limiter: Limiter,
  plans: PlanBook,
): Limit[] {
  if (principal.kind === 'session') return [limiter.limit('tokenPerSession', principal.sessionId)]
  if (principal.kind === 'nobody' || principal.kind === 'installation')
    return [limiter.limit('publicPerIp', network)]
  const { plan, organizationId } = principal
  const max = planOf(plans, plan).requestsPerMinute
  const ofPlan = { name: plan, key: `plan:${organizationId}`, rate: { max: max ?? 0, windowMs: MINUTE } }
  if (principal.kind !== 'platformKey') return max === null ? [] : [ofPlan]
  const ofKey = limiter.limit('platformKey', principal.actorId)
  // One organization uses at most half of its platform's rate, and a request above its plan uses up nothing.
  const ofOrganization = {
    ...{ name: 'platformKeyPerOrganization', key: `${ofKey.key}:${organizationId}` },
    rate: { ...ofKey.rate, max: Math.ceil(ofKey.rate.max / 2) },
  }
  // An organization that does not exist yet has no rows for its counts.
  if (principal.make !== undefined) return [{ ...ofKey, isOwn: true }]
  return [
    ...(max === null ? [] : [ofPlan]),
    ...[ofOrganization, ofKey].map((one) => ({ ...one, isOwn: true as const })),
  ]
}

function announce(reply: FastifyReply, counts: Count[], now: Millis): void {
  const policies = counts.map(
    ({ name, rate: { max, windowMs } }) => `"${name}";q=${max};w=${Math.ceil(windowMs / 1_000)}`,
  )
  const rests = counts.map(
    ({ name, count, resetAt, rate }) =>
      `"${name}";r=${Math.max(0, rate.max - count)};t=${secondsUntil(resetAt, now)}`,
  )
  reply.header('ratelimit-policy', policies.join(', ')).header('ratelimit', rests.join(', '))
}

/**
 * The owner whose share of common resources a request uses: its organization, its account, or its network; undefined
 * for the operator.
 */
export function shareOwnerOf({ principal, ip }: FastifyRequest): string | undefined {
  switch (principal.kind) {
    case 'account':
    case 'grant':
    case 'apiKey':
      return principal.organizationId
    case 'platformKey':
      return principal.make === undefined ? principal.organizationId : principal.actorId
    case 'session':
      return principal.accountId
    case 'nobody':
      return networkOf(ip)
    default:
      return undefined
  }
}

/** Whole seconds, rounded up so that a retry after them succeeds (RFC 9110 10.2.3). */
export function secondsUntil(moment: Millis, now: Millis): number {
  return Math.max(1, Math.ceil((moment - now) / 1_000))
}

/**
 * The network of one subscriber: an IPv4 address or an IPv6 /64 in one spelling. Unreadable addresses share one key.
 */
export function networkOf(ip: string): string {
  if (isIP(ip) === 4) return ip
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
