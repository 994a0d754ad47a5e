import type { Clock } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { DeliveryStore, DuePage } from '../store/job.ts'
import type { Claims } from './claims.ts'
import type { InHand } from './in-hand.ts'
import type { Lease } from './lease.ts'

interface LookDeps {
  clock: Clock
  store: DeliveryStore
  lease: Lease
  inHand: InHand
  /** Whether this worker may look just now. */
  mayLook: () => boolean
  /** What is claimed and not begun. */
  waiting: () => Id<'delivery'>[]
  /** Forgets what is another's. */
  drop: (ids: Set<Id<'delivery'>>) => void
  /** Resolves when every result under an earlier name is in the table. */
  lapsedAreIn: () => Promise<void>
  /** Is told when a webhook's first delivery that nobody has claimed is due. */
  claims: Pick<Claims, 'notice' | 'nudge'>
  /** Starts what may start. */
  moveOn: () => void
  /** Keeps an eye on work that nobody waits for. */
  track: (work: Promise<void>) => void
}

/** Looks for what is to be done. */
export interface Look {
  /** Looks; while a look is under way, another follows it. */
  now(): Promise<void>
  /** Whether it has seen, at least once, everything that waits in the table. */
  hasSeenAll(): boolean
}

/**
 * Finds what crashed workers left, what other processes wrote, and what this one lost sight of; then moves replays on.
 * One look at a time: two would take each other's deliveries for lost ones.
 */
export function createLook(deps: LookDeps): Look {
  const { clock, store, lease, inHand, claims, mayLook, waiting, drop, lapsedAreIn, moveOn, track } = deps
  let hasSeenAll = false
  let looking: Promise<void> | undefined
  let lookAgain = false
  /** What the clock said at the last look. */
  let lookedAt = Number.POSITIVE_INFINITY
  let correctUntil = 0

  function look(): Promise<void> {
    if (looking !== undefined) {
      lookAgain = true
      return looking
    }
    looking = lookOnce().finally(() => {
      looking = undefined
      if (lookAgain && mayLook()) track(look())
      lookAgain = false
    })
    return looking
  }

  async function lookOnce(): Promise<void> {
    if (!mayLook()) return
    await correct()
    await lapsedAreIn()
    // Without a good name of its own it would free what it has results of.
    if (!mayLook()) return
    await store.freeDead(lease.name, clock.now())
    await agreeOnClaims()
    await lookForDue()
    moveOn()
    // Replays may go on for hours: what others left is looked for in between as often as ever.
    do {
      if (!mayLook()) return
      const { webhooks } = await store.stepReplays(clock.now())
      if (webhooks.length === 0) return
      claims.nudge(webhooks)
      moveOn()
    } while (!lookAgain)
  }

  /**
   * What the clock wrote while it was ahead is not waited for: at the start, and from when it has been set back until all
   * that was on its way or claimed then is in the table.
   */
  async function correct(): Promise<void> {
    const now = clock.now()
    if (now < lookedAt) correctUntil = now + 2 * lease.duration
    lookedAt = now
    if (now < correctUntil) await store.correct(now, now + lease.duration)
  }

  /** A page of webhooks after the other, each of them claimed for as soon as it is known. */
  async function lookForDue(): Promise<void> {
    let page: DuePage = { due: [], after: undefined }
    do {
      page = await store.nextDue(page.after)
      if (!mayLook()) return
      for (const due of page.due) claims.notice(due)
    } while (page.after !== undefined)
    hasSeenAll = true
  }

  /**
   * Frees what this worker has lost sight of, and forgets what is not its own any more: a process whose clock was ahead for a
   * moment took it for dead.
   */
  async function agreeOnClaims(): Promise<void> {
    const claimer = lease.name
    inHand.beginLook()
    const before = waiting()
    const claimed = await store.claimedBy(claimer)
    if (claimer !== lease.name) return
    const ours = new Set(claimed)
    drop(new Set(before.filter((id) => !ours.has(id))))
    const strays = inHand.strays(claimed, clock.now())
    if (strays.length === 0) return
    await store.release(
      claimer,
      strays.map((id) => ({ id })),
    )
  }

  return { now: look, hasSeenAll: () => hasSeenAll }
}
