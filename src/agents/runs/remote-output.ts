import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'
import type { Saying } from '../steps/live-runs.ts'
import { LONGEST_SAID, type Piece, readPiece, tryOf } from './output-pieces.ts'
import type { Pace } from './pace.ts'

/** Time between two requests for a run. The process that steps the run drops a request after three of them. */
const RENEWAL: Millis = 4 * SECOND
/** The same where a piece of the text is missing. */
const REPAIR: Millis = SECOND / 2

/** A run with readers in this process that is stepped in another one. */
export interface RemoteRun {
  organizationId: Id<'organization'>
  askedAt: Millis
  saying: Saying | undefined
}

/** Receives what models say in runs that other processes step. */
interface RemoteOutput {
  /**
   * Asks all processes for the text of the run; the one that steps it sends pieces. Repeated within `RENEWAL`, it does nothing.
   * @param isUrgent where text is missing: then the limit is `REPAIR`
   */
  ask(id: Id<'run'>, remote: RemoteRun, isUrgent?: boolean): void
  /** Handlers of notifications that other processes send. */
  handlers: Handlers
}

/**
 * @param parts.remoteOf the run as its readers know it; undefined where it has no readers here, or is stepped here
 * @param parts.onSaid called when more of the text of a run has come
 * @param parts.onListening called when notifications may have been lost
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
 * Adds a piece to the known text.
 * @returns the known text itself where the piece adds nothing; `gap` where text before the piece is missing
 */
function withPiece(known: Saying | undefined, piece: Piece): Saying | 'gap' | undefined {
  const { seq, tries, claim, base, from, text } = piece
  if (known !== undefined && (seq < known.seq || (seq === known.seq && tries < known.tries))) return known
  const isSame = known !== undefined && tryOf(known) === tryOf(piece)
  // The first piece of a try begins at its `base`.
  if (!isSame || from > endOf(known))
    return from === base ? { seq, tries, claim, base, text, last: text } : 'gap'
  const more = text.slice(endOf(known) - from)
  if (more === '') return known
  const whole = known.text + more
  const cut = whole.length > 2 * LONGEST_SAID ? whole.length - LONGEST_SAID : 0
  return { ...known, base: known.base + cut, text: whole.slice(cut), last: more }
}
