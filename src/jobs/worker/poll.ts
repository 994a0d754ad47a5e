import { createBatcher } from '../../core/batcher.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { DuePage, JobStore } from '../job-store.ts'
import type { CorrectionPeriod, Lease } from '../lease/lease.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { ClaimedJobs } from './claimed-jobs.ts'
import type { Claims } from './claims.ts'

interface PollDeps<J extends Job> {
  clock: Clock
  store: Pick<JobStore<J>, 'correctDue' | 'freeLost' | 'nextDue' | 'claimedBy' | 'release' | 'interrupt'>
  lease: Pick<Lease, 'name' | 'duration' | 'removeDead' | 'correction'>
  claimedJobs: ClaimedJobs<J>
  ownership: Pick<Ownership, 'agree'>
  /** Whether this worker may poll now. */
  mayPoll: () => boolean
  /** Claimed jobs that have not begun. */
  waiting: () => J['id'][]
  /** Forgets jobs that other workers have claimed. */
  drop: (ids: Set<J['id']>) => void
  /** Gets the due moments of lanes. */
  claims: Pick<Claims<J>, 'notice' | 'wake'>
  /** As `JobKind.afterPoll`. */
  afterPoll: (now: Millis) => Promise<J['laneId'][]>
  /** Wakes lanes, claims for them and begins attempts. */
  resume: () => void
  /** Logs errors of work that no caller awaits. */
  track: (work: Promise<void>) => void
}

/** After due jobs were read, polls do not read them again for this many times the duration of the read … */
const REST = 4
/** … and for at most this time. */
const LONGEST_REST: Millis = 10 * SECOND
/** As `REST`, for the search for moments of a wrong clock, which takes at most a hundredth of the time. */
const REST_OF_CORRECTION = 100

/** Polls the table for work. */
interface Poll {
  /**
   * Requests a poll that reads due jobs: the present poll if it has not begun to read them, otherwise the next.
   * @returns resolves when that poll has ended
   */
  now(): Promise<void>
  /** Requests a regular poll, which skips the read of due jobs while that would cost too much. */
  regularly(): Promise<void>
  /** Ends the poll under way. */
  stop(): void
  /** Whether a poll has read all waiting jobs at least once. */
  hasSeenAll(): boolean
}

/**
 * Finds jobs of crashed workers, jobs that other processes wrote and stray claims of its own; then the kind does what follows a poll. One
 * poll at a time, because each of two would take the other's jobs for stray ones.
 */
export function createPoll<J extends Job>(deps: PollDeps<J>): Poll {
  const {
    clock,
    store,
    lease,
    claimedJobs,
    ownership,
    claims,
    mayPoll,
    waiting,
    drop,
    afterPoll,
    resume,
    track,
  } = deps
  let hasSeenAll = false
  let isOver = false
  /** The correction that this queue knows; undefined before the first. */
  let correction: CorrectionPeriod | undefined
  /** Whether jobs may wait for a moment of a wrong clock, and when they are searched next. */
  let isToCorrect = false
  let correctAt: Millis = 0
  let isCorrecting = false
  /** Whether the next poll must read due jobs although it would skip the read. */
  let isToRead = true
  let restsUntil: Millis = 0

  /** A poll serves requests that arrive before it reads due jobs. If it fails before, another poll serves them. */
  const polls = createBatcher<true>(async (take) => {
    take()
    await pollOnce(() => void take()).catch(unlessOver)
    return undefined
  })

  /** Ignores errors of statements that `stop` has aborted. */
  function unlessOver(error: unknown): void {
    if (!isOver) throw error
  }

  /** @param beforeRead called before the read of due jobs: later requests need another poll */
  async function pollOnce(beforeRead: () => void): Promise<void> {
    let name: string
    do {
      if (!mayPoll()) return
      name = lease.name
      await lease.removeDead()
      if (!mayPoll()) return
      correct()
      await store.freeLost(clock.now())
      // Claims of dead workers are free now, so their older jobs are claimed before newer ones.
      await ownership.agree()
      await agreeOnClaims()
      // Parts and claims of an earlier name do not hold for the present one.
    } while (lease.name !== name)
    beforeRead()
    if (isToRead || !rests()) await readDue()
    resume()
    // Replays may take hours, so they pause for the next poll.
    do {
      if (!mayPoll()) return
      const lanes = await afterPoll(clock.now())
      if (lanes.length === 0) return
      claims.wake(lanes)
      resume()
    } while (polls.waiting === 0)
  }

  /** Begins a search for moments of a wrong clock, at the start and after the clock was set back. */
  function correct(): void {
    const now = clock.now()
    if (lease.correction !== correction) {
      correction = lease.correction
      correctAt = now
      isToCorrect = true
    }
    if (isToCorrect && now >= correctAt && !isCorrecting) track(correctDue(now).catch(unlessOver))
  }

  /** Runs beside polls, because it may scan millions of jobs. The last run begins when no further such moment can be written. */
  async function correctDue(begun: Millis): Promise<void> {
    isCorrecting = true
    try {
      claims.wake(await store.correctDue(begun))
      isToCorrect = begun < lease.correction.until || clock.now() < begun
    } finally {
      isCorrecting = false
      const end = clock.now()
      correctAt = end + Math.min(REST_OF_CORRECTION * Math.max(0, end - begun), lease.duration)
    }
  }

  /** Reads all pages of due lanes; claims begin with the first page. Unless it reads the last page, the next poll reads again. */
  async function readDue(): Promise<void> {
    const begun = clock.now()
    isToRead = false
    let isRead = false
    try {
      let page: DuePage<J> = { due: [], after: undefined }
      do {
        page = await store.nextDue(page.after)
        if (!mayPoll()) return
        for (const due of page.due) claims.notice(due)
      } while (page.after !== undefined)
      isRead = true
      hasSeenAll = true
    } finally {
      if (!isRead) isToRead = true
    }
    const end = clock.now()
    restsUntil = end + Math.min(REST * Math.max(0, end - begun), LONGEST_REST)
  }

  /** Whether due jobs are not to be read now. After the clock was set back the rest is not longer than `LONGEST_REST`. */
  function rests(): boolean {
    const now = clock.now()
    restsUntil = Math.min(restsUntil, now + LONGEST_REST)
    return now < restsUntil
  }

  /**
   * Frees stray claims of this worker, and forgets jobs that it no longer holds because a process with a wrong clock took it for
   * dead.
   */
  async function agreeOnClaims(): Promise<void> {
    const claimer = lease.name
    claimedJobs.beginPoll()
    const before = waiting()
    const claimed = await store.claimedBy(claimer)
    if (claimer !== lease.name) return
    const ours = new Set(claimed)
    drop(new Set(before.filter((id) => !ours.has(id))))
    const strays = claimedJobs.strays(claimed, clock.now())
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
