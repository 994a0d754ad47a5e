import type { Clock, Millis } from '../../core/clock.ts'
import { repeat } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'
import { type EventStream, frame } from '../../http/body/event-stream.ts'
import type { LiveRuns } from '../steps/live-runs.ts'
import type { RunSignals } from '../steps/run-signals.ts'
import { readSteps } from '../steps/step-store.ts'
import { hasEnded } from '../transcript/rows.ts'
import { eventsOf, type RunEvent, seqOf } from './run-events.ts'

/** Shows what happens to runs to whoever watches, wherever they are stepped. */
export interface RunFeed {
  /** Sends what has happened after an event, and what happens from now on, until the run has ended. */
  follow(id: Id<'run'>, after: number, stream: EventStream): void
  /** The streams end; who watches goes on at another process. */
  stop(): void
}

/** How soon what nobody told of is seen. */
const POLL: Millis = 2_000

/** What a reader gets of what was said before, in characters: its end. */
const LONGEST_SAID = 64 * 1024

interface Reader {
  stream: EventStream
  /** The place of the last event that it was sent. */
  after: number
  /** What is stored waits until it has taken what it was sent; what is said meanwhile it gets as a whole. */
  isBehind: boolean
}

/** The readers of one run: what is stored is read once for all of them. */
interface Watch {
  readers: Set<Reader>
  isReading: boolean
  isDue: boolean
}

/** An event as it travels, written once for all who are sent it. */
interface Framed {
  id: number
  bytes(): Buffer
}

function framedOnce({ id, event, data }: RunEvent): Framed {
  let bytes: Buffer | undefined
  return {
    id,
    bytes() {
      bytes ??= Buffer.from(frame(event, JSON.stringify(data), id))
      return bytes
    },
  }
}

export function createRunFeed(parts: {
  clock: Clock
  database: Pick<Database, 'db'>
  signals: Pick<RunSignals, 'watch'>
  live: Pick<LiveRuns, 'get'>
  log: { error(data: object, message: string): void }
}): RunFeed {
  const { clock, database, signals, live, log } = parts
  const watches = new Map<Id<'run'>, Watch>()
  let stopPolling = () => {}
  let isOver = false

  signals.watch({
    changed(id) {
      if (id !== undefined) return readSoon(id)
      for (const one of watches.keys()) readSoon(one)
    },
    said(id, text) {
      for (const { stream, isBehind } of watches.get(id)?.readers ?? [])
        if (!isBehind) stream.send({ event: 'run.output.delta', data: { runId: id, text } })
    },
  })

  function readSoon(id: Id<'run'>): void {
    const watch = watches.get(id)
    if (watch === undefined) return
    watch.isDue = true
    if (!watch.isReading) void readWhileDue(id, watch)
  }

  async function readWhileDue(id: Id<'run'>, watch: Watch): Promise<void> {
    watch.isReading = true
    try {
      while (watch.isDue && watch.readers.size > 0) {
        watch.isDue = false
        await show(id, watch)
      }
    } catch (error) {
      // The next poll tries it once more.
      log.error({ err: error }, 'events of runs')
    } finally {
      watch.isReading = false
    }
  }

  async function show(id: Id<'run'>, { readers }: Watch): Promise<void> {
    const row = await database.db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst()
    // Deleted with its organization, and with that the right of everybody who reads.
    if (row === undefined) {
      for (const { stream } of readers) stream.send({ event: 'end', data: { reason: 'revoked' } })
      return endAll(readers)
    }
    const read = [...readers]
    const least = Math.min(...read.map(({ after }) => after))
    const events = eventsOf(row, await readSteps(database.db, id, seqOf(least))).map(framedOnce)
    for (const reader of read) {
      sendAfter(id, reader, events)
      if (hasEnded(row) && !reader.isBehind) reader.stream.end()
    }
  }

  function sendAfter(id: Id<'run'>, reader: Reader, events: Framed[]): void {
    const wasBehind = reader.isBehind
    for (const event of events) {
      if (event.id <= reader.after) continue
      reader.isBehind = !reader.stream.sendIfRoom(event.bytes())
      if (reader.isBehind) return
      reader.after = event.id
    }
    if (wasBehind) sendSaid(reader, id)
  }

  /** What the model has said in the step under way; of one in another process its end tells. */
  function sendSaid({ stream }: Reader, id: Id<'run'>): void {
    const said = live.get(id)?.text() ?? ''
    if (said === '') return
    const from = Math.max(0, said.length - LONGEST_SAID)
    const data = { runId: id, from, text: said.slice(from).toWellFormed() }
    stream.sendIfRoom({ event: 'run.output.snapshot', data })
  }

  function endAll(readers: Set<Reader>): void {
    for (const { stream } of [...readers]) stream.end()
  }

  return {
    follow(id, after, stream) {
      const reader: Reader = { stream, after, isBehind: false }
      const watch = watches.get(id) ?? { readers: new Set(), isReading: false, isDue: false }
      if (watches.size === 0)
        stopPolling = repeat(clock, POLL, () => {
          for (const one of watches.keys()) readSoon(one)
        })
      watches.set(id, watch)
      watch.readers.add(reader)
      sendSaid(reader, id)
      stream.onRoom(() => readSoon(id))
      stream.onOver(() => {
        watch.readers.delete(reader)
        if (watch.readers.size === 0 && watches.get(id) === watch) watches.delete(id)
        if (watches.size === 0) stopPolling()
      })
      if (isOver) stream.end()
      else readSoon(id)
    },
    stop() {
      isOver = true
      for (const { readers } of [...watches.values()]) endAll(readers)
    },
  }
}
