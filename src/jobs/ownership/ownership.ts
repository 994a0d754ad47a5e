import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { createOnceMore } from '../../core/once-more.ts'
import type { Job } from '../job.ts'
import type { OwnershipStore, WorkerRow } from '../job-store.ts'
import { isFirstIn, NOBODY, partIn, type View, viewOf } from './view.ts'

/** What of a lane decides how it is divided. */
export type Terms = Pick<Job, 'laneId' | 'cap' | 'perSecond'>

/** A lane of which something is in hand. */
export interface LaneInHand extends Terms {
  inFlight: number
}

/**
 * How much of each lane is this worker's. Every worker sends; the attempts at once that a lane takes are divided among the
 * workers that live. One of them is the owner of the lane: it claims what waits in the table, and is the only one that sends
 * where calls come one at a time, so many a second, or as probes of a destination that fails.
 */
export interface Ownership {
  /** Attempts at once of a lane that this worker may make; 0 where the lane is for others. */
  partOf(lane: Terms): number
  isOwner(laneId: string): boolean
  /** Workers that live, this one included. */
  readonly workers: number
  /** Reads who lives, and comes to new parts with them as far as it can now. One at a time; a call meanwhile asks for another. */
  agree(): Promise<void>
  /** Something in hand has ended: what others wait for may be over. */
  stir(): void
  /** Leaves a lane that fails here to its owner for a while. */
  leave(laneId: string): void
  /** Which lanes their owners have parked, as the table says. */
  setParked(lanes: Iterable<string>): void
  /** Gives up its parts: at once where nothing is under way, elsewhere as that ends. */
  retire(): Promise<void>
  /** Under a new name nothing is its own. */
  reset(): void
  /** Calls `listener`, the only one, when parts have changed. */
  listen(listener: (change: PartsChange) => void): void
}

/** `isGrown` where something may be this worker's that was not. */
interface PartsChange {
  wasOwner: (laneId: string) => boolean
  isGrown: boolean
}

interface OwnershipDeps {
  clock: Clock
  store: OwnershipStore
  lease: { readonly name: string; isGood(): boolean }
  /** Lanes with something in hand, from the claim to the result in the table, and those that are being claimed for. */
  inHand: { lanes(): Iterable<LaneInHand>; claiming(): Iterable<string> }
  /** Tells the other workers to agree anew. */
  announce: () => void
  /** Is told how many workers have died since the last look. */
  onDied: (count: number) => void
}

/** For a worker that has all work to itself. */
export const ALONE: Ownership = {
  partOf: ({ cap }) => cap,
  isOwner: () => true,
  workers: 1,
  agree: async () => {},
  stir: () => {},
  leave: () => {},
  setParked: () => {},
  retire: async () => {},
  reset: () => {},
  listen: () => {},
}

/** What is listed as under way is read again so soon after something of it has ended. */
const STIR: Millis = 20
/** A lane that fails here is its owner's alone for so long: longer than the longest pause between probes. */
const LEFT_FOR: Millis = 45 * SECOND
/** Lanes that are remembered as left. */
const MOST_LEFT = 10_000
/** With more lanes to drain a worker waits before it says that it divides anew. */
const MOST_DRAINING = 1_000
/** Views that are remembered by their digests. */
const MOST_KNOWN = 100

/** A view that limits this worker: for all lanes, or for those that others have not drained. */
interface Held {
  view: View
  lanes?: ReadonlySet<string> | undefined
}

/**
 * The parts follow from the workers of the table, a view, which all see alike (`view.ts`); but not at the same moment. So a
 * worker keeps within the parts of every view that another may still act by.
 *
 * A worker less: every part grows or stays, so that an older view is as good as the new one, and nobody is asked. One that is
 * about to end counts until it has written that it has no part, and then for the lanes that it lists as under way.
 *
 * A worker more, which begins with nothing:
 * 1. Each writes into its row which workers it has seen. A dead one does not, and until it is removed all parts stay.
 * 2. When the newcomer and all that have a part have done so, each keeps within the new parts as well as the old ones, and writes that,
 *    with the lanes of which it still has more under way.
 * 3. When all have written that, the old parts are over, but for the lanes that were listed.
 */
export function createOwnership(deps: OwnershipDeps): Ownership {
  const { clock, store, lease, inHand, announce, onDied } = deps
  let onChanged: (change: PartsChange) => void = () => {}
  /** The newest first. */
  let held: Held[] = [{ view: NOBODY }]
  const known = createBoundedMap<string, View>(MOST_KNOWN)
  const left = createBoundedMap<string, Millis>(MOST_LEFT)
  let parked = new Set<string>()
  let lastRows: WorkerRow[] = []
  let isStirred = false

  const viewsOf = (some: Held[], laneId: string) =>
    some.filter(({ lanes }) => lanes === undefined || lanes.has(laneId))
  const isOwnerBy = (some: Held[], laneId: string) =>
    viewsOf(some, laneId).every(({ view }) => isFirstIn(view, lease.name, laneId))

  function isLeft(laneId: string): boolean {
    const until = left.get(laneId) ?? 0
    const now = clock.now()
    // A clock that was set back makes it no longer.
    return parked.has(laneId) || (now < until && until <= now + LEFT_FOR)
  }

  function partOf({ laneId, cap, perSecond }: Terms): number {
    const part = viewsOf(held, laneId).reduce(
      (least, { view }) => Math.min(least, partIn(view, lease.name, laneId, cap)),
      cap,
    )
    if (part === 0 || part === cap) return part
    const isOwnersAlone = perSecond !== null || isLeft(laneId)
    return isOwnersAlone && !isOwnerBy(held, laneId) ? 0 : part
  }

  const { ask: agree } = createOnceMore(async () => {
    for (let isToRepeat = true; isToRepeat; ) isToRepeat = await agreeOnce()
  })

  /** @returns whether this worker has changed its row, so that all rows must be read again */
  async function agreeOnce(): Promise<boolean> {
    const worker = lease.name
    const isOurs = () => worker === lease.name && lease.isGood()
    if (!isOurs()) return false
    const rows = await store.readWorkers()
    const own = rows.find(({ id }) => id === worker)
    if (own === undefined || !isOurs()) return false
    noteDead(rows)
    const lasting = rows.filter(({ isRetired }) => !isRetired)
    const all = viewOf(lasting.map(({ id }) => id))
    known.set(all.digest, all)

    const others = rows.filter((row) => row !== own)
    // A newcomer that has not answered may be dead already.
    const isThere = (row: WorkerRow) =>
      row === own || row.view !== null || (row.seen !== null && isKnownToCover(row.seen, all))
    const current = viewOf(lasting.filter(isThere).map(({ id }) => id))
    known.set(current.digest, current)
    const covers = (digest: string | null) => digest === null || isKnownToCover(digest, current)
    const isSeen = others.every(({ view, seen }) => view === null || (seen !== null && covers(seen)))
    const isAdopted = () => held[0]?.view.digest === current.digest
    const kept = withoutGone(held, rows)
    const isToAdopt = isSeen && kept[0]?.view.digest !== current.digest
    change(isToAdopt ? [{ view: current }, ...kept] : kept, true)

    const draining = isAdopted() ? await overIn(current, worker, own.view !== current.digest) : []
    if (worker !== lease.name) return false
    const isPublished = isAdopted() && draining.length <= MOST_DRAINING
    const next: WorkerRow = {
      ...own,
      seen: all.digest,
      ...(isPublished ? { view: current.digest, draining } : {}),
    }
    if (!isSame(own, next)) {
      await store.saveView(worker, next)
      if (others.length > 0) announce()
      // Rows that were read before the write do not show whether the others have seen it.
      return true
    }
    const isAgreed = rows.every((row) => (current.ids.has(row.id) ? covers(row.view) : hasGivenUp(row)))
    if (!isPublished || !isAgreed) return false
    const listed = new Set(rows.flatMap((row) => row.draining))
    const older = held.filter(({ view }) => view.digest !== current.digest)
    change([{ view: current }, ...older.map((one) => only(one, listed))], true)
    return false
  }

  /** Views without the workers that are gone, and without those that have no part any more, but for what they have under way. */
  function withoutGone(some: Held[], rows: WorkerRow[]): Held[] {
    const present = new Set(rows.map(({ id }) => id))
    const ended = rows.filter((row) => row.isRetired && row.id !== lease.name && hasGivenUp(row))
    const listed = new Set(ended.flatMap(({ draining }) => draining))
    const parted = present.difference(new Set(ended.map(({ id }) => id)))
    const among = ({ view, lanes }: Held, ids: Set<string>): Held =>
      view.ids.isSubsetOf(ids) ? { view, lanes } : { view: viewOf([...view.ids.intersection(ids)]), lanes }
    return some.flatMap((one) => [among(one, parted), only(among(one, present), listed)])
  }

  const only = ({ view, lanes }: Held, some: ReadonlySet<string>): Held => ({
    view,
    lanes: lanes?.intersection(some) ?? some,
  })

  function change(some: Held[], isGrown: boolean): void {
    const before = held
    const next = merged(some)
    if (keyOf(next) === keyOf(before)) return
    held = next
    for (const { view } of next) known.set(view.digest, view)
    onChanged({ wasOwner: (laneId) => isOwnerBy(before, laneId), isGrown })
  }

  function isKnownToCover(digest: string, current: View): boolean {
    return digest === current.digest || (known.get(digest)?.ids.isSupersetOf(current.ids) ?? false)
  }

  /** Of one that is about to end, or has only come: whether it has no part. */
  function hasGivenUp({ id, view }: WorkerRow): boolean {
    return view === null || known.get(view)?.ids.has(id) === false
  }

  /** Lanes of which more is under way than a view allows, or anything where it allows nothing. */
  async function overIn(view: View, worker: string, isNew: boolean): Promise<string[]> {
    const over = new Set<string>()
    const known = new Set<string>()
    for (const lane of inHand.lanes()) {
      const { laneId, cap, perSecond, inFlight } = lane
      known.add(laneId)
      const isOwner = isFirstIn(view, worker, laneId)
      const part = perSecond !== null && !isOwner ? 0 : partIn(view, worker, laneId, cap)
      if (part === 0 || inFlight > part) over.add(laneId)
    }
    const isElsewhere = (laneId: string) => !known.has(laneId) && !isFirstIn(view, worker, laneId)
    for (const laneId of inHand.claiming()) if (isElsewhere(laneId)) over.add(laneId)
    // What was lost sight of is still claimed in the table.
    if (isNew || lastDraining() > 0)
      for (const laneId of await store.claimedLanes(worker)) if (isElsewhere(laneId)) over.add(laneId)
    return [...over].sort()
  }

  const lastDraining = () => lastRows.find(({ id }) => id === lease.name)?.draining.length ?? 0

  function noteDead(rows: WorkerRow[]): void {
    const present = new Set(rows.map(({ id }) => id))
    const dead = lastRows.filter(({ id, isRetired }) => !isRetired && !present.has(id))
    lastRows = rows
    if (dead.length > 0) onDied(dead.length)
  }

  return {
    partOf,
    isOwner: (laneId) => isOwnerBy(held, laneId),
    get workers() {
      return lastRows.length
    },
    agree,
    stir() {
      if (isStirred || lastDraining() === 0) return
      isStirred = true
      clock.after(STIR, () => {
        isStirred = false
        // What fails here is tried again with the next poll.
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
      await store.retire(lease.name)
      await agree()
    },
    reset() {
      lastRows = []
      change([{ view: NOBODY }], false)
    },
    listen(listener) {
      onChanged = listener
    },
  }
}

/** Of views that are the same one, for the lanes of all of them; none that is for no lane. */
function merged(some: Held[]): Held[] {
  const all = new Map<string, Held>()
  for (const one of some) {
    const { view, lanes } = one
    const known = all.get(view.digest)
    if (lanes?.size === 0) continue
    if (known === undefined) all.set(view.digest, { ...one })
    else known.lanes = lanes && known.lanes?.union(lanes)
  }
  return [...all.values()]
}

function keyOf(some: Held[]): string {
  return some.map(({ view, lanes }) => `${view.digest} ${lanes && [...lanes].sort().join()}`).join('; ')
}

function isSame(a: WorkerRow, b: WorkerRow): boolean {
  return a.seen === b.seen && a.view === b.view && a.draining.join() === b.draining.join()
}
