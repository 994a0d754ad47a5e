import { createBatcher } from '../../core/batcher.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { DuePage, JobStore } from '../job-store.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { Claims } from './claims.ts'
import type { InHand } from './in-hand.ts'
import type { Lease } from './lease.ts'

interface PollDeps<J extends Job> {
  clock: Clock
  store: Pick<
    JobStore<J>,
    'correct' | 'correctDue' | 'freeDead' | 'nextDue' | 'claimedBy' | 'release' | 'interrupt'
  >
  lease: Lease
  inHand: InHand<J>
  ownership: Pick<Ownership, 'agree'>
  /** Whether this worker may poll just now. */
  mayPoll: () => boolean
  /** Whether workers whose lease has passed count as dead. */
  mayFreeExpired: () => boolean
  /** What is claimed and not begun. */
  waiting: () => J['id'][]
  /** Forgets what is another's. */
  drop: (ids: Set<J['id']>) => void
  /** Is told when a lane's first job that nobody has claimed is due. */
  claims: Pick<Claims<J>, 'notice' | 'nudge'>
  /**
   * Makes some more of the jobs that others stand for, a replay for instance. @returns the lanes that have new ones; while
   * there are any, there may be more to do
   */
  makeMore: (now: Millis) => Promise<J['laneId'][]>
  /** Starts what may start. */
  moveOn: () => void
  /** Keeps an eye on work that nobody waits for. */
  track: (work: Promise<void>) => void
}

/** After what is due has been read, it rests for so many times as long as that took … */
const REST = 4
/** … but no longer than this. */
const LONGEST_REST: Millis = 10 * SECOND
/** After what waits was gone through for moments of a wrong clock, the same: no more than a hundredth of the time is for that. */
const REST_OF_CORRECTION = 100

/** Asks the table what is to be done. */
export interface Poll {
  /**
   * Asks for a poll that reads what is due: the one under way where it has yet to begin reading, else the next one.
   * @returns resolves when that poll has ended
   */
  now(): Promise<void>
  /** The same because it is time. Where very many lanes have something that waits, they are not read each time. */
  regularly(): Promise<void>
  /** Ends the one that is under way. */
  stop(): void
  /** Whether it has seen, at least once, everything that waits in the table. */
  hasSeenAll(): boolean
}

/**
 * Finds what crashed workers left, what other processes wrote, and what this one lost sight of; then lets more be made.
 * One poll at a time: two would take each other's jobs for lost ones.
 */
export function createPoll<J extends Job>(deps: PollDeps<J>): Poll {
  const {
    clock,
    store,
    lease,
    inHand,
    ownership,
    claims,
    mayPoll,
    mayFreeExpired,
    waiting,
    drop,
    makeMore,
    moveOn,
    track,
  } = deps
  let hasSeenAll = false
  let isOver = false
  /** What the clock said at the last poll. */
  let polledAt = Number.POSITIVE_INFINITY
  let correctUntil = 0
  /** Whether something may wait for a moment of a clock that was wrong, and when that is looked for next. */
  let isToCorrect = false
  let correctAt: Millis = 0
  let isCorrecting = false
  /** Whether the next poll must read what is due, also where it would rest from that. */
  let isToRead = true
  let restsUntil: Millis = 0

  /** A poll answers requests that arrive before it reads what is due. Where it fails before, another answers them. */
  const polls = createBatcher<true>(async (take) => {
    take()
    await pollOnce(() => void take()).catch(unlessOver)
    return undefined
  })

  /** What fails because it was ended is no trouble. */
  function unlessOver(error: unknown): void {
    if (!isOver) throw error
  }

  /** @param beforeRead is called before what is due is read: later requests ask for another poll */
  async function pollOnce(beforeRead: () => void): Promise<void> {
    let name: string
    do {
      if (!mayPoll()) return
      name = lease.name
      await correct()
      if (!mayPoll()) return
      await store.freeDead(lease.name, clock.now(), mayFreeExpired())
      // Claims of dead workers are free now, so their older jobs go before those that came later.
      await ownership.agree()
      await agreeOnClaims()
      // Parts and claims of an earlier name do not hold for the present one.
    } while (lease.name !== name)
    beforeRead()
    if (isToRead || !rests()) await readAll()
    moveOn()
    // That may go on for hours: what others left is looked for in between as often as ever.
    do {
      if (!mayPoll()) return
      const lanes = await makeMore(clock.now())
      if (lanes.length === 0) return
      claims.nudge(lanes)
      moveOn()
    } while (polls.waiting === 0)
  }

  /**
   * What the clock wrote while it was ahead is not waited for: at the start, and from when it has been set back until all
   * that was on its way or claimed then is in the table.
   */
  async function correct(): Promise<void> {
    const now = clock.now()
    if (now < polledAt) {
      correctUntil = now + 2 * lease.duration
      correctAt = now
      isToCorrect = true
    }
    polledAt = now
    if (isToCorrect && now >= correctAt && !isCorrecting) track(correctDue(now).catch(unlessOver))
    if (now < correctUntil) await store.correct(now + lease.duration)
  }

  /** Beside what a poll does, for that does not wait: there may be millions. The last time is when nothing more can come. */
  async function correctDue(begun: Millis): Promise<void> {
    isCorrecting = true
    try {
      claims.nudge(await store.correctDue(begun))
      isToCorrect = begun < correctUntil || clock.now() < begun
    } finally {
      isCorrecting = false
      const end = clock.now()
      correctAt = end + Math.min(REST_OF_CORRECTION * Math.max(0, end - begun), lease.duration)
    }
  }

  async function readAll(): Promise<void> {
    const begun = clock.now()
    isToRead = false
    let isRead = false
    try {
      isRead = await readDue()
    } finally {
      if (!isRead) isToRead = true
    }
    const end = clock.now()
    restsUntil = end + Math.min(REST * Math.max(0, end - begun), LONGEST_REST)
  }

  /** A page of its lanes after the other, each of them claimed for as soon as it is known. @returns whether it came to the end */
  async function readDue(): Promise<boolean> {
    let page: DuePage<J> = { due: [], after: undefined }
    do {
      page = await store.nextDue(page.after)
      if (!mayPoll()) return false
      for (const due of page.due) claims.notice(due)
    } while (page.after !== undefined)
    hasSeenAll = true
    return true
  }

  /** A clock that was set back makes it no longer. */
  function rests(): boolean {
    const now = clock.now()
    restsUntil = Math.min(restsUntil, now + LONGEST_REST)
    return now < restsUntil
  }

  /**
   * Frees what this worker has lost sight of, and forgets what is not its own any more: a process whose clock was ahead for a
   * moment took it for dead.
   */
  async function agreeOnClaims(): Promise<void> {
    const claimer = lease.name
    inHand.beginPoll()
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

  return {
    now() {
      isToRead = true
      return polls.add(true)
    },
    regularly: () => polls.add(true),
    stop() {
      isOver = true
      store.interrupt()
    },
    hasSeenAll: () => hasSeenAll,
  }
}
