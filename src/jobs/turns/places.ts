import { type Millis, SECOND } from '../../core/clock.ts'
import { createShares } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'

type Organization = Id<'organization'>

/** Attempts under way at once in one process, all organizations together. */
export const MOST_IN_FLIGHT = 1_000
/** Tests under way at once of one organization. */
export const MOST_TESTS = 10
/** One of this many places in a share is kept for tests. */
const KEPT_OF = 10

/** A test that may begin, with `end` to call when it is over; or the seconds after which another try finds a place. */
export type TestPlace = { end(): void } | { retryAfterSeconds: number }

/**
 * The places for attempts, shared fairly among organizations. Some of each share are kept for the tests that people make by
 * hand, so that hanging jobs leave room for them.
 */
export interface Places {
  /** The number of places. */
  readonly most: number
  /** Attempts under way, tests included. */
  readonly taken: number
  /** Whether no organization may begin an attempt. */
  readonly areUsedUp: boolean
  /** How many more attempts an organization may begin. */
  room(organizationId: Organization): number
  /** How many places of its share lanes on trial may hold: half. */
  trials(organizationId: Organization): number
  take(organizationId: Organization): void
  give(organizationId: Organization): void
  beginTest(organizationId: Organization, now: Millis): TestPlace
}

interface PlacesDeps {
  /** How long an attempt takes at most. */
  longest: Millis
  /** The number of places. */
  most?: number
  /** Whether some places of each share are kept for tests; true unless given. */
  isTested?: boolean | undefined
}

export function createPlaces({ longest, most = MOST_IN_FLIGHT, isTested = true }: PlacesDeps): Places {
  const shares = createShares<Organization>(most)
  /** When the tests under way began, the oldest first. */
  const tests = new Map<Organization, Millis[]>()

  /** Places of a share that are kept for tests, without those that tests hold. */
  function kept(organizationId: Organization): number {
    if (!isTested) return 0
    const most = Math.min(MOST_TESTS, Math.floor(shares.shareOf(organizationId) / KEPT_OF))
    return Math.max(0, most - (tests.get(organizationId)?.length ?? 0))
  }

  return {
    most,
    get taken() {
      return most - shares.free
    },
    get areUsedUp() {
      return shares.isUsedUp
    },
    room: (organizationId) => Math.max(0, shares.room(organizationId) - kept(organizationId)),
    trials: (organizationId) => Math.ceil(shares.shareOf(organizationId) / 2),
    take: (organizationId) => shares.take(organizationId),
    give: (organizationId) => shares.give(organizationId),

    beginTest(organizationId, now) {
      const begun = tests.get(organizationId) ?? []
      const isFull = begun.length >= MOST_TESTS
      if (isFull || shares.room(organizationId) === 0) {
        // By then at least one test or attempt under way has ended.
        const ends = isFull ? Math.min(...begun) + longest : now + longest
        return { retryAfterSeconds: Math.max(1, Math.ceil((ends - now) / SECOND)) }
      }
      shares.take(organizationId)
      tests.set(organizationId, [...begun, now])
      let isOver = false
      return {
        end() {
          if (isOver) return
          isOver = true
          shares.give(organizationId)
          const left = [...(tests.get(organizationId) ?? [])]
          left.splice(left.indexOf(now), 1)
          if (left.length === 0) tests.delete(organizationId)
          else tests.set(organizationId, left)
        },
      }
    },
  }
}
