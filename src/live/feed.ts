import { type CoalescedRuns, createCoalescedRuns } from '../core/coalesced-runs.ts'
import type { Id } from '../core/id.ts'
import { type EventStream, frame } from '../http/body/event-stream.ts'
import type { Journal, Part } from './journal.ts'

type Organization = Id<'organization'>
type Change = Part['changes'][number]

/** A reader of an organization's stream in this process. */
interface Reader {
  stream: EventStream
  /** The place up to which it has been sent everything. */
  place: number
  /** Whether it is shown a change. */
  sees(change: Pick<Change, 'kind' | 'about'>): boolean
  /** Equal for readers that see the same changes. */
  filter: string
}

/** Sends readers what the journal holds for them, wherever it was written. */
export interface Feed {
  follow(organizationId: Organization, reader: Reader): void
  /** Reads what an organization's stream has for its readers; without a name, those of all. */
  grown(organizationId?: Organization): void
  /** The organizations that have readers here. */
  watched(): Organization[]
}

/** Changes that are read in one go: a few milliseconds, and about what a reader may leave unread. */
const PAGE = 100

/** The readers of one organization: what they are shown is read, and written, once for all of them. */
interface Watch {
  readers: Set<Reader>
  reads: CoalescedRuns
}

export function createFeed(
  journal: Pick<Journal, 'read'>,
  log: { error(data: object, message: string): void },
): Feed {
  const watches = new Map<Organization, Watch>()

  function watchOf(organizationId: Organization): Watch {
    const known = watches.get(organizationId)
    if (known !== undefined) return known
    const watch: Watch = { readers: new Set(), reads: createCoalescedRuns(() => read(organizationId, watch)) }
    watches.set(organizationId, watch)
    return watch
  }

  async function read(organizationId: Organization, { readers, reads }: Watch): Promise<void> {
    try {
      for (const [place, some] of Map.groupBy(readers, (reader) => reader.place)) {
        // A reader without room calls `onRoom` when it has some.
        const ready = some.filter(({ stream }) => stream.hasRoom())
        if (ready.length > 0 && (await show(organizationId, place, ready))) reads.ask()
      }
    } catch (error) {
      // The next change, or the next poll, has them read again.
      log.error({ err: error }, 'live streams')
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
      const watch = watchOf(organizationId)
      watch.readers.add(reader)
      reader.stream.onRoom(watch.reads.ask)
      reader.stream.onOver(() => {
        watch.readers.delete(reader)
        if (watch.readers.size === 0 && watches.get(organizationId) === watch) watches.delete(organizationId)
      })
      watch.reads.ask()
    },
    grown(organizationId) {
      const some = organizationId === undefined ? watches.values() : [watches.get(organizationId)]
      for (const watch of some) watch?.reads.ask()
    },
    watched: () => [...watches.keys()],
  }
}

function write({ sequence, kind, data }: Change): string {
  return frame(kind, kind === 'gap' ? '{"reason":"too_many"}' : data, sequence)
}
