import type { Millis } from '#src/core/clock.ts'
import { SHARDS, type Shard, type ShardStore, shardOf } from '#src/jobs/shards/shard.ts'
import type { Bug } from './bugs.ts'

/** Of a disk what workers and their shards are about, whatever kind of job it holds. */
export interface LeaseDisk {
  rows: ReadonlyMap<string, { laneId: string; claim: string | null }>
  workers: Map<string, Millis>
  /** Workers that are about to end. */
  retired: Set<string>
  shards: Shard[]
}

/** Every shard, without an owner. */
export function freeShards(): Shard[] {
  return Array.from({ length: SHARDS }, (_, number) => ({ number, owner: null, generation: 0 }))
}

/** Whether a worker is the owner of a lane's shard. */
export function isOwner({ shards }: Pick<LeaseDisk, 'shards'>, workerId: string, laneId: string): boolean {
  return shards[shardOf(laneId)]?.owner === workerId
}

/** Who owns what, over the model of a disk. */
export function createModelShards(disk: LeaseDisk, bug?: Bug): ShardStore {
  function change(number: number, owner: string | null): void {
    const before = disk.shards[number]
    if (before !== undefined) disk.shards[number] = { number, owner, generation: before.generation + 1 }
  }
  return {
    async readHoldings(now) {
      return {
        shards: disk.shards.slice(),
        peers: [...disk.workers].map(([id, until]) => ({
          id,
          isEntitled: until > now && !disk.retired.has(id),
        })),
      }
    },
    async takeShards(workerId, shards) {
      if (!disk.workers.has(workerId) || disk.retired.has(workerId)) return []
      const isAsSeen = ({ number, generation }: Shard) => disk.shards[number]?.generation === generation
      const taken = shards.filter((one) => isAsSeen(one) || bug === 'taken without the generation')
      for (const { number } of taken) change(number, workerId)
      return taken.map(({ number }) => number).sort((a, b) => a - b)
    },
    async releaseShards(workerId, shards) {
      for (const { number, generation } of shards) {
        const row = disk.shards[number]
        if (row?.owner === workerId && row.generation === generation) change(number, null)
      }
    },
    async retire(workerId) {
      if (disk.workers.has(workerId)) disk.retired.add(workerId)
    },
    async claimedLanes(workerId) {
      const rows = [...disk.rows.values()].filter(({ claim }) => claim === workerId)
      return [...new Set(rows.map(({ laneId }) => laneId))].sort()
    },
  }
}

/** A worker is gone: what it owned is free, or is found to be. */
export function forgetWorker(disk: LeaseDisk, workerId: string, { leaves }: { leaves: boolean }): void {
  disk.workers.delete(workerId)
  disk.retired.delete(workerId)
  if (!leaves) return
  for (const { number, owner, generation } of disk.shards)
    if (owner === workerId) disk.shards[number] = { number, owner: null, generation: generation + 1 }
}
