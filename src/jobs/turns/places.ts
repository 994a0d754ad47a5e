import { type Millis, SECOND } from '../../core/clock.ts'
import { createShares } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'

type Organization = Id<'organization'>

/** Attempts under way at once in one process, all organizations together. */
export const MOST_IN_FLIGHT = 1_000
/** Tests under way at once of one organization. */
export const MOST_TESTS = 10
/** One place of so many in a share is kept for tests. */
const KEPT_OF = 10

/** A test that may begin, and must be ended; or the seconds after which another try finds a place. */
export type TestPlace = { end(): void } | { retryAfterSeconds: number }

/**
 * The places for attempts, shared out among organizations. Some of each share are kept for the tests that people make by
 * hand, so that jobs which hang leave room for them.
 */
export interface Places {
  /** How many there are. */
  readonly most: number
  /** Attempts under way, tests included. */
  readonly taken: number
  /** Whether nobody's job may be attempted now. */
  readonly areUsedUp: boolean
  /** How many more jobs of an organization may be attempted now. */
  room(organizationId: Organization): number
  /** Of its places, how many may be given to lanes that have not ended well of late: half. */
  trials(organizationId: Organization): number
  take(organizationId: Organization): void
  give(organizationId: Organization): void
  beginTest(organizationId: Organization, now: Millis): TestPlace
}

interface PlacesDeps {
  /** How long an attempt takes at most. */
  longest: Millis
  /** How many places there are. */
  most?: number
  /** Whether some of each share are kept for tests; unless said, they are. */
  isTested?: boolean | undefined
}

export function createPlaces({ longest, most = MOST_IN_FLIGHT, isTested = true }: PlacesDeps): Places {
  const shares = createShares<Organization>(most)
  /** When the tests that are under way began, the oldest first. */
  const tests = new Map<Organization, Millis[]>()

  /** Places of its share that jobs leave to tests; those with which tests are under way are used already. */
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
        // One that is under way has ended by then, of tests or of jobs.
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
