import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'
import type { StreamedText } from '../steps/live-runs.ts'
import { LONGEST_OUTPUT, type Piece, readPiece, tryKeyOf } from './output-pieces.ts'
import type { OutputRate } from './output-rate.ts'

/** Time between two requests for a run. The process that steps the run drops a request after three intervals. */
const RENEWAL: Millis = 4 * SECOND
/** The interval while a piece of the text is missing. */
const REPAIR: Millis = SECOND / 2

/** A run with readers in this process and steps in another one. */
export interface RemoteRun {
  organizationId: Id<'organization'>
  askedAt: Millis
  streamed: StreamedText | undefined
}

/** Receives the text of models in runs that other processes step. */
interface RemoteOutput {
  /**
   * Requests the text of a run from all processes; the one that steps it sends pieces. A repeated call within `RENEWAL`
   * does nothing.
   * @param isUrgent where text is missing: the interval is then `REPAIR`
   */
  ask(id: Id<'run'>, remote: RemoteRun, isUrgent?: boolean): void
  /** Handlers of notifications from other processes. */
  handlers: Handlers
}

/**
 * @param parts.remoteOf returns a run with readers here and steps elsewhere; undefined for any other
 * @param parts.onSaid called when text of a run has arrived
 * @param parts.onListening called when notifications may have been lost
 */
export function createRemoteOutput(parts: {
  clock: Clock
  vault: Vault
  notifier: Pick<Notifier, 'notify'>
  pace: OutputRate
  remoteOf(id: Id<'run'>): RemoteRun | undefined
  onSaid(id: Id<'run'>): void
  onListening(): void
}): RemoteOutput {
  const { clock, vault, notifier, pace, remoteOf, onSaid, onListening } = parts

  function ask(id: Id<'run'>, remote: RemoteRun, isUrgent = false): void {
    if (clock.now() - remote.askedAt < (isUrgent ? REPAIR : RENEWAL)) return
    remote.askedAt = clock.now()
    pace.offer(remote.organizationId, `ask ${id}`, () => {
      const { streamed } = remote
      const has = streamed === undefined ? '' : ` ${tryKeyOf(streamed)} ${endOf(streamed)}`
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
          const streamed = withPiece(remote.streamed, piece)
          if (streamed === 'gap') ask(piece.runId, remote, true)
          else if (streamed !== remote.streamed) {
            remote.streamed = streamed
            onSaid(piece.runId)
          }
        }
      },
    },
  }
}

const endOf = ({ base, text }: StreamedText) => base + text.length

/**
 * Adds a piece to the known text.
 * @returns the known text itself where the piece adds nothing; `gap` where text before the piece is missing
 */
function withPiece(known: StreamedText | undefined, piece: Piece): StreamedText | 'gap' | undefined {
  const { seq, tries, claim, base, from, text } = piece
  if (known !== undefined && (seq < known.seq || (seq === known.seq && tries < known.tries))) return known
  const isSame = known !== undefined && tryKeyOf(known) === tryKeyOf(piece)
  // The first piece of a try begins at its `base`.
  if (!isSame || from > endOf(known))
    return from === base ? { seq, tries, claim, base, text, last: text } : 'gap'
  const more = text.slice(endOf(known) - from)
  if (more === '') return known
  const whole = known.text + more
  const cut = whole.length > 2 * LONGEST_OUTPUT ? whole.length - LONGEST_OUTPUT : 0
  return { ...known, base: known.base + cut, text: whole.slice(cut), last: more }
}
