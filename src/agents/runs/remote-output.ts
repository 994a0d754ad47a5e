import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'
import type { Saying } from '../steps/live-runs.ts'
import { LONGEST_SAID, type Piece, readPiece, tryOf } from './output-pieces.ts'
import type { Pace } from './pace.ts'

/** How often it is said again that a run has readers here: thrice before the other process takes it that there are none. */
const RENEWAL: Millis = 4 * SECOND
/** And how soon where something is missing. */
const REPAIR: Millis = SECOND / 2

/** A run with readers in this process that is stepped in another one. */
export interface RemoteRun {
  organizationId: Id<'organization'>
  askedAt: Millis
  saying: Saying | undefined
}

/** Hears what models say in runs that other processes step. */
export interface RemoteOutput {
  /** Asks whichever process steps the run to tell what is said in it, unless that was asked just now. */
  ask(id: Id<'run'>, remote: RemoteRun, isUrgent?: boolean): void
  /** What is to be done when another process tells of something. */
  handlers: Handlers
}

/**
 * @param parts.remoteOf the run as its readers know it; undefined where it has none here, or is stepped here
 * @param parts.onSaid is called when there is more of a run
 */
export function createRemoteOutput(parts: {
  clock: Clock
  vault: Vault
  notifier: Pick<Notifier, 'notify'>
  pace: Pace
  remoteOf(id: Id<'run'>): RemoteRun | undefined
  onSaid(id: Id<'run'>): void
  onListening(): void
}): RemoteOutput {
  const { clock, vault, notifier, pace, remoteOf, onSaid, onListening } = parts

  function ask(id: Id<'run'>, remote: RemoteRun, isUrgent = false): void {
    if (clock.now() - remote.askedAt < (isUrgent ? REPAIR : RENEWAL)) return
    remote.askedAt = clock.now()
    pace.offer(remote.organizationId, `ask ${id}`, () => {
      const { saying } = remote
      const has = saying === undefined ? '' : ` ${tryOf(saying)} ${endOf(saying)}`
      notifier.notify('watchedRuns', id + has)
      return { bytes: id.length + has.length + 3, isWhole: true }
    })
  }

  return {
    ask,
    handlers: {
      said(names) {
        if (names === undefined) return onListening()
        for (const name of names) {
          const piece = readPiece(vault, name)
          const remote = piece && remoteOf(piece.runId)
          if (piece === undefined || remote === undefined) continue
          const saying = withPiece(remote.saying, piece)
          if (saying === 'gap') ask(piece.runId, remote, true)
          else if (saying !== remote.saying) {
            remote.saying = saying
            onSaid(piece.runId)
          }
        }
      },
    },
  }
}

const endOf = ({ base, text }: Saying) => base + text.length

/**
 * What is known to be said once a piece has come: the same where it says nothing new, `gap` where something before it is missing.
 */
export function withPiece(known: Saying | undefined, piece: Piece): Saying | 'gap' | undefined {
  const { seq, tries, claim, base, from, text } = piece
  if (known !== undefined && (seq < known.seq || (seq === known.seq && tries < known.tries))) return known
  const isSame = known !== undefined && tryOf(known) === tryOf(piece)
  // All that is passed on begins here.
  if (!isSame || from > endOf(known))
    return from === base ? { seq, tries, claim, base, text, last: text } : 'gap'
  const more = text.slice(endOf(known) - from)
  if (more === '') return known
  const whole = known.text + more
  const cut = whole.length > 2 * LONGEST_SAID ? whole.length - LONGEST_SAID : 0
  return { ...known, base: known.base + cut, text: whole.slice(cut), last: more }
}
