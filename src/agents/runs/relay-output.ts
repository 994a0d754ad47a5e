import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { type Id, readId } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'
import type { LiveRuns } from '../steps/live-runs.ts'
import type { RunSignals } from '../steps/run-signals.ts'
import { LONGEST_OUTPUT, truncateToFit, tryKeyOf, writePiece } from './output-pieces.ts'
import type { OutputRate } from './output-rate.ts'

/** How long a request of a reading process is valid; the process renews it. */
const SUBSCRIPTION_LIFETIME: Millis = 12 * SECOND
/** Most runs whose requests are kept. */
const MOST_SUBSCRIPTIONS = 4_096
/** Longest request of another process, in characters. */
const LONGEST_NAME = 120

/** A run with readers in other processes. */
interface Subscription {
  until: Millis
  /** The try whose text was sent last. `base` is its first relayed character, `sent` the one after the last. */
  sentTry: string
  base: number
  sent: number
}

/**
 * Sends the text of models in this process's runs, in pieces, to the processes that request it.
 * @returns the handlers of these requests
 */
export function relayOutput(parts: {
  clock: Clock
  vault: Vault
  live: Pick<LiveRuns, 'get'>
  signals: Pick<RunSignals, 'watch'>
  notifier: Pick<Notifier, 'notify'>
  pace: OutputRate
}): Handlers {
  const { clock, vault, live, signals, notifier, pace } = parts
  const subscriptions = createBoundedMap<Id<'run'>, Subscription>(MOST_SUBSCRIPTIONS)

  signals.watch({
    changed() {},
    textGrew: offer,
    textEnded(id) {
      const run = live.get(id)
      if (run !== undefined) pace.flush(run.organizationId, keyOf(id))
    },
  })

  const keyOf = (id: Id<'run'>) => `said ${id}`

  function offer(id: Id<'run'>): void {
    const run = live.get(id)
    const one = subscriptions.get(id)
    if (run === undefined || one === undefined || one.until < clock.now()) return
    pace.offer(run.organizationId, keyOf(id), (room) => send(id, one, room))
  }

  function send(
    id: Id<'run'>,
    one: Subscription,
    room: number,
  ): { bytes: number; isWhole: boolean } | undefined {
    const streamed = live.get(id)?.streamedText()
    if (streamed === undefined) return undefined
    if (one.sentTry !== tryKeyOf(streamed))
      Object.assign(one, { sentTry: tryKeyOf(streamed), base: 0, sent: 0 })
    const end = streamed.text.length
    if (end - one.sent > LONGEST_OUTPUT) {
      one.sent = end - LONGEST_OUTPUT
      one.base = one.sent
    }
    const text = truncateToFit(streamed.text.slice(one.sent, one.sent + room), room)
    if (text === '') return undefined
    const name = writePiece(vault, { ...streamed, runId: id, base: one.base, from: one.sent, text })
    notifier.notify('said', name)
    one.sent += text.length
    return { bytes: name.length, isWhole: one.sent === end }
  }

  return {
    // Every connection to the database can send a request: pieces are sealed, and the output rate bounds them.
    watchedRuns(names) {
      for (const name of names ?? []) {
        if (name.length > LONGEST_NAME) continue
        const [head = '', which = '', length = ''] = name.split(' ')
        const id = readId('run', head)
        if (id === undefined) continue
        const one = subscriptions.get(id) ?? { until: 0, sentTry: '', base: 0, sent: 0 }
        one.until = clock.now() + SUBSCRIPTION_LIFETIME
        subscriptions.set(id, one)
        const streamed = live.get(id)?.streamedText()
        if (streamed === undefined) continue
        // A process that has less text than was sent gets the rest from its position on.
        const has = which === tryKeyOf(streamed) && /^\d{1,9}$/.test(length) ? Number(length) : 0
        if (one.sentTry === tryKeyOf(streamed)) one.sent = Math.min(one.sent, Math.max(one.base, has))
        offer(id)
      }
    },
  }
}
