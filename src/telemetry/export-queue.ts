import { type Clock, type Millis, SECOND } from '../core/clock.ts'

/** What waits to be exported, of one signal. */
interface ExportQueue<Item> {
  /** Drops the item where the queue is full. */
  add(item: Item): void
  /** Exports all that waits. */
  flush(): Promise<void>
}

interface QueueParts<Item> {
  clock: Clock
  /** @throws Error where the items were not taken */
  send: (items: Item[]) => Promise<void>
  /** Called with how many items were lost, and why where an export failed. */
  onDropped: (count: number, failure?: Error) => void
}

/** Items that wait at most; and of one export, which begins once as many wait, or after this time. */
const [MOST, BATCH, DELAY]: [number, number, Millis] = [8_192, 1_024, SECOND]

/** A bounded queue, with one export under way at a time: while a collector is slow, what does not fit is dropped. */
export function createExportQueue<Item>({ clock, send, onDropped }: QueueParts<Item>): ExportQueue<Item> {
  let waiting: Item[] = []
  let underWay: Promise<void> | undefined
  let isArmed = false

  async function exportAll(): Promise<void> {
    while (waiting.length > 0) {
      const items = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await send(items).catch((error: Error) => onDropped(items.length, error))
    }
  }

  function flush(): Promise<void> {
    underWay ??= exportAll().finally(() => {
      underWay = undefined
    })
    return underWay
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
      if (waiting.length >= MOST) return onDropped(1)
      waiting.push(item)
      if (waiting.length >= BATCH) void flush()
      else arm()
    },
    flush,
  }
}
