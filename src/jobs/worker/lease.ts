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
