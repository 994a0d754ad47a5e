import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { createCoalescedRuns } from '../../core/coalesced-runs.ts'
import type { Job } from '../job.ts'
import type { OwnershipStore, WorkerRow } from '../job-store.ts'
import { isOwnerBy, keyOf, merged, only, type PartLimit, partBy, withoutGone } from './part-limits.ts'
import { isFirstIn, NO_WORKERS, partIn, type WorkerSet, workerSetOf } from './worker-set.ts'

/** The limits of a lane, which are divided among workers. */
type Terms = Pick<Job, 'laneId' | 'cap' | 'perSecond'>

/** A lane with claimed jobs. */
export interface ClaimedLane extends Terms {
  inFlight: number
}

/**
 * The part of each lane that belongs to this worker. All living workers send, and the concurrent attempts of a lane are divided among
 * them. One of them owns the lane and claims its jobs from the table. Only the owner sends if the lane allows one attempt at a time, has
 * a rate, or is parked.
 */
export interface Ownership {
  /** The concurrent attempts of a lane that this worker may make; 0 where only other workers may send. */
  partOf(lane: Terms): number
  isOwner(laneId: string): boolean
  /** The number of worker rows at the last read, dead workers included; 0 before it. */
  readonly workers: number
  /** Reads the worker rows and takes the next step towards parts that all workers agree on. One run at a time. */
  agree(): Promise<void>
  /** An attempt has ended, so that a lane that other workers wait for may be drained. */
  noteEnd(): void
  /** Leaves a failing lane to its owner for `LEFT_FOR`. */
  leave(laneId: string): void
  /** Sets which lanes are parked by the table. */
  setParked(lanes: Iterable<string>): void
  /** Gives up all parts: at once without attempts under way, otherwise at their end. */
  retire(): Promise<void>
  /** Drops all parts, because the worker takes a new name. */
  reset(): void
  /** Drops all parts for good, because the worker has stopped while its process may still have other work. */
  stop(): Promise<void>
  /** Calls `listener`, the only one, when parts have changed. */
  listen(listener: (change: PartsChange) => void): void
}

/** A change of parts; `isGrown`: this worker may have more than before. */
interface PartsChange {
  wasOwner: (laneId: string) => boolean
  isGrown: boolean
}

interface OwnershipDeps {
  clock: Clock
  store: OwnershipStore
  lease: { readonly name: string; isGood(): boolean }
  /** Lanes with claimed jobs, from the claim to the result in the table, and lanes of claims under way. */
  claimedJobs: { lanes(): Iterable<ClaimedLane>; claiming(): Iterable<string> }
  /** Asks the other workers to agree again. */
  notifyWorkers: () => void
}

/** The ownership of a worker without others. */
export const ALONE: Ownership = {
  partOf: ({ cap }) => cap,
  isOwner: () => true,
  workers: 1,
  agree: async () => {},
  noteEnd: () => {},
  leave: () => {},
  setParked: () => {},
  retire: async () => {},
  reset: () => {},
  stop: async () => {},
  listen: () => {},
}

/** After an attempt has ended, the list of draining lanes is brought up to date this soon. */
const NOTED_AFTER: Millis = 20
/** A failing lane is left to its owner for this long: longer than the longest pause between probes. */
const LEFT_FOR: Millis = 45 * SECOND
/** Left lanes that are remembered. */
const MOST_LEFT = 10_000
/** A worker with more lanes to drain waits until some have drained before it publishes its new view. */
const MOST_DRAINING = 1_000
/** Views that are remembered by their digests. */
const MOST_KNOWN = 100

/**
 * Parts follow from the set of workers in the table, a view (`worker-set.ts`). Workers read the table at different moments, so each
 * stays within the parts of every view that another worker may still use.
 *
 * When a worker leaves, every part grows or stays, so the older view stays safe and needs no agreement. A stopping worker counts
 * until its row says that it has no part, and after that for the lanes that it lists as draining.
 *
 * When a worker joins, it begins without parts:
 * 1. Each worker writes the set of workers that it has read. A dead worker does not, and all parts stay until it is removed.
 * 2. When the new worker and all workers with parts have done so, each keeps within the new parts and the old ones. It publishes
 *    the new view, with the lanes in which it has more jobs under way than its new part allows.
 * 3. When all have published the new view, the old one limits only the listed lanes.
 */
export function createOwnership(deps: OwnershipDeps): Ownership {
  const { clock, store, lease, claimedJobs, notifyWorkers } = deps
  let onChanged: (change: PartsChange) => void = () => {}
  /** The newest first. */
  let limits: PartLimit[] = [{ view: NO_WORKERS }]
  const known = createBoundedMap<string, WorkerSet>(MOST_KNOWN)
  const left = createBoundedMap<string, Millis>(MOST_LEFT)
  let parked = new Set<string>()
  let lastRows: WorkerRow[] = []
  let isNoted = false
  let isOver = false

  const isOwner = (laneId: string) => isOwnerBy(limits, lease.name, laneId)

  function isLeft(laneId: string): boolean {
    const until = left.get(laneId) ?? 0
    const now = clock.now()
    // After the clock was set back, `until` is ignored where it lies too far ahead.
    return parked.has(laneId) || (now < until && until <= now + LEFT_FOR)
  }

  function partOf({ laneId, cap, perSecond }: Terms): number {
    const part = partBy(limits, lease.name, laneId, cap)
    if (part === 0 || part === cap) return part
    const isOwnersAlone = perSecond !== null || isLeft(laneId)
    return isOwnersAlone && !isOwner(laneId) ? 0 : part
  }

  const { ask: agree } = createCoalescedRuns(async () => {
    for (let isToRepeat = true; isToRepeat; ) isToRepeat = await agreeOnce()
  })

  /** @returns whether this worker has changed its row, so that all rows must be read again */
  async function agreeOnce(): Promise<boolean> {
    const worker = lease.name
    const isOurs = () => !isOver && worker === lease.name && lease.isGood()
    if (!isOurs()) return false
    const rows = await store.readWorkers()
    const own = rows.find(({ id }) => id === worker)
    if (own === undefined || !isOurs()) return false
    lastRows = rows
    const lasting = rows.filter(({ isRetired }) => !isRetired)
    const all = workerSetOf(lasting.map(({ id }) => id))
    known.set(all.digest, all)

    const others = rows.filter((row) => row !== own)
    // A new worker that has not seen the others may be dead already.
    const isThere = (row: WorkerRow) =>
      row === own || row.view !== null || (row.seen !== null && isKnownToCover(row.seen, all))
    const current = workerSetOf(lasting.filter(isThere).map(({ id }) => id))
    known.set(current.digest, current)
    const covers = (digest: string | null) => digest === null || isKnownToCover(digest, current)
    const isSeen = others.every(({ view, seen }) => view === null || (seen !== null && covers(seen)))
    const isAdopted = () => limits[0]?.view.digest === current.digest
    const ended = rows.filter((row) => row.isRetired && row.id !== worker && hasGivenUp(row))
    const kept = withoutGone(limits, rows, ended)
    const isToAdopt = isSeen && kept[0]?.view.digest !== current.digest
    change(isToAdopt ? [{ view: current }, ...kept] : kept, true)

    const draining = isAdopted() ? await overIn(current, worker, own.view !== current.digest) : []
    if (isOver || worker !== lease.name) return false
    const isPublished = isAdopted() && draining.length <= MOST_DRAINING
    const next: WorkerRow = {
      ...own,
      seen: all.digest,
      ...(isPublished ? { view: current.digest, draining } : {}),
    }
    if (!isSame(own, next)) {
      const { seen, view, draining } = next
      await store.save(worker, { seen, view, draining })
      if (others.length > 0) notifyWorkers()
      // Rows that were read before the write do not show whether the others have seen it.
      return true
    }
    const isAgreed = rows.every((row) => (current.ids.has(row.id) ? covers(row.view) : hasGivenUp(row)))
    if (!isPublished || !isAgreed) return false
    const listed = new Set(rows.flatMap((row) => row.draining))
    const older = limits.filter(({ view }) => view.digest !== current.digest)
    change([{ view: current }, ...older.map((one) => only(one, listed))], true)
    return false
  }

  function change(some: PartLimit[], isGrown: boolean): void {
    const before = limits
    const next = merged(some)
    if (keyOf(next) === keyOf(before)) return
    limits = next
    for (const { view } of next) known.set(view.digest, view)
    onChanged({ wasOwner: (laneId) => isOwnerBy(before, lease.name, laneId), isGrown })
  }

  function reset(): void {
    lastRows = []
    change([{ view: NO_WORKERS }], false)
  }

  function isKnownToCover(digest: string, current: WorkerSet): boolean {
    return digest === current.digest || (known.get(digest)?.ids.isSupersetOf(current.ids) ?? false)
  }

  /** Whether a stopping or a new worker has no part. */
  function hasGivenUp({ id, view }: WorkerRow): boolean {
    return view === null || known.get(view)?.ids.has(id) === false
  }

  /** Lanes in which this worker has more jobs under way than its part in a view allows. */
  async function overIn(view: WorkerSet, worker: string, isNew: boolean): Promise<string[]> {
    const over = new Set<string>()
    const known = new Set<string>()
    for (const lane of claimedJobs.lanes()) {
      const { laneId, cap, perSecond, inFlight } = lane
      known.add(laneId)
      const isOwner = isFirstIn(view, worker, laneId)
      const part = perSecond !== null && !isOwner ? 0 : partIn(view, worker, laneId, cap)
      if (part === 0 || inFlight > part) over.add(laneId)
    }
    const isElsewhere = (laneId: string) => !known.has(laneId) && !isFirstIn(view, worker, laneId)
    for (const laneId of claimedJobs.claiming()) if (isElsewhere(laneId)) over.add(laneId)
    // Jobs whose claim was answered too late are claimed in the table, but not known to this worker.
    if (isNew || lastDraining() > 0)
      for (const laneId of await store.claimedLanes(worker)) if (isElsewhere(laneId)) over.add(laneId)
    return [...over].sort()
  }

  const lastDraining = () => lastRows.find(({ id }) => id === lease.name)?.draining.length ?? 0

  return {
    partOf,
    isOwner,
    get workers() {
      return lastRows.length
    },
    agree,
    noteEnd() {
      if (isNoted || lastDraining() === 0) return
      isNoted = true
      clock.after(NOTED_AFTER, () => {
        isNoted = false
        // After an error the next poll agrees again.
        agree().catch(() => {})
      })
    },
    leave(laneId) {
      left.set(laneId, clock.now() + LEFT_FOR)
    },
    setParked(lanes) {
      parked = new Set(lanes)
    },
    async retire() {
      await store.save(lease.name, { isRetired: true })
      await agree()
    },
    reset,
    async stop() {
      isOver = true
      // A run under way may still write a view.
      await agree()
      await store.save(lease.name, { isRetired: true, seen: null, view: null, draining: [] })
      reset()
    },
    listen(listener) {
      onChanged = listener
    },
  }
}

function isSame(a: WorkerRow, b: WorkerRow): boolean {
  return a.seen === b.seen && a.view === b.view && a.draining.join() === b.draining.join()
}
