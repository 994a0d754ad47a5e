import type { Clock, Millis } from '../../core/clock.ts'
import type { Lease } from './lease.ts'

/** The heartbeats that keep a lease, and with it whether this process may claim jobs and begin attempts: it runs, and its lease is good. */
export interface Heartbeat {
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
  /** Renews the lease, or takes a new name where it has expired. */
  beat(): Promise<void>
  /** Sets the only listener of changes of the lease. */
  listen(listener: HeartbeatListener): void
}

interface HeartbeatListener {
  /** Other workers may have its claimed jobs. */
  onLost: () => void
  /** The worker may work again, under its name or a new one. */
  onRegained: () => Promise<void>
}

interface HeartbeatDeps {
  clock: Clock
  /** The time between two heartbeats. */
  interval: Millis
  lease: Lease
  track: (work: Promise<void>) => void
}

export function createHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const { clock, interval, lease, track } = deps
  let listener: HeartbeatListener = { onLost: () => {}, onRegained: async () => {} }
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
      return !isAway && clock.now() - backAt > interval
    },
    listen(one) {
      listener = one
    },
    async beat() {
      if (!lease.isGood() || !(await reach(lease.renew))) await regain()
    },
  }
}
