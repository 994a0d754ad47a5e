import { type CoalescedRuns, createCoalescedRuns } from '../core/coalesced-runs.ts'
import type { EventStream } from '../http/body/event-stream.ts'

/** The readers of one thing in this process. */
interface Watch<Reader> {
  readers: Set<Reader>
  reads: CoalescedRuns
}

/** Readers of event streams, by the name of what they read. What is stored of a name is read once for all its readers. */
interface Watches<Name, Reader, More> {
  /** Names with readers. */
  names(): Name[]
  /** The watch of a name; undefined where it has no readers. */
  get(name: Name): (More & Watch<Reader>) | undefined
  /** Adds a reader until its stream is over. Whenever the stream has room again, its name is read. Does not read at once. */
  add(name: Name, reader: Reader): More & Watch<Reader>
  /** Reads a name for its readers, after the read under way; without a name, all of them. */
  readSoon(name?: Name): void
}

/**
 * @param begin makes what is kept of a name beside its readers
 * @param read sends readers what they have not been sent yet; what it throws is logged under `title`, and the next read follows
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
