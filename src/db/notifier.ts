import { randomUUID } from 'node:crypto'
import { type Clock, type Millis, sleep, turn } from '../core/clock.ts'
import { createCoalescedRuns } from '../core/coalesced-runs.ts'
import { type Id, type Kind, readId } from '../core/id.ts'
import type { Channel } from './engine/engine.ts'

/**
 * What there is to tell of: deliveries that are due, by webhook; those that a person waits for, by webhook and delivery;
 * workers that come, go, or divide lanes anew; mails to be sent; credentials that changed; jobs in rows that are due, are to be cancelled or
 * have ended; runs whose readers are elsewhere than their process, and what models say in those; runs that have changed;
 * organizations whose live stream has a new reader, and those whose live stream has new changes. One notification is handled in
 * this order, so that readers get the output of a model before the end of its step.
 */
const TOPICS = [
  'deliveries',
  'workers',
  'expedited',
  'mails',
  'credentials',
  'jobs',
  'cancelledJobs',
  'endedJobs',
  'watchedRuns',
  'said',
  'runs',
  'watched',
  'streams',
] as const
type Topic = (typeof TOPICS)[number]

/** Is notified of what happened elsewhere: the names concerned, or undefined where that may be any. */
type Handler = (names: string[] | undefined) => void

/**
 * The ids of one kind among the names of a notification, in their order; none where `names` is undefined. Any client of the
 * database can send a notification, so every other text is dropped.
 */
export function idsOf<K extends Kind>(kind: K, names: string[] | undefined): Id<K>[] {
  return (names ?? []).flatMap((name) => readId(kind, name) ?? [])
}

/** One a topic; a topic without one is not for this process. */
export type Handlers = Partial<Record<Topic, Handler>>

/**
 * What the processes on one database tell each other, so that nobody has to look for it all the time. A
 * notification may be lost; whoever needs certainty still looks, only seldom.
 */
export interface Notifier {
  /** Tells the other processes, soon and together with what else there is to tell; nobody waits for it. */
  notify(topic: Topic, name?: string): void
  /**
   * Hears from the others what has a handler. Each handler is called without names whenever something may have been
   * missed: when listening begins, and begins again.
   */
  listen(handlers: Handlers): Promise<void>
  /** Tells what is still to be told, and hears no more. */
  close(): Promise<void>
}

/** For a database that one process has to itself. */
export const NO_NOTIFIER: Notifier = { notify: () => {}, listen: async () => {}, close: async () => {} }

/** Notifications of one process are at least this far apart: their commits wait for each other in all the database. */
const INTERVAL: Millis = 25

/** PostgreSQL refuses longer ones, in bytes. */
const LONGEST = 7_999

/** Where there is no room for all names, those of these topics are left out first: their listeners ask for what they miss. */
const REPAIRED: readonly Topic[] = ['said', 'watchedRuns']

/** As it travels: who tells it, and of each topic the names, or null for any. */
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
      // After what else this turn of the loop has to tell.
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
 * The message: the names of what has to arrive, or none where those alone are too many, and after them as many names as there is
 * room for of what is repaired.
 */
function write(from: string, pending: Map<Topic, Set<string> | null>): string {
  const all = [...pending].map(([topic, names]) => [topic, names && [...names]] as const)
  const lasting = all.filter(([topic]) => !REPAIRED.includes(topic))
  const message: Message = { from, topics: Object.fromEntries(lasting) }
  if (bytesOf(message) > LONGEST) message.topics = Object.fromEntries(lasting.map(([topic]) => [topic, null]))
  let room = LONGEST - bytesOf(message)
  for (const [topic, names] of all) {
    if (!REPAIRED.includes(topic)) continue
    // The member itself, with its quotation marks, colon, brackets and comma.
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
 * What a text says that came on the channel. Whoever may connect to the database may send one: of what no Postern would
 * send nothing is taken. A process of another version may tell of more topics; they are passed over.
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
