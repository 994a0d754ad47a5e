import type { Id } from '../core/id.ts'
import { type EventStream, frame } from '../http/body/event-stream.ts'
import type { Journal, Part } from './journal.ts'

type Organization = Id<'organization'>
type Change = Part['changes'][number]

/** Somebody who reads an organization's stream in this process. */
export interface Reader {
  stream: EventStream
  /** The place up to which it has been sent everything. */
  place: number
  /** Whether it is shown a change. */
  sees(change: Pick<Change, 'kind' | 'about'>): boolean
  /** The same for readers who see the same. */
  filter: string
}

/** Sends readers what the journal holds for them, wherever it was written. */
export interface Feed {
  follow(organizationId: Organization, reader: Reader): void
  /** An organization's stream has grown; without a name, any may have. */
  grown(organizationId?: Organization): void
  /** The organizations that have readers here. */
  watched(): Organization[]
}

/** Changes that are read in one go: a few milliseconds, and about what a reader may leave unread. */
const PAGE = 100

/** The readers of one organization: what they are shown is read, and written, once for all of them. */
interface Watch {
  readers: Set<Reader>
  isReading: boolean
  isDue: boolean
}

export function createFeed(
  journal: Pick<Journal, 'read'>,
  log: { error(data: object, message: string): void },
): Feed {
  const watches = new Map<Organization, Watch>()

  function grown(organizationId: Organization): void {
    const watch = watches.get(organizationId)
    if (watch === undefined) return
    watch.isDue = true
    if (!watch.isReading) void readWhileDue(organizationId, watch)
  }

  async function readWhileDue(organizationId: Organization, watch: Watch): Promise<void> {
    watch.isReading = true
    try {
      while (watch.isDue && watch.readers.size > 0) {
        watch.isDue = false
        const places = Map.groupBy(watch.readers, ({ place }) => place)
        for (const [place, readers] of places) {
          // Who has no room says when there is some.
          const some = readers.filter(({ stream }) => stream.hasRoom())
          if (some.length > 0 && (await show(organizationId, place, some))) watch.isDue = true
        }
      }
    } catch (error) {
      // The next change, or the next look at all of them, tries it once more.
      log.error({ err: error }, 'live streams')
    } finally {
      watch.isReading = false
    }
  }

  /** @returns whether there is more */
  async function show(organizationId: Organization, after: number, readers: Reader[]): Promise<boolean> {
    const { last, floor, changes } = await journal.read(organizationId, after, PAGE)
    const isWhole = changes.length < PAGE
    const place = isWhole ? Math.max(last, after) : (changes.at(-1)?.sequence ?? after)
    const missing = after < floor ? frame('gap', '{"reason":"too_old"}', floor) : ''
    const written = new Map<string, Buffer>()
    for (const reader of readers) {
      let events = written.get(reader.filter)
      if (events === undefined) {
        const seen = changes.filter((change) => reader.sees(change))
        events = Buffer.from(missing + seen.map(write).join(''))
        written.set(reader.filter, events)
      }
      if (events.length === 0 || reader.stream.sendIfRoom(events)) reader.place = place
    }
    return !isWhole
  }

  return {
    follow(organizationId, reader) {
      const watch = watches.get(organizationId) ?? { readers: new Set(), isReading: false, isDue: false }
      watches.set(organizationId, watch)
      watch.readers.add(reader)
      reader.stream.onRoom(() => grown(organizationId))
      reader.stream.onOver(() => {
        watch.readers.delete(reader)
        if (watch.readers.size === 0 && watches.get(organizationId) === watch) watches.delete(organizationId)
      })
      grown(organizationId)
    },
    grown(organizationId) {
      if (organizationId !== undefined) return grown(organizationId)
      for (const one of watches.keys()) grown(one)
    },
    watched: () => [...watches.keys()],
  }
}

function write({ sequence, kind, data }: Change): string {
  return frame(kind, kind === 'gap' ? '{"reason":"too_many"}' : data, sequence)
}
