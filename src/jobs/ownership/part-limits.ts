import type { WorkerRow } from '../job-store.ts'
import { isFirstIn, partIn, type WorkerSet, workerSetOf } from './worker-set.ts'

/** A view that limits the parts of a worker: in all lanes, or in lanes that other workers have yet to drain. */
export interface PartLimit {
  view: WorkerSet
  lanes?: ReadonlySet<string> | undefined
}

const holds = ({ lanes }: PartLimit, laneId: string) => lanes === undefined || lanes.has(laneId)

/** Whether a worker owns a lane by every view that limits it. */
export function isOwnerBy(limits: PartLimit[], worker: string, laneId: string): boolean {
  return limits.every((one) => !holds(one, laneId) || isFirstIn(one.view, worker, laneId))
}

/** The part of a worker in a lane's attempts at once: the smallest of all views. */
export function partBy(limits: PartLimit[], worker: string, laneId: string, cap: number): number {
  let part = cap
  for (const one of limits)
    if (holds(one, laneId)) part = Math.min(part, partIn(one.view, worker, laneId, cap))
  return part
}

/** A limit for some of its lanes only. */
export function only({ view, lanes }: PartLimit, some: ReadonlySet<string>): PartLimit {
  return { view, lanes: lanes?.intersection(some) ?? some }
}

/**
 * Views without removed workers, and without stopping workers that have given up their parts, except for the lanes that these still
 * drain.
 * @param ended the rows of those stopping workers
 */
export function withoutGone(limits: PartLimit[], rows: WorkerRow[], ended: WorkerRow[]): PartLimit[] {
  const present = new Set(rows.map(({ id }) => id))
  const listed = new Set(ended.flatMap(({ draining }) => draining))
  const parted = present.difference(new Set(ended.map(({ id }) => id)))
  return limits.flatMap((one) => [among(one, parted), only(among(one, present), listed)])
}

function among({ view, lanes }: PartLimit, ids: Set<string>): PartLimit {
  return view.ids.isSubsetOf(ids)
    ? { view, lanes }
    : { view: workerSetOf([...view.ids.intersection(ids)]), lanes }
}

/** Joins entries of the same view, and drops entries for no lane. */
export function merged(some: PartLimit[]): PartLimit[] {
  const all = new Map<string, PartLimit>()
  for (const one of some) {
    const { view, lanes } = one
    const known = all.get(view.digest)
    if (lanes?.size === 0) continue
    if (known === undefined) all.set(view.digest, { ...one })
    else known.lanes = lanes && known.lanes?.union(lanes)
  }
  return [...all.values()]
}

/** Equal for equal limits. */
export function keyOf(limits: PartLimit[]): string {
  return limits.map(({ view, lanes }) => `${view.digest} ${lanes && [...lanes].sort().join()}`).join('; ')
}
