import { randomUUID } from 'node:crypto'
import { type Clock, type Millis, sleep, turn } from '../core/clock.ts'
import { createCoalescedRuns } from '../core/coalesced-runs.ts'
import { type Id, type Kind, readId } from '../core/id.ts'
import type { Channel } from './engine/engine.ts'

/**
 * The topics of notifications. The topics of one message are handled in this order, so that readers of a run get the output of a model
 * before the end of its step.
 */
const TOPICS = [
  // Due deliveries, by webhook.
  'deliveries',
  // Workers that start, stop or rebalance lanes.
  'workers',
  // Deliveries that clients fetch, by webhook.
  'fetched',
  // Expedited deliveries, by webhook and delivery.
  'expedited',
  'mails',
  // Changed credentials, by account.
  'credentials',
  // Due row jobs.
  'jobs',
  'cancelledJobs',
  'endedJobs',
  // Runs with readers in another process than their worker, and sealed pieces of their output.
  'watchedRuns',
  'said',
  // Changed runs.
  'runs',
  // Organizations whose live stream has a new reader, and those with new changes.
  'watched',
  'streams',
] as const
type Topic = (typeof TOPICS)[number]

/** Handles a notification of another process, with the names that it concerns; undefined means any name. */
type Handler = (names: string[] | undefined) => void

/**
 * The valid ids among the names of a notification, in order; none where `names` is undefined. Any client of the database can send a
 * notification, so other texts are dropped.
 */
export function idsOf<K extends Kind>(kind: K, names: string[] | undefined): Id<K>[] {
  return (names ?? []).flatMap((name) => readId(kind, name) ?? [])
}

/** Handlers by topic; topics without a handler are ignored. */
export type Handlers = Partial<Record<Topic, Handler>>

/**
 * Notifications among the processes on one database, so that they poll seldom. A notification may be lost, so a process that must not
 * miss one also polls.
 */
export interface Notifier {
  /** Notifies the other processes within 25 ms, in batches, without waiting. */
  notify(topic: Topic, name?: string): void
  /**
   * Calls the handlers for notifications of other processes. When listening begins, also again after a lost connection, each handler is
   * called without names, because notifications may have been missed.
   */
  listen(handlers: Handlers): Promise<void>
  /** Sends the queued notifications, and stops listening. */
  close(): Promise<void>
}

/** For a database that only one process uses. */
export const NO_NOTIFIER: Notifier = { notify: () => {}, listen: async () => {}, close: async () => {} }

/** The least time between notifications of one process, because commits with notifications wait for each other in PostgreSQL. */
const INTERVAL: Millis = 25

/** The longest payload of PostgreSQL, in bytes. */
const LONGEST = 7_999

/** Topics whose names are dropped first where a message is too long: their listeners request missing data. */
const REPAIRED: readonly Topic[] = ['said', 'watchedRuns']

/** A message of the channel: its sender, and the names of each topic, or null for any. */
interface Message {
  from: string
  topics: Partial<Record<Topic, string[] | null>>
}

export function createNotifier(
  channel: Channel,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Notifier {
  const self = randomUUID()
  let waiting = new Map<Topic, Set<string> | null>()
  const closing = new AbortController()
  let interval: Promise<void> | undefined
  let stopListening = async () => {}
  const sends = createCoalescedRuns(send, {
    async pace() {
      await interval
      // One turn later, so that further notifications of this turn are included.
      await turn()
    },
  })

  async function send(): Promise<void> {
    const pending = waiting
    waiting = new Map()
    try {
      await channel.send(write(self, pending))
    } catch (cause) {
      onError(new Error('the other processes could not be notified', { cause }))
    }
    interval = sleep(clock, INTERVAL, closing.signal)
  }

  return {
    notify(topic, name) {
      if (closing.signal.aborted) return
      const names = waiting.get(topic)
      if (name === undefined) waiting.set(topic, null)
      else if (names === undefined) waiting.set(topic, new Set([name]))
      else names?.add(name)
      void sends.ask()
    },
    async listen(handlers) {
      stopListening = await channel.listen({
        onText(text) {
          const { from, topics } = read(text)
          if (from === self) return
          for (const topic of TOPICS) {
            const names = topics[topic]
            if (names !== undefined) handlers[topic]?.(names ?? undefined)
          }
        },
        onListening() {
          for (const handler of Object.values(handlers)) handler(undefined)
        },
      })
    },
    async close() {
      await stopListening()
      closing.abort()
      await sends.idle()
    },
  }
}

/**
 * Encodes one message of at most `LONGEST` bytes. Topics that are not in `REPAIRED` have all their names, or none where these are too
 * long together. Topics in `REPAIRED` have as many names as fit.
 */
function write(from: string, pending: Map<Topic, Set<string> | null>): string {
  const all = [...pending].map(([topic, names]) => [topic, names && [...names]] as const)
  const lasting = all.filter(([topic]) => !REPAIRED.includes(topic))
  const message: Message = { from, topics: Object.fromEntries(lasting) }
  if (bytesOf(message) > LONGEST) message.topics = Object.fromEntries(lasting.map(([topic]) => [topic, null]))
  let room = LONGEST - bytesOf(message)
  for (const [topic, names] of all) {
    if (!REPAIRED.includes(topic)) continue
    // The topic, with its quotation marks, colon, brackets and comma.
    room -= topic.length + 6
    const fitting: string[] = []
    for (const name of names ?? []) {
      const bytes = bytesOf(name) + 1
      if (bytes > room) break
      room -= bytes
      fitting.push(name)
    }
    if (fitting.length > 0) message.topics[topic] = fitting
  }
  return JSON.stringify(message)
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const NOTHING: Message = { from: '', topics: {} }

/**
 * Decodes a message of the channel. Any client of the database can send one, so an invalid text counts as empty. Unknown topics of other
 * versions are ignored.
 */
function read(text: string): Message {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return NOTHING
  }
  const { from, topics } = (value ?? {}) as { from?: unknown; topics?: unknown }
  if (typeof from !== 'string' || typeof topics !== 'object' || topics === null) return NOTHING
  const known = TOPICS.flatMap((topic) => {
    const names = Object.hasOwn(topics, topic) ? (topics as Record<string, unknown>)[topic] : undefined
    return isNames(names) ? [[topic, names] as const] : []
  })
  return { from, topics: Object.fromEntries(known) }
}

function isNames(value: unknown): value is string[] | null {
  return value === null || (Array.isArray(value) && value.every((name) => typeof name === 'string'))
}
