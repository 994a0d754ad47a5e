import type { Clock, Millis } from '../../core/clock.ts'
import type { Lease } from './lease.ts'

/** Whether this process may claim and begin: it runs, and has a name whose lease is good. */
export interface Standing {
  readonly isRunning: boolean
  /** Takes the first name. */
  start(): Promise<void>
  /** Nothing is begun any more. */
  stop(): void
  /** Whether it may now; one whose lease has passed renews it first, or takes a new name. */
  mayWork(): boolean
  /**
   * Whether others whose lease has passed count as dead. Where a heartbeat of this process failed, the database may have been
   * away for all: the others have until their next heartbeat to renew theirs.
   */
  mayFreeExpired(): boolean
  /** Whether what is born now may be born under its name. */
  isGood(): boolean
  heartbeat(): Promise<void>
}

interface StandingDeps {
  clock: Clock
  /** The time between two heartbeats. */
  heartbeat: Millis
  lease: Lease
  /** Forgets all that is in hand: it may be another's by now. */
  forget: () => void
  /** It may work again, under its name or a new one. */
  onRejoined: () => Promise<void>
  track: (work: Promise<void>) => void
}

export function createStanding(deps: StandingDeps): Standing {
  const { clock, heartbeat, lease, forget, onRejoined, track } = deps
  let isRunning = false
  let isRejoining = false
  /** Whether the last heartbeat failed, and when one last succeeded after one that had failed. */
  let isAway = false
  let backAt = Number.NEGATIVE_INFINITY

  /** @returns what `write` does; keeps in mind whether the database was there for it */
  async function reach<T>(write: () => Promise<T>): Promise<T> {
    try {
      const written = await write()
      if (isAway) backAt = clock.now()
      isAway = false
      return written
    } catch (error) {
      isAway = true
      throw error
    }
  }

  /**
   * Life, or the way to the database, was interrupted for longer than the lease. While the worker's row is there nothing of its
   * own was taken, and what is in flight stays its own; else all of it may be another's.
   */
  async function regain(): Promise<void> {
    if (isRejoining) return
    isRejoining = true
    try {
      if (lease.name === '' || !(await reach(lease.renew))) {
        forget()
        await reach(lease.join)
      }
    } finally {
      isRejoining = false
    }
    await onRejoined()
  }

  return {
    get isRunning() {
      return isRunning
    },
    async start() {
      await lease.join()
      isRunning = true
    },
    stop() {
      isRunning = false
    },
    mayWork() {
      if (!isRunning || isRejoining) return false
      if (lease.isGood()) return true
      track(regain())
      return false
    },
    isGood: () => isRunning && !isRejoining && lease.isGood(),
    mayFreeExpired() {
      // A clock that was set back makes the wait no longer.
      backAt = Math.min(backAt, clock.now())
      return !isAway && clock.now() - backAt > heartbeat
    },
    async heartbeat() {
      if (!lease.isGood() || !(await reach(lease.renew))) await regain()
    },
  }
}
