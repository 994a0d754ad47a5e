import { type Clock, type Millis, SECOND } from '../core/clock.ts'

/** The items of one signal that wait for their export. */
interface ExportQueue<Item> {
  /** Drops the item where the queue is full. */
  add(item: Item): void
  /** Exports all waiting items. */
  flush(): Promise<void>
}

/** Collects the items of one export in the form of its message. */
export interface Collecting<Item, Export> {
  add(item: Item): void
  /** Returns the items added since the last call. */
  take(): Export
}

interface QueueParts<Item, Export> {
  clock: Clock
  collecting: Collecting<Item, Export>
  /** @throws Error where the items were not taken */
  send: (items: Export) => Promise<void>
  /** Called with how many items were lost, and why where an export failed. */
  onDropped: (count: number, failure?: Error) => void
}

/** Items that wait at most; and of one export, which begins once as many wait, or after this time. */
const [MOST, BATCH, DELAY]: [number, number, Millis] = [8_192, 1_024, SECOND]

/** A bounded queue, with one export under way at a time: while a collector is slow, further items are dropped. */
export function createExportQueue<Item, Export>({
  clock,
  collecting,
  send,
  onDropped,
}: QueueParts<Item, Export>): ExportQueue<Item> {
  const exports: { items: Export; count: number }[] = []
  let collected = 0
  let underWay: Promise<void> | undefined
  let isArmed = false
  /** Whether to send an export that is not full. */
  let isAsked = false

  function close(): void {
    if (collected > 0) exports.push({ items: collecting.take(), count: collected })
    collected = 0
  }

  async function exportAll(): Promise<void> {
    for (;;) {
      if (exports.length === 0 && isAsked) {
        isAsked = false
        close()
      }
      const next = exports.shift()
      if (next === undefined) return
      await send(next.items).catch((error: Error) => onDropped(next.count, error))
    }
  }

  function begin(): Promise<void> {
    underWay ??= exportAll().finally(() => {
      underWay = undefined
      return exports.length > 0 || isAsked ? begin() : undefined
    })
    return underWay
  }

  function flush(): Promise<void> {
    isAsked = true
    return begin()
  }

  function arm(): void {
    if (isArmed) return
    isArmed = true
    clock.after(DELAY, () => {
      isArmed = false
      void flush()
    })
  }

  return {
    add(item) {
      if (exports.length * BATCH + collected >= MOST) return onDropped(1)
      collecting.add(item)
      collected += 1
      if (collected < BATCH) return arm()
      // Items that arrive during an export wait until they fill the next one or its time is over, because small exports cost more.
      close()
      void begin()
    },
    flush,
  }
}

/** Items as they are. */
export function collectList<Item>(): Collecting<Item, Item[]> {
  let items: Item[] = []
  return {
    add: (item) => void items.push(item),
    take() {
      const taken = items
      items = []
      return taken
    },
  }
}
