import type { Clock, Millis } from '../../core/clock.ts'
import { repeat } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Database, Handlers } from '../../db/database.ts'
import { type EventStream, frame } from '../../http/body/event-stream.ts'
import { createWatches } from '../../live/watches.ts'
import type { LiveRuns, StreamedText } from '../steps/live-runs.ts'
import type { RunSignals } from '../steps/run-signals.ts'
import { readSteps } from '../steps/step-store.ts'
import { hasEnded, type Run } from '../transcript/rows.ts'
import { LONGEST_OUTPUT, tryKeyOf } from './output-pieces.ts'
import { createOutputRate } from './output-rate.ts'
import { relayOutput } from './relay-output.ts'
import { createRemoteOutput, type RemoteRun } from './remote-output.ts'
import { eventsOf, type RunEvent, seqOf, startOf } from './run-events.ts'

/** Sends the events of runs to their readers, whichever process steps the runs. */
export interface RunFeed {
  /** Sends all events after a position, and new ones until the run has ended. */
  follow(id: Id<'run'>, after: number, stream: EventStream): void
  /** Handlers of notifications about models' text. */
  handlers: Handlers
  /** Ends all streams; the readers reconnect to another process. */
  stop(): void
}

/** Longest delay of a change whose notification was lost. */
const POLL: Millis = 2_000

interface Reader {
  stream: EventStream
  /** The position of the last event that the reader was sent. */
  after: number
  /** The reader must read earlier events before it is sent more. */
  isBehind: boolean
  /** The try whose text the reader has; undefined where it has no text of this step. */
  reads: string | undefined
  /** The position after the last character that the reader has; undefined where it needs a snapshot. */
  at: number | undefined
}

/** A run and its readers in this process. */
interface Watch extends RemoteRun {
  readers: Set<Reader>
}

/** An event in wire format, encoded once for all readers. */
interface Framed {
  id: number
  isStart: boolean
  bytes(): Buffer
}

function framedOnce({ id, event, data }: RunEvent): Framed {
  let bytes: Buffer | undefined
  return {
    id,
    isStart: event === 'run.step.started',
    bytes() {
      bytes ??= Buffer.from(frame(event, JSON.stringify(data), id))
      return bytes
    },
  }
}

export function createRunFeed(parts: {
  clock: Clock
  vault: Vault
  database: Pick<Database, 'db' | 'notifier' | 'shared'>
  signals: Pick<RunSignals, 'watch'>
  live: Pick<LiveRuns, 'get'>
  log: { error(data: object, message: string): void }
}): RunFeed {
  const { clock, vault, database, signals, live, log } = parts
  const { notifier } = database
  const watches = createWatches<Id<'run'>, Reader, RemoteRun>({
    begin: (id) => ({
      ...{ organizationId: '' as Id<'organization'>, askedAt: Number.NEGATIVE_INFINITY },
      streamed: live.get(id)?.streamedText(),
    }),
    async read(id, watch) {
      if (watch.readers.size > 0) await show(id, watch)
    },
    ...{ log, title: 'events of runs' },
  })
  const pace = createOutputRate(clock)
  let stopPolling = () => {}
  let isOver = false

  signals.watch({ changed: watches.readSoon, textGrew: showLive, textEnded: showLive })
  const remoteOutput = createRemoteOutput({
    ...{ clock, vault, notifier, pace, onSaid: showSaid, onListening: () => watches.readSoon() },
    remoteOf: (id) => (live.get(id) === undefined ? watches.get(id) : undefined),
  })

  /** Sends readers the new text of a model in a run of this process. */
  function showLive(id: Id<'run'>): void {
    const watch = watches.get(id)
    if (watch === undefined) return
    watch.streamed = live.get(id)?.streamedText() ?? watch.streamed
    showSaid(id)
  }

  function showSaid(id: Id<'run'>): void {
    const { readers, streamed } = watches.get(id) ?? {}
    for (const reader of readers ?? []) sendText(id, reader, streamed)
  }

  async function show(id: Id<'run'>, watch: Watch): Promise<void> {
    const { readers } = watch
    const row = await database.db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst()
    // The run was deleted with its organization, and so were the rights of all readers.
    if (row === undefined) {
      for (const { stream } of readers) stream.send({ event: 'end', data: { reason: 'revoked' } })
      return endAll(readers)
    }
    askElsewhere(row, watch)
    const read = [...readers]
    const least = Math.min(...read.map(({ after }) => after))
    const events = eventsOf(row, await readSteps(database.db, id, seqOf(least))).map(framedOnce)
    for (const reader of read) {
      sendAfter(id, reader, events, watch)
      if (hasEnded(row) && !reader.isBehind) reader.stream.end()
    }
  }

  /** Also requests the text of a queued run, so that its first words arrive without delay. */
  function askElsewhere({ id, organization_id, status }: Run, watch: Watch): void {
    watch.organizationId = organization_id
    if (!database.shared || live.get(id) !== undefined) return
    if (status === 'queued' || status === 'running') remoteOutput.ask(id, watch)
  }

  function sendAfter(id: Id<'run'>, reader: Reader, events: Framed[], watch: Watch): void {
    for (const event of events) {
      if (event.id <= reader.after) continue
      // A reader gets the text of a step before the event of its end.
      sendText(id, reader, watch.streamed)
      reader.isBehind = !reader.stream.sendIfRoom(event.bytes())
      if (reader.isBehind) return
      reader.after = event.id
      if (event.isStart) Object.assign(reader, { reads: undefined, at: 0 })
    }
    sendText(id, reader, watch.streamed)
  }

  /**
   * Sends a reader the missing text of the current step. It sends a snapshot where the reader has text of another try,
   * has missed some, or may have text from another process.
   */
  function sendText(id: Id<'run'>, reader: Reader, streamed: StreamedText | undefined): void {
    if (streamed === undefined || streamed.text === '') return
    if (reader.isBehind || reader.after !== startOf(streamed.seq)) return
    const { stream } = reader
    const which = tryKeyOf(streamed)
    if (reader.reads !== which && reader.reads !== undefined) reader.at = undefined
    reader.reads = which
    const end = streamed.base + streamed.text.length
    const { at } = reader
    if (at !== undefined && at >= streamed.base && at <= end && end - at <= LONGEST_OUTPUT) {
      if (at === end) return
      const { last } = streamed
      // A slice copies the whole text; most readers lack only the last piece.
      const text = end - at === last.length ? last : streamed.text.slice(at - streamed.base)
      stream.send({ event: 'run.output.delta', data: { runId: id, text } })
      reader.at = end
      return
    }
    const from = Math.max(streamed.base, end - LONGEST_OUTPUT)
    const data = { runId: id, from, text: streamed.text.slice(from - streamed.base).toWellFormed() }
    reader.at = stream.sendIfRoom({ event: 'run.output.snapshot', data }) ? end : undefined
  }

  function endAll(readers: Set<Reader>): void {
    for (const { stream } of [...readers]) stream.end()
  }

  return {
    follow(id, after, stream) {
      const reader: Reader = { stream, after, isBehind: false, reads: undefined, at: undefined }
      if (watches.names().length === 0) stopPolling = repeat(clock, POLL, () => watches.readSoon())
      const watch = watches.add(id, reader)
      sendText(id, reader, watch.streamed)
      stream.onOver(() => {
        if (watches.names().length === 0) stopPolling()
      })
      if (isOver) stream.end()
      else watch.reads.ask()
    },
    handlers: { ...remoteOutput.handlers, ...relayOutput({ clock, vault, live, signals, notifier, pace }) },
    stop() {
      isOver = true
      pace.stop()
      for (const id of watches.names()) endAll(watches.get(id)?.readers ?? new Set())
    },
  }
}
