import type { Id } from '../core/id.ts'
import { type EventStream, frame } from '../http/body/event-stream.ts'
import type { Journal, Part } from './journal.ts'
import { createWatches } from './watches.ts'

type Organization = Id<'organization'>
type Change = Part['changes'][number]

/** A reader of an organization's stream in this process. */
interface Reader {
  stream: EventStream
  /** The position up to which the reader has everything. */
  place: number
  /** Whether the reader may see a change. */
  sees(change: Pick<Change, 'kind' | 'about'>): boolean
  /** Equal for readers that see the same changes. */
  filter: string
}

/** Sends readers the changes in the journal, whichever process wrote them. */
export interface Feed {
  follow(organizationId: Organization, reader: Reader): void
  /** Reads the new changes of an organization for its readers; without an id, of all organizations. */
  grown(organizationId?: Organization): void
  /** The organizations with readers in this process. */
  watched(): Organization[]
}

/** Changes that one query reads: a few milliseconds, and about what a reader may leave unread. */
const PAGE = 100

export function createFeed(
  journal: Pick<Journal, 'read'>,
  log: { error(data: object, message: string): void },
): Feed {
  const watches = createWatches<Organization, Reader, object>({
    ...{ begin: () => ({}), log, title: 'live streams' },
    async read(organizationId, { readers, reads }) {
      for (const [place, some] of Map.groupBy(readers, (reader) => reader.place)) {
        // A reader without room calls `onRoom` when it has some.
        const ready = some.filter(({ stream }) => stream.hasRoom())
        if (ready.length > 0 && (await show(organizationId, place, ready))) reads.ask()
      }
    },
  })

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
      watches.add(organizationId, reader).reads.ask()
    },
    grown: watches.readSoon,
    watched: watches.names,
  }
}

function write({ sequence, kind, data }: Change): string {
  return frame(kind, kind === 'gap' ? '{"reason":"too_many"}' : data, sequence)
}
