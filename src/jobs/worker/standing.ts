import type { Lease } from './lease.ts'

/** Whether this process may claim and begin: it runs, and has a name whose lease is good. */
export interface Standing {
  readonly isRunning: boolean
  /** Takes the first name. */
  start(): Promise<void>
  /** Nothing is begun any more. */
  stop(): void
  /** Whether it may now; one whose lease has passed takes a new name first. */
  mayWork(): boolean
  /** Whether what is born now may be born under its name. */
  isGood(): boolean
  heartbeat(): Promise<void>
}

interface StandingDeps {
  lease: Lease
  /** Forgets all that is in hand: it may be another's by now. */
  forget: () => void
  /** It has a new name. */
  onRejoined: () => Promise<void>
  track: (work: Promise<void>) => void
}

export function createStanding({ lease, forget, onRejoined, track }: StandingDeps): Standing {
  let isRunning = false
  let isRejoining = false

  /** Life was interrupted for longer than the lease. */
  async function rejoin(): Promise<void> {
    if (isRejoining) return
    isRejoining = true
    try {
      forget()
      await lease.join()
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
      track(rejoin())
      return false
    },
    isGood: () => isRunning && !isRejoining && lease.isGood(),
    async heartbeat() {
      if (!(await lease.renew())) await rejoin()
    },
  }
}
