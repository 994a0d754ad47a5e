import { DAY, HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import type { Job } from '#src/jobs/job.ts'
import type { JobStore, OwnershipStore } from '#src/jobs/job-store.ts'
import type { LeaseStore } from '#src/jobs/lease/lease.ts'
import type { Dice } from './world.ts'

/** The stores of jobs and of the leases under which they are claimed. */
type Stores = Pick<JobStore<Job>, 'correctDue' | 'freeLost' | 'giveUp'> & {
  lease: LeaseStore
  ownership?: OwnershipStore
}

interface LeaseOperationsDeps {
  dice: Dice
  clock: { now: Millis }
  /** Does the same with a store and with its model. */
  both: <T>(work: (store: Stores) => Promise<T>) => Promise<T>
}

/** What workers of any kind of job do by chance, for a test that compares a store with its model. */
export interface LeaseOperations {
  /** A random worker that has ever joined; sometimes exactly when its lease expires. */
  someone(): string
  /** The worker that joined last, which is more often alive than others. */
  newest(): string
  operations: Record<string, () => Promise<unknown>>
}

export function createLeaseOperations({ dice, clock, both }: LeaseOperationsDeps): LeaseOperations {
  const workers: string[] = []
  const lives = new Map<string, Millis>()

  function someone(): string {
    const worker = dice.pick(workers)
    const until = lives.get(worker) ?? 0
    if (dice.chance(0.1) && Math.abs(until - clock.now) < 2 * HOUR) clock.now = until
    return worker
  }

  return {
    someone,
    newest: () => workers.at(-1) ?? '',
    operations: {
      async join() {
        const name = `w${workers.length + 1}`
        workers.push(name)
        const until = clock.now + dice.pick([MINUTE, HOUR, 7 * DAY])
        lives.set(name, until)
        await both(({ lease }) => lease.join(name, until))
      },
      async correct() {
        const until = clock.now + dice.pick([MINUTE, HOUR])
        await both(({ lease }) => lease.correct(() => until))
        return both(async (store) => (await store.correctDue(clock.now)).sort())
      },
      async keepAlive() {
        const worker = someone()
        const until = clock.now + dice.pick([SECOND, MINUTE])
        const isKept = await both(({ lease }) => lease.keepAlive(worker, until, clock.now))
        if (isKept) lives.set(worker, Math.max(until, lives.get(worker) ?? 0))
      },
      async removeDead() {
        const worker = someone()
        const mayRemoveExpired = dice.chance(0.8)
        await both(({ lease }) => lease.removeDead(worker, clock.now, mayRemoveExpired))
        if (dice.chance(0.9)) await both((store) => store.freeLost(clock.now))
      },
      readWorkers: () => both(async ({ ownership }) => (await ownership?.readWorkers()) ?? []),
      saveView() {
        const worker = someone()
        const [seen, view] = [dice.pick(['a', 'b']), dice.pick([null, 'a', 'b'])]
        const draining = dice.pick([[], ['whk_a'], ['whk_a', 'whk_b']])
        return both(async ({ ownership }) => ownership?.save(worker, { seen, view, draining }))
      },
      retire() {
        const worker = someone()
        return dice.chance(0.1)
          ? both(async ({ ownership }) => ownership?.save(worker, { isRetired: true }))
          : Promise.resolve()
      },
      claimedLanes() {
        const worker = someone()
        return both(async ({ ownership }) => ownership?.claimedLanes(worker))
      },
      async giveUp() {
        const worker = someone()
        if (dice.chance(0.8)) return
        await both((store) => store.giveUp(worker))
        const parted = { isRetired: true, seen: null, view: null, draining: [] }
        if (dice.chance(0.5)) await both(async ({ ownership }) => ownership?.save(worker, parted))
        if (dice.chance(0.8)) await both(({ lease }) => lease.leave(worker))
      },
    },
  }
}
