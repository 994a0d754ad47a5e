import { type Millis, pause } from './clock.ts'
import { runWithoutOwner } from './context.ts'

/** From this many waiting items on, more are likely to arrive within the wait, so a batch waits for them. */
const GROUP_COMMIT_FROM = 4
/** Waits of one batch for more items, at most. Another wait follows only if the one before brought some. */
const MOST_WAITS = 4
/** A batch with this many items does not wait: a larger one hardly lowers the cost of an item. */
const ENOUGH = 32
/** One wait for more items on PostgreSQL: shorter than the round trip of a commit. */
export const GROUP_COMMIT_WAIT: Millis = 1

/** Waits for a time. */
export type Wait = (delay: Millis) => Promise<void>

/** Group commit: items that arrive while a batch is under way share the next one. */
export interface Batcher<Item, Result> {
  /** Items that are in no batch yet. */
  readonly waiting: number
  /** @returns the item's result, after the commit of its batch @throws the error of the batch, or of the item */
  add(item: Item): Promise<Result>
  /** Resolves when no item waits and no batch is under way. */
  idle(): Promise<void>
}

/** The result of an item that failed while its batch succeeded. */
export class FailedItem {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/**
 * Writes one batch. Items that arrive before it calls `take` are part of it; a second call takes those that arrived since.
 * @returns results in the order of the items; undefined where all succeeded without a result. Items without a result are first in
 * the next batch.
 * @throws where the items were not written, or the outcome is unknown
 */
export type WriteBatch<Item, Result> = (
  take: (upTo?: number) => Item[],
) => Promise<readonly (Result | FailedItem)[] | undefined>

export interface BatcherOptions<Item> {
  /** Items of one batch at most; unlimited by default. */
  most?: number
  /** Concurrent batches, 1 by default: the next is prepared while one waits for the disk. */
  atOnce?: number
  /** Items of one owner in a batch. An owner's further items wait behind the other owners for the next batch. */
  perOwner?: { most: number; ownerOf: (item: Item) => string }
  /**
   * Set where a batch costs more than this wait. While four or more items wait, one batch runs instead of `atOnce`, and it waits
   * this long for more items. On PostgreSQL that lowers the flushes per event from 0.114 to 0.077. A single item never waits.
   */
  groupWait?: Millis | undefined
  /** Waits for more items; in real time by default. The simulator passes its own. */
  rest?: Wait | undefined
  /** Awaited before each batch; must not throw. Without it a batch begins in the same turn of the event loop. */
  pace?: () => Promise<void> | undefined
  /** Whether a single item may have caused the error of its batch; then each item is retried alone. By default no error is retried. */
  isItemError?: (error: unknown) => boolean
}

/** @param write called for each batch, without an owner (`runWithoutOwner`), because a batch has items of several owners */
export function createBatcher<Item, Result = void>(
  write: WriteBatch<Item, Result>,
  options: BatcherOptions<Item> = {},
): Batcher<Item, Result> {
  const {
    most = Number.MAX_SAFE_INTEGER,
    atOnce = 1,
    perOwner,
    groupWait,
    rest = pause,
    pace,
    isItemError,
  } = options
  type Queue = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[]
  /** Waiting items by owner; the first owner is next. */
  const queues = new Map<string, Queue>()
  let waiting = 0
  let underWay = 0
  /** Running batches that have not taken their items yet. */
  let open = 0
  let isGrouping = false
  const idlers: (() => void)[] = []

  function enqueue(entries: Queue): void {
    for (const entry of entries) {
      const owner = perOwner?.ownerOf(entry.item) ?? ''
      const queue = queues.get(owner)
      if (queue === undefined) queues.set(owner, [entry])
      else queue.push(entry)
    }
    waiting += entries.length
  }

  function dequeue(upTo: number): Queue {
    let taken: Queue = []
    for (const [owner, queue] of [...queues]) {
      if (taken.length >= upTo) break
      taken = taken.concat(queue.splice(0, Math.min(perOwner?.most ?? upTo, upTo - taken.length)))
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
    }
    waiting -= taken.length
    return taken
  }

  function putBack(entries: Queue): void {
    const later = [...queues.values()].flat()
    queues.clear()
    waiting = 0
    enqueue(entries.concat(later))
  }

  function begin(): void {
    if (waiting <= open * most || underWay >= (isGrouping ? 1 : atOnce)) return
    underWay += 1
    open += 1
    void runWithoutOwner(run)
  }

  async function run(): Promise<void> {
    const paced = pace?.()
    if (paced !== undefined) await paced
    isGrouping = groupWait !== undefined && waiting >= GROUP_COMMIT_FROM
    if (isGrouping && groupWait) await gather(groupWait)
    let isOpen = true
    await writeSome(most, (upTo) => {
      if (isOpen) open -= 1
      isOpen = false
      return dequeue(upTo)
    })
    underWay -= 1
    begin()
    if (underWay === 0) for (const resolve of idlers.splice(0)) resolve()
  }

  async function gather(each: Millis): Promise<void> {
    for (let waits = 0; waits < MOST_WAITS && waiting < ENOUGH; waits += 1) {
      const before = waiting
      await rest(each)
      if (waiting === before) return
    }
  }

  async function writeSome(size: number, draw: (upTo: number) => Queue): Promise<void> {
    let batch: Queue = []
    const take = (upTo = size - batch.length) => {
      const some = draw(upTo)
      batch = batch.concat(some)
      return some.map(({ item }) => item)
    }
    try {
      const results = await write(take)
      settle(batch, results)
    } catch (error) {
      if (batch.length === 0) take()
      if (batch.length > 1 && isItemError?.(error)) await Promise.all(batch.map(writeAlone))
      else for (const { reject } of batch) reject(error)
    }
  }

  function writeAlone(entry: Queue[number]): Promise<void> {
    const queue = [entry]
    return writeSome(1, (upTo) => queue.splice(0, upTo))
  }

  function settle(batch: Queue, results: readonly (Result | FailedItem)[] | undefined): void {
    const done = results?.length ?? batch.length
    for (const [index, { resolve, reject }] of batch.slice(0, done).entries()) {
      const result = results?.[index]
      if (result instanceof FailedItem) reject(result.error)
      else resolve(result as Result)
    }
    if (done < batch.length) putBack(batch.slice(done))
  }

  return {
    get waiting() {
      return waiting
    },
    add: (item) =>
      new Promise((resolve, reject) => {
        enqueue([{ item, resolve, reject }])
        begin()
      }),
    idle: () => (underWay === 0 ? Promise.resolve() : new Promise((resolve) => void idlers.push(resolve))),
  }
}
