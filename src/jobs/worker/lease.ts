import { randomUUID } from 'node:crypto'
import type { Clock, Millis } from '../../core/clock.ts'
import type { Job } from '../job.ts'
import type { JobStore } from '../job-store.ts'

/** The name under which a process claims jobs, and its lease. */
export interface Lease {
  /** '' while the process has no name. */
  readonly name: string
  /** Whether claims under the name still hold. */
  isGood(): boolean
  /** How long the lease holds after a heartbeat. */
  readonly duration: Millis
  /** Takes a new name; the old one may not claim or send any more. */
  join(): Promise<void>
  /** Sends a heartbeat. @returns false when it came too late and other workers may have the claims */
  renew(): Promise<boolean>
}

interface LeaseDeps {
  clock: Clock
  store: Pick<JobStore<Job>, 'join' | 'keepAlive'>
  /** How long the lease holds after a heartbeat. */
  duration: Millis
  /** Whether other processes may take over; without them a name holds as long as its process. */
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
      // After the clock was set back, the lease does not hold longer than its duration.
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

/** Whether this process may claim jobs and begin attempts: it runs, and its lease is good. */
export interface Standing {
  readonly isRunning: boolean
  /** Takes the first name. */
  start(): Promise<void>
  /** Begins nothing any more. */
  stop(): void
  /** Whether it may work now. Where the lease has expired, it starts to renew it or to take a new name. */
  mayWork(): boolean
  /**
   * Whether other workers with an expired lease count as dead. After a failed heartbeat of this process the database may have been
   * away for all, so the others get the time of one heartbeat to renew their leases.
   */
  mayFreeExpired(): boolean
  /** Whether new jobs may be claimed under its name now. */
  isGood(): boolean
  heartbeat(): Promise<void>
  /** Sets the only listener of changes of the lease. */
  listen(listener: StandingListener): void
}

interface StandingListener {
  /** Other workers may have the jobs in hand. */
  onLost: () => void
  /** The worker may work again, under its name or a new one. */
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
  /** Whether the last heartbeat failed, and when one last succeeded after a failure. */
  let isAway = false
  let backAt = Number.NEGATIVE_INFINITY

  /** @returns the result of `write`; notes whether the database answered */
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
   * Renews a lease that expired while the process or its connection was interrupted. While the worker's row exists, its claims and
   * attempts are still its own; else other workers may have them, and it takes a new name.
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
      // After the clock was set back, the wait is not longer than one heartbeat.
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
