import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { type Id, readId } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'
import type { LiveRuns } from '../steps/live-runs.ts'
import type { RunSignals } from '../steps/run-signals.ts'
import { fitting, LONGEST_SAID, tryOf, writePiece } from './output-pieces.ts'
import type { Pace } from './pace.ts'

/** How long a request of a reading process counts, in milliseconds; the process renews it. */
const ASKED_FOR: Millis = 12 * SECOND
/** Runs whose requests are remembered. */
const MOST_ASKED = 4_096
/** Longest request of another process, in characters. */
const LONGEST_NAME = 120

/** A run that has readers at other processes. */
interface Asked {
  until: Millis
  /** The try whose text was sent last. `base` is the first character of it that is relayed, `sent` the one after the last. */
  sentTry: string
  base: number
  sent: number
}

/**
 * Sends what models say in the runs of this process, in pieces, to the processes that ask for it.
 * @returns the handlers of such requests
 */
export function relayOutput(parts: {
  clock: Clock
  vault: Vault
  live: Pick<LiveRuns, 'get'>
  signals: Pick<RunSignals, 'watch'>
  notifier: Pick<Notifier, 'notify'>
  pace: Pace
}): Handlers {
  const { clock, vault, live, signals, notifier, pace } = parts
  const asked = createBoundedMap<Id<'run'>, Asked>(MOST_ASKED)

  signals.watch({
    changed() {},
    said: offer,
    saidAll(id) {
      const run = live.get(id)
      if (run !== undefined) pace.flush(run.organizationId, keyOf(id))
    },
  })

  const keyOf = (id: Id<'run'>) => `said ${id}`

  function offer(id: Id<'run'>): void {
    const run = live.get(id)
    const one = asked.get(id)
    if (run === undefined || one === undefined || one.until < clock.now()) return
    pace.offer(run.organizationId, keyOf(id), (room) => tell(id, one, room))
  }

  function tell(id: Id<'run'>, one: Asked, room: number): { bytes: number; isWhole: boolean } | undefined {
    const saying = live.get(id)?.saying()
    if (saying === undefined) return undefined
    if (one.sentTry !== tryOf(saying)) Object.assign(one, { sentTry: tryOf(saying), base: 0, sent: 0 })
    const end = saying.text.length
    if (end - one.sent > LONGEST_SAID) {
      one.sent = end - LONGEST_SAID
      one.base = one.sent
    }
    const text = fitting(saying.text.slice(one.sent, one.sent + room), room)
    if (text === '') return undefined
    const name = writePiece(vault, { ...saying, runId: id, base: one.base, from: one.sent, text })
    notifier.notify('said', name)
    one.sent += text.length
    return { bytes: name.length, isWhole: one.sent === end }
  }

  return {
    // Every connection to the database can send a request: pieces are sealed, and the pace bounds them.
    watchedRuns(names) {
      for (const name of names ?? []) {
        if (name.length > LONGEST_NAME) continue
        const [head = '', which = '', length = ''] = name.split(' ')
        const id = readId('run', head)
        if (id === undefined) continue
        const one = asked.get(id) ?? { until: 0, sentTry: '', base: 0, sent: 0 }
        one.until = clock.now() + ASKED_FOR
        asked.set(id, one)
        const saying = live.get(id)?.saying()
        if (saying === undefined) continue
        // A process that has less of the text than was sent is sent the rest from there on.
        const has = which === tryOf(saying) && /^\d{1,9}$/.test(length) ? Number(length) : 0
        if (one.sentTry === tryOf(saying)) one.sent = Math.min(one.sent, Math.max(one.base, has))
        offer(id)
      }
    },
  }
}
