import { MINUTE, type Millis, SECOND } from '../core/clock.ts'
import { createLoop } from '../core/loop.ts'
import { type Handlers, idsOf } from '../db/notifier.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import { createFeed } from './feed.ts'
import { createJournal } from './journal.ts'
import type { LiveView } from './live-kinds.ts'
import type { Readers } from './readers.ts'
import { createRecorder } from './recorder.ts'
import { streamRoute } from './stream-route.ts'

/** The live stream of an organization's changes. */
interface Live {
  routes: (server: Server) => void
  /** Handlers of notifications from other processes. */
  handlers: Handlers
  start: () => Promise<void>
  /**
   * Marks a gap in all streams. Called when a delivery worker took over from a dead process, whose last changes may be
   * lost.
   */
  missed: () => void
  /** Resolves when all changes are written. */
  stop: () => Promise<void>
}

/** The interval of polls for changes without a notification, and for watched organizations. */
const POLL: Millis = 5 * SECOND
/** The interval at which readers are recorded, and old changes removed. */
const KEEP: Millis = MINUTE

/** Creates the parts; none runs yet. */
export function createLive(shared: Shared, parts: { readers: Readers; views: LiveView[] }): Live {
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

  async function refresh(): Promise<void> {
    recorder.watchOnly([...(await journal.watched(clock.now())), ...feed.watched()])
    feed.grown()
  }

  async function keep(): Promise<void> {
    for (const one of feed.watched()) await journal.watch(one, clock.now())
    await journal.clear(clock.now())
  }

  const loopOf = (every: Millis, run: () => Promise<void>) =>
    createLoop({ clock, every, first: every, run, log, name: 'live streams' })
  const [refreshes, keeps] = [loopOf(POLL, refresh), loopOf(KEEP, keep)]

  return {
    routes: (server) => streamRoute(server, { ...shared, ...parts, journal, recorder, feed }),
    handlers: {
      watched(names) {
        if (names === undefined) return refreshes.wake()
        for (const id of idsOf('organization', names)) recorder.watch(id)
      },
      streams(names) {
        if (names === undefined) feed.grown()
        for (const id of idsOf('organization', names)) feed.grown(id)
      },
    },
    async start() {
      database.onChanges(recorder.changed)
      // The previous process may have been killed before it wrote its last changes.
      if (!database.shared) await journal.markGapInAll()
      refreshes.start()
      keeps.start()
    },
    missed: recorder.missed,
    async stop() {
      await Promise.all([refreshes.stop(), keeps.stop()])
      await recorder.stop()
    },
  }
}
