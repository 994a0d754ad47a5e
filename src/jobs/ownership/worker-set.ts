import { createHash } from 'node:crypto'

/** A set of workers among which lanes are divided, as one worker has read it from the table. */
export interface WorkerSet {
  /** Equal for equal sets of workers. */
  readonly digest: string
  readonly ids: ReadonlySet<string>
  /** A hash of each worker, which decides its rank for a lane. */
  readonly seeds: ReadonlyMap<string, number>
}

export function workerSetOf(ids: string[]): WorkerSet {
  const sorted = ids.toSorted()
  return {
    digest: createHash('sha256').update(sorted.join()).digest('base64url').slice(0, 16),
    ids: new Set(sorted),
    seeds: new Map(sorted.map((id) => [id, hashOf(id)])),
  }
}

/** The view without workers. */
export const NO_WORKERS: WorkerSet = { digest: '', ids: new Set(), seeds: new Map() }

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/** Spreads the bits of a number evenly (the finalizer of MurmurHash3). */
function mixed(number: number): number {
  let bits = number
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/**
 * The rank of a worker for a lane, by rendezvous hashing: when a worker joins or leaves, the others keep their order.
 * @returns 0 for the owner; -1 for a worker that is not in the view
 */
function rankIn({ seeds }: WorkerSet, worker: string, laneId: string): number {
  const ownSeed = seeds.get(worker)
  if (ownSeed === undefined) return -1
  if (seeds.size === 1) return 0
  const lane = hashOf(laneId)
  const own = mixed(lane ^ ownSeed)
  let rank = 0
  for (const [id, seed] of seeds) {
    const score = mixed(lane ^ seed)
    if (score > own || (score === own && id < worker)) rank += 1
  }
  return rank
}

/** Whether a worker owns a lane by a view. */
export function isFirstIn(view: WorkerSet, worker: string, laneId: string): boolean {
  return rankIn(view, worker, laneId) === 0
}

/**
 * The part of a worker in a lane's attempts at once. The owner has half, because it alone claims jobs in the table; the others
 * share the other half. The parts add up to `cap`, and none shrinks when a worker leaves.
 */
export function partIn(view: WorkerSet, worker: string, laneId: string, cap: number): number {
  const rank = rankIn(view, worker, laneId)
  const { size } = view.seeds
  if (rank < 0) return 0
  if (size === 1) return cap
  const owners = Math.ceil(cap / 2)
  if (rank === 0) return owners
  return Math.max(0, Math.ceil((cap - owners - (rank - 1)) / (size - 1)))
}
