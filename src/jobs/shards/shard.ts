/** Parts into which all lanes are divided; each has one owner at a time. A number that is never changed: it is in the table. */
export const SHARDS = 256

/**
 * The shard of a lane: a hash of its id (FNV-1a, 32 bits, folded), the same in every process and for ever: that of a webhook
 * stands in its row.
 */
export function shardOf(laneId: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < laneId.length; index += 1)
    hash = Math.imul(hash ^ laneId.charCodeAt(index), 0x01000193)
  return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & (SHARDS - 1)
}

/** A shard as the table has it. */
export interface Shard {
  number: number
  /** The worker that owns it; null, or one that is not in the table of workers any more, where it is free. */
  owner: string | null
  /** One more with each change of the owner: who takes or gives it up names the one that it has seen. */
  generation: number
}

/** A worker as another one sees it. */
export interface Peer {
  id: string
  /** Whether it may own shards: its lease has not run out, and it is not about to end. */
  isEntitled: boolean
}

/** Who owns what, at one moment. */
export interface Holdings {
  shards: Shard[]
  /** Every worker of the table: what one of them owns is not free, whatever is the matter with it. */
  peers: Peer[]
}

/**
 * What owning asks of the store. Each change is guarded by the generation that its maker has seen, so that of two who want
 * one shard one gets it.
 */
export interface ShardStore {
  readHoldings(now: number): Promise<Holdings>
  /** Makes a worker the owner of shards. @returns the numbers of those that it now owns */
  takeShards(workerId: string, shards: Shard[]): Promise<number[]>
  /** Leaves shards that a worker owns to whoever takes them. */
  releaseShards(workerId: string, shards: Shard[]): Promise<void>
  /** Declares that a worker is about to end: it is entitled to nothing more. */
  retire(workerId: string): Promise<void>
  /** The lanes of which a worker has claimed anything. */
  claimedLanes(workerId: string): Promise<string[]>
}
