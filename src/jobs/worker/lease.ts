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
