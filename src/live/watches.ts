import { type CoalescedRuns, createCoalescedRuns } from '../core/coalesced-runs.ts'
import type { EventStream } from '../http/body/event-stream.ts'

/** The readers of one subject in this process. */
interface Watch<Reader> {
  readers: Set<Reader>
  reads: CoalescedRuns
}

/** The readers of event streams, by subject. What is stored about a subject is read once for all its readers. */
interface Watches<Name, Reader, More> {
  /** Subjects with readers. */
  names(): Name[]
  /** The readers of a subject and its state; undefined without readers. */
  get(name: Name): (More & Watch<Reader>) | undefined
  /**
   * Adds a reader until its stream ends. Its subject is read each time the stream has room again, but not by this call.
   */
  add(name: Name, reader: Reader): More & Watch<Reader>
  /** Reads a subject for its readers, after the current read; without a name, all subjects. */
  readSoon(name?: Name): void
}

/**
 * @param begin makes the state of a subject beside its readers
 * @param read sends readers new data; its errors are logged under `title`, and the next read follows
 */
export function createWatches<Name, Reader extends { stream: EventStream }, More extends object>({
  begin,
  read,
  log,
  title,
}: {
  begin: (name: Name) => More
  read: (name: Name, watch: More & Watch<Reader>) => Promise<void>
  log: { error(data: object, message: string): void }
  title: string
}): Watches<Name, Reader, More> {
  const watches = new Map<Name, More & Watch<Reader>>()

  function newWatch(name: Name): More & Watch<Reader> {
    const reads = createCoalescedRuns(async () => {
      try {
        await read(name, watch)
      } catch (error) {
        log.error({ err: error }, title)
      }
    })
    const watch = { ...begin(name), readers: new Set<Reader>(), reads }
    return watch
  }

  return {
    names: () => [...watches.keys()],
    get: (name) => watches.get(name),
    add(name, reader) {
      const watch = watches.get(name) ?? newWatch(name)
      watches.set(name, watch)
      watch.readers.add(reader)
      reader.stream.onRoom(watch.reads.ask)
      reader.stream.onOver(() => {
        watch.readers.delete(reader)
        if (watch.readers.size === 0 && watches.get(name) === watch) watches.delete(name)
      })
      return watch
    },
    readSoon(name) {
      for (const watch of name === undefined ? watches.values() : [watches.get(name)]) watch?.reads.ask()
    },
  }
}
