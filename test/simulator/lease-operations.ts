import { DAY, HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import type { Job } from '#src/jobs/job.ts'
import type { JobStore } from '#src/jobs/job-store.ts'
import { type Holdings, type Shard, type ShardStore, shardOf } from '#src/jobs/shards/shard.ts'
import type { Dice } from './world.ts'

type LeaseStore = Pick<
  JobStore<Job>,
  'join' | 'correct' | 'correctDue' | 'keepAlive' | 'freeDead' | 'leave'
> & {
  shards?: ShardStore
}

interface LeaseOperationsDeps {
  dice: Dice
  clock: { now: Millis }
  /** Does the same with a store and with its model. */
  both: <T>(work: (store: LeaseStore) => Promise<T>) => Promise<T>
  /** The lanes that there are. */
  lanes: () => string[]
}

/** What workers of any kind of job do by chance, for a test that compares a store with its model. */
export interface LeaseOperations {
  /** One of those that have ever joined; sometimes at the very moment at which its time has passed. */
  someone(): string
  /** The one that joined last: more often alive than others. */
  newest(): string
  /** Takes shards by chance. */
  take(name: string): Promise<void>
  operations: Record<string, () => Promise<unknown>>
}

export function createLeaseOperations({ dice, clock, both, lanes }: LeaseOperationsDeps): LeaseOperations {
  const workers: string[] = []
  const lives = new Map<string, Millis>()
  let holdings: Holdings | undefined

  function someone(): string {
    const worker = dice.pick(workers)
    const until = lives.get(worker) ?? 0
    if (dice.chance(0.1) && Math.abs(until - clock.now) < 2 * HOUR) clock.now = until
    return worker
  }

  const read = (): Promise<Holdings> =>
    both(async ({ shards }) => (await shards?.readHoldings(clock.now)) ?? { shards: [], peers: [] })

  /** Shards by chance, most of them those of the lanes; as they are, or as they were a while ago. */
  async function some(): Promise<Shard[]> {
    if (holdings === undefined || dice.chance(0.7)) holdings = await read()
    const ours = new Set(lanes().map(shardOf))
    return holdings.shards.filter(({ number }) => dice.chance(ours.has(number) ? 0.8 : 0.02))
  }

  async function take(name: string): Promise<void> {
    const chosen = await some()
    await both(async ({ shards }) => shards?.takeShards(name, chosen))
  }

  return {
    someone,
    newest: () => workers.at(-1) ?? '',
    take,
    operations: {
      async join() {
        const name = `w${workers.length + 1}`
        workers.push(name)
        const until = clock.now + dice.pick([MINUTE, HOUR, 7 * DAY])
        lives.set(name, until)
        await both((store) => store.join(name, until))
        await take(name)
      },
      async correct() {
        const until = clock.now + dice.pick([MINUTE, HOUR])
        await both((store) => store.correct(until))
        return both(async (store) => (await store.correctDue(clock.now)).sort())
      },
      async keepAlive() {
        const worker = someone()
        const until = clock.now + dice.pick([SECOND, MINUTE])
        const isKept = await both((store) => store.keepAlive(worker, until, clock.now))
        if (isKept) lives.set(worker, Math.max(until, lives.get(worker) ?? 0))
      },
      freeDead() {
        const worker = someone()
        const mayFreeExpired = dice.chance(0.8)
        return both((store) => store.freeDead(worker, clock.now, mayFreeExpired))
      },
      readHoldings: read,
      take: () => take(someone()),
      async releaseShards() {
        const [worker, chosen] = [someone(), await some()]
        await both(async ({ shards }) => shards?.releaseShards(worker, chosen))
      },
      retire() {
        const worker = someone()
        return dice.chance(0.1) ? both(async ({ shards }) => shards?.retire(worker)) : Promise.resolve()
      },
      claimedLanes() {
        const worker = someone()
        return both(async ({ shards }) => shards?.claimedLanes(worker))
      },
      leave() {
        const worker = someone()
        return both((store) => store.leave(worker))
      },
    },
  }
}
