import type { Clock, Millis } from '../../core/clock.ts'
import { rebalance } from './rebalance.ts'
import { SHARDS, type Shard, type ShardStore, shardOf } from './shard.ts'

/** What this process owns: only of these lanes it claims, and takes in what is new. */
export interface Shards {
  /** How many; those that it is giving up count until they are given. */
  readonly owned: number
  owns(laneId: string): boolean
  /** Whether all that waited in the table when a lane became its own has been looked at. */
  isSeen(laneId: string): boolean
  /** What it has just now, by number; given to `see` when all of that has been looked at. undefined: everything there is. */
  held(): ReadonlyMap<number, number> | undefined
  see(looked: ReadonlyMap<number, number> | undefined): void
  /** Takes what is free and gives up what is too much, as far as it can just now. One at a time; who asks meanwhile waits for another. */
  balance(): Promise<void>
  /** Something of it is not in hand any more: what is being given up may be clear. */
  stir(): void
  /** Gives up everything: at once what nothing is under way of, and the rest as it ends. */
  retire(): Promise<void>
  /** Under a new name nothing is owned. */
  reset(): void
}

/** What may be asked of the drain; the simulator plants a fault in it. */
export type IsClear = (number: number, busy: ReadonlySet<number>) => boolean

export interface ShardsDeps {
  clock: Clock
  store: ShardStore
  /** The name under which it owns. */
  lease: { readonly name: string; isGood(): boolean }
  /** Lanes of which something is in hand, from its claim to its result in the table, or is being claimed. */
  inHand: () => Iterable<string>
  /** Is told that lanes are being given up: what waits of them is given back, what is under way ends. */
  onGiving: (isGiven: (laneId: string) => boolean) => void
  /** Is told that lanes are another's: nothing of what is remembered of them counts any more. */
  onGone: (isGone: (laneId: string) => boolean) => void
  /** Is told that shards were taken, and how many of them from a worker that died: their backlog waits. */
  onTaken: (takenOver: number) => void
  /** Tells the other processes that there is something to take, or somebody to share with. */
  announce: () => void
  isClear?: IsClear | undefined
}

/** What is being given up is looked at again this soon after something of it has ended. */
const STIR: Millis = 20

const IS_CLEAR: IsClear = (number, busy) => !busy.has(number)

/** For a process that has all work to itself. */
export const ALL_SHARDS: Shards = {
  owned: SHARDS,
  owns: () => true,
  isSeen: () => true,
  held: () => undefined,
  see: () => {},
  balance: async () => {},
  stir: () => {},
  retire: async () => {},
  reset: () => {},
}

export function createShards(deps: ShardsDeps): Shards {
  const { clock, store, lease, inHand, onGiving, onGone, onTaken, announce, isClear = IS_CLEAR } = deps
  /** The shards that the table has under this process's name, with their generations. */
  let held = new Map<number, number>()
  /** Of these, the ones that it is giving up … */
  let giving = new Set<number>()
  /** … and the ones whose backlog it knows. */
  const seen = new Set<number>()
  let balancing: Promise<void> | undefined
  let isAsked = false
  let isStirred = false
  let isRetired = false

  function balance(): Promise<void> {
    if (balancing !== undefined) {
      isAsked = true
      return balancing
    }
    balancing = balanceWhileAsked().finally(() => {
      balancing = undefined
    })
    return balancing
  }

  async function balanceWhileAsked(): Promise<void> {
    do {
      isAsked = false
      await balanceOnce()
    } while (isAsked)
  }

  async function balanceOnce(): Promise<void> {
    const worker = lease.name
    const isOurs = () => worker === lease.name && lease.isGood()
    if (!isOurs()) return
    const { shards, peers } = await store.readHoldings(clock.now())
    if (!isOurs()) return
    adopt(shards, worker)
    const entitled = isRetired ? peers.filter(({ id }) => id !== worker) : peers
    const { take, give } = rebalance(worker, { shards, peers: entitled }, giving)
    begin(give)
    if (giving.size > 0) await giveClear(worker)
    if (take.length > 0 && isOurs()) await takeSome(worker, take)
  }

  /** What the table says is true, whatever became of an answer. */
  function adopt(shards: Shard[], worker: string): void {
    const before = held
    held = new Map(
      shards.filter(({ owner }) => owner === worker).map(({ number, generation }) => [number, generation]),
    )
    for (const number of seen) if (held.get(number) !== before.get(number)) seen.delete(number)
    giving = new Set([...giving].filter((number) => held.has(number)))
    const gone = [...before.keys()].filter((number) => !held.has(number))
    if (gone.length > 0) forget(new Set(gone))
  }

  function begin(give: Shard[]): void {
    const next = new Set(give.map(({ number }) => number))
    const isNew = [...next].some((number) => !giving.has(number))
    giving = next
    if (isNew) onGiving((laneId) => giving.has(shardOf(laneId)))
  }

  /** Gives up those of which nothing is in hand, nor, lost sight of, in the table. */
  async function giveClear(worker: string): Promise<void> {
    const busy = new Set([...inHand()].map(shardOf))
    const clear = [...giving].filter((number) => isClear(number, busy))
    if (clear.length === 0) return
    const claimed = new Set((await store.claimedLanes(worker)).map(shardOf))
    const given = clear.filter((number) => isClear(number, claimed))
    if (given.length === 0 || worker !== lease.name) return
    await store.releaseShards(
      worker,
      given.map((number) => ({ number, owner: worker, generation: held.get(number) ?? 0 })),
    )
    if (worker !== lease.name) return
    for (const number of given) {
      held.delete(number)
      giving.delete(number)
      seen.delete(number)
    }
    forget(new Set(given))
    announce()
  }

  async function takeSome(worker: string, wanted: Shard[]): Promise<void> {
    const taken = new Set(await store.takeShards(worker, wanted))
    if (taken.size === 0 || worker !== lease.name) return
    const of = wanted.filter(({ number }) => taken.has(number))
    for (const { number, generation } of of) held.set(number, generation + 1)
    onTaken(of.filter(({ owner }) => owner !== null).length)
  }

  function forget(numbers: ReadonlySet<number>): void {
    onGone((laneId) => numbers.has(shardOf(laneId)))
  }

  return {
    get owned() {
      return held.size
    },
    owns(laneId) {
      const number = shardOf(laneId)
      return held.has(number) && !giving.has(number)
    },
    isSeen: (laneId) => seen.has(shardOf(laneId)),
    held: () => new Map(held),
    see(looked) {
      for (const [number, generation] of looked ?? []) if (held.get(number) === generation) seen.add(number)
    },
    balance,
    stir() {
      if (giving.size === 0 || isStirred) return
      isStirred = true
      clock.after(STIR, () => {
        isStirred = false
        if (giving.size === 0) return
        // What fails here is tried again with the next look.
        balance().catch(() => {})
      })
    },
    async retire() {
      isRetired = true
      await store.retire(lease.name)
      await balance()
    },
    reset() {
      held = new Map()
      giving = new Set()
      seen.clear()
      onGone(() => true)
    },
  }
}
