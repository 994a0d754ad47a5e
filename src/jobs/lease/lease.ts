import { randomUUID } from 'node:crypto'
import { createBackgroundTasks } from '../../core/background-tasks.ts'
import { type Clock, type Millis, repeat, SECOND } from '../../core/clock.ts'

/** The intervals of a process that does jobs. */
export interface Pace {
  /** How long claims hold after the last heartbeat. A longer attempt may end: its settlement checks the claim. */
  lease: Millis
  heartbeat: Millis
  /** How soon jobs of other processes and of crashed ones are found. */
  poll: Millis
}

export const PACE: Pace = { lease: 40 * SECOND, heartbeat: 10 * SECOND, poll: 2 * SECOND }

/** The rows of the processes that do jobs, one each. */
export interface LeaseStore {
  /** Adds a process whose lease holds until a moment. */
  join(name: string, aliveUntil: Millis): Promise<void>
  /**
   * Extends a lease, an expired one too: claims and parts stay the process's until its row is removed.
   * @returns false when the row is gone and other processes may hold the claims
   */
  keepAlive(name: string, aliveUntil: Millis, now: Millis): Promise<boolean>
  /**
   * Shortens leases that a clock ahead of this one has written.
   * @param latest until when they hold; called as the statement is sent, because the clock may be set ahead while it waits
   */
  correct(latest: () => Millis): Promise<void>
  /**
   * Removes the rows of dead processes. Without a shared database all others are dead.
   * @param mayRemoveExpired whether processes with an expired lease count as dead; else only those that have ended
   * @returns how many: a process that ends well removes its own row
   */
  removeDead(name: string, now: Millis, mayRemoveExpired: boolean): Promise<number>
  /** Removes a row. */
  leave(name: string): Promise<void>
  /** Aborts `correct` and `removeDead`, now and later, so that stopping does not wait for them. */
  interrupt(): void
}

/** A period in which polls search for due times that a fast clock wrote; each clock setback begins another, with a new object. */
export interface CorrectionPeriod {
  /** When no further such moment can be written, because all jobs that were claimed before are in the table again. */
  readonly until: Millis
}

/**
 * The name under which this process claims jobs of all kinds, and its lease. The only place where is decided whether this process
 * may claim and begin attempts, and which other processes are dead.
 */
export interface Lease {
  /** '' while the process has no name. */
  readonly name: string
  /** How long the lease holds after a heartbeat. */
  readonly duration: Millis
  /** Whether claims under the name still hold, and new ones may be made. */
  isGood(): boolean
  /** As `isGood`. Where the lease has expired, it starts to renew it or to take a new name. */
  mayWork(): boolean
  /** Takes the first name, and sends heartbeats from here on. */
  start(): Promise<void>
  /** Takes no new name any more, because the process ends. */
  retire(): void
  /** Ends the heartbeats and gives up the name, once no job is claimed under it. */
  stop(): Promise<void>
  /** Removes the rows of dead processes, once for all kinds that poll at about the same time; their claims are free then. */
  removeDead(): Promise<void>
  readonly correction: CorrectionPeriod
  /** Adds a listener. */
  listen(listener: LeaseListener): void
  /** Adds a listener of the deaths of other processes. */
  onDied(listener: (count: number) => void): void
}

interface LeaseListener {
  /** Other processes may have taken the jobs that were claimed under the name. */
  onLost: () => void
  /** The process may work again, under its name or a new one. */
  onRegained: () => void
}

interface LeaseDeps {
  clock: Clock
  store: LeaseStore
  log: { error(data: object, message: string): void }
  /** Whether other processes may take over; without them a name holds as long as its process. */
  shared: boolean
  pace?: Pace | undefined
  newName?: (() => string) | undefined
}

/** Dead processes are removed once in this time. */
const EVERY: Millis = SECOND

export function createLease(deps: LeaseDeps): Lease {
  const { clock, store, log, shared, pace = PACE, newName = randomUUID } = deps
  const duration = pace.lease
  const { track, ended } = createBackgroundTasks(log, 'lease')
  const listeners: LeaseListener[] = []
  const onDied: ((count: number) => void)[] = []
  let name = ''
  let goodUntil: Millis = 0
  let isRegaining = false
  let isRetired = false
  let endHeartbeats = () => {}
  /** Whether the last heartbeat failed, and when one last succeeded after a failure. */
  let isAway = false
  let backAt = Number.NEGATIVE_INFINITY
  /** When dead processes were removed, and the removal that is under way. */
  let removedAt = Number.POSITIVE_INFINITY
  let removal: Promise<void> | undefined
  let correction: CorrectionPeriod = { until: Number.NEGATIVE_INFINITY }

  function holds(): boolean {
    const now = clock.now()
    // After the clock was set back, the lease does not hold longer than its duration.
    goodUntil = Math.min(goodUntil, now + duration)
    return name !== '' && (!shared || now < goodUntil)
  }

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

  async function join(): Promise<void> {
    const [next, until] = [newName(), clock.now() + duration]
    await store.join(next, until)
    name = next
    goodUntil = until
  }

  /** @returns false when it came too late and other processes may have the claims */
  async function renew(): Promise<boolean> {
    const [renewed, now] = [name, clock.now()]
    const isKept = await store.keepAlive(renewed, now + duration, now)
    if (renewed !== name) return true
    if (isKept) goodUntil = Math.max(goodUntil, now + duration)
    return isKept || !shared
  }

  /**
   * Renews a lease that expired while the process or its connection was interrupted. While its row exists, its claims and attempts
   * are still its own; else other processes may have them, and it takes a new name.
   */
  async function regain(): Promise<void> {
    if (isRegaining || (isRetired && name === '')) return
    isRegaining = true
    try {
      if (name === '' || !(await reach(renew))) {
        for (const { onLost } of listeners) onLost()
        name = ''
        if (isRetired) return
        await reach(join)
      }
    } finally {
      isRegaining = false
    }
    for (const { onRegained } of listeners) onRegained()
  }

  async function beat(): Promise<void> {
    if (!holds() || !(await reach(renew))) await regain()
  }

  /**
   * Whether other processes with an expired lease count as dead. After a failed heartbeat of this process the database may have
   * been away for all, so the others get the time of one heartbeat to renew their leases.
   */
  function mayRemoveExpired(): boolean {
    // After the clock was set back, the wait is not longer than one heartbeat.
    backAt = Math.min(backAt, clock.now())
    return !isAway && clock.now() - backAt > pace.heartbeat
  }

  async function removeDeadOnes(): Promise<void> {
    const now = clock.now()
    if (now < removedAt) correction = { until: now + 2 * duration }
    if (now < correction.until) await store.correct(() => clock.now() + duration)
    if (!isGood()) return
    const died = await store.removeDead(name, clock.now(), mayRemoveExpired())
    removedAt = now
    if (died > 0) for (const listener of onDied) listener(died)
  }

  const isGood = () => !isRegaining && holds()

  return {
    get name() {
      return name
    },
    get correction() {
      return correction
    },
    duration,
    isGood,
    mayWork() {
      if (isRegaining) return false
      if (holds()) return true
      track(regain())
      return false
    },
    async start() {
      await join()
      endHeartbeats = repeat(clock, pace.heartbeat, () => track(beat()))
    },
    retire() {
      isRetired = true
      store.interrupt()
    },
    async stop() {
      isRetired = true
      endHeartbeats()
      await ended()
      if (name !== '') await store.leave(name)
      name = ''
    },
    removeDead() {
      const age = clock.now() - removedAt
      if (removal === undefined && age >= 0 && age < EVERY) return Promise.resolve()
      removal ??= removeDeadOnes().finally(() => {
        removal = undefined
      })
      return removal
    },
    listen: (listener) => void listeners.push(listener),
    onDied: (listener) => void onDied.push(listener),
  }
}
