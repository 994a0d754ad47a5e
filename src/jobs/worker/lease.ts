import { randomUUID } from 'node:crypto'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'

/** The name under which a process claims jobs, and for how long it holds. */
export interface Lease {
  /** '' while there is none. */
  readonly name: string
  /** Whether what was claimed under the name is still this process's. */
  isGood(): boolean
  /** How long a heartbeat holds. */
  readonly duration: Millis
  /** Takes a new name: under the old one nothing may be claimed or sent any more. */
  join(): Promise<void>
  /** A heartbeat. @returns false when it came too late, and the claims may be another's */
  renew(): Promise<boolean>
}

interface LeaseDeps {
  clock: Clock
  store: Pick<JobStore<Job>, 'join' | 'keepAlive'>
  /** How long the name holds after a heartbeat. */
  duration: Millis
  /** Whether other processes may take over; where there is none, a name holds as long as its process. */
  shared: boolean
  newName?: (() => string) | undefined
}

export function createLease({ clock, store, duration, shared, newName = randomUUID }: LeaseDeps): Lease {
  let name = ''
  let goodUntil: Millis = 0
  return {
    get name() {
      return name
    },
    isGood() {
      const now = clock.now()
      // A clock that was set back makes no lease longer.
      goodUntil = Math.min(goodUntil, now + duration)
      return name !== '' && (!shared || now < goodUntil)
    },
    duration,
    async join() {
      name = ''
      const [next, until] = [newName(), clock.now() + duration]
      await store.join(next, until)
      name = next
      goodUntil = until
    },
    async renew() {
      const [renewed, now] = [name, clock.now()]
      const isKept = await store.keepAlive(renewed, now + duration, now)
      if (renewed !== name) return true
      if (isKept) goodUntil = Math.max(goodUntil, now + duration)
      return isKept || !shared
    },
  }
}

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
  /** Tells `listener`, the only one, what becomes of the lease. */
  listen(listener: StandingListener): void
}

interface StandingListener {
  /** All that is in hand may be another's by now. */
  onLost: () => void
  /** It may work again, under its name or a new one. */
  onRegained: () => Promise<void>
}

interface StandingDeps {
  clock: Clock
  /** The time between two heartbeats. */
  heartbeat: Millis
  lease: Lease
  track: (work: Promise<void>) => void
}

export function createStanding(deps: StandingDeps): Standing {
  const { clock, heartbeat, lease, track } = deps
  let listener: StandingListener = { onLost: () => {}, onRegained: async () => {} }
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
        listener.onLost()
        await reach(lease.join)
      }
    } finally {
      isRejoining = false
    }
    await listener.onRegained()
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
    listen(one) {
      listener = one
    },
    async heartbeat() {
      if (!lease.isGood() || !(await reach(lease.renew))) await regain()
    },
  }
}
