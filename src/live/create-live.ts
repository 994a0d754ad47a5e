import { MINUTE, type Millis, repeat, SECOND } from '../core/clock.ts'
import { readId } from '../core/id.ts'
import type { Handlers } from '../db/notifier.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import { createFeed } from './feed.ts'
import { createJournal } from './journal.ts'
import type { View } from './kinds.ts'
import type { Readers } from './readers.ts'
import { createRecorder } from './recorder.ts'
import { streamRoute } from './stream-route.ts'

/** What organizations are shown of themselves as it changes. */
export interface Live {
  routes: (server: Server) => void
  /** What is to be done when another process tells of something. */
  handlers: Handlers
  start: () => Promise<void>
  /** A process has died, and may have made changes that are not in the journal. */
  missed: () => void
  /** Resolves when what has changed is written down. */
  stop: () => Promise<void>
}

/** The time between two looks for changes without a notification, and for organizations that are watched. */
const POLL: Millis = 5 * SECOND
/** The time between two notes that there are readers, and between two removals of changes that are too old to be read. */
const KEEP: Millis = MINUTE

/** Ties it together; nothing runs yet. */
export function createLive(shared: Shared, parts: { readers: Readers; views: View[] }): Live {
  const { clock, log, database } = shared
  const { notifier } = database
  const journal = createJournal(database, new Map(parts.views.map((view) => [view.kind, view])))
  const feed = createFeed(journal, log)
  const recorder = createRecorder({
    ...{ clock, journal, log, shared: database.shared },
    onWritten(organizationIds) {
      for (const one of organizationIds) {
        feed.grown(one)
        notifier.notify('streams', one)
      }
    },
  })
  const stops: (() => void)[] = []

  async function refresh(): Promise<void> {
    recorder.watchOnly([...(await journal.watched(clock.now())), ...feed.watched()])
    feed.grown()
  }

  async function keep(): Promise<void> {
    for (const one of feed.watched()) await journal.watch(one, clock.now())
    await journal.clear(clock.now())
  }

  const logged = (work: () => Promise<void>) => () =>
    void work().catch((error: unknown) => log.error({ err: error }, 'live streams'))

  return {
    routes: (server) => streamRoute(server, { ...shared, ...parts, journal, recorder, feed }),
    handlers: {
      // Anybody who can connect may say so: only ids get through, and what is written rests on the table.
      watched(names) {
        if (names === undefined) return logged(refresh)()
        for (const id of names.flatMap((name) => readId('organization', name) ?? [])) recorder.watch(id)
      },
      streams(names) {
        if (names === undefined) feed.grown()
        for (const id of (names ?? []).flatMap((name) => readId('organization', name) ?? [])) feed.grown(id)
      },
    },
    async start() {
      database.onChanges(recorder.changed)
      // Nobody but the process before this one can have changed anything, and how it ended is not known.
      if (!database.shared) await journal.breakAll()
      stops.push(repeat(clock, POLL, logged(refresh)), repeat(clock, KEEP, logged(keep)))
    },
    missed: recorder.missed,
    async stop() {
      for (const stop of stops) stop()
      await recorder.stop()
    },
  }
}
