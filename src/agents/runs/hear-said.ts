import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Handlers, Notifier } from '../../db/notifier.ts'
import type { Saying } from '../steps/live-runs.ts'
import type { Pace } from './pace.ts'
import { LONGEST_SAID, type Piece, readPiece, tryOf } from './said-pieces.ts'

/** How often it is said again that a run has readers here: thrice before the other process takes it that there are none. */
const ASK_AGAIN: Millis = 4 * SECOND
/** And how soon where something is missing. */
const ASK_SOON: Millis = SECOND / 2

/** A run with readers in this process that is stepped in another one. */
export interface Heard {
  organizationId: Id<'organization'>
  askedAt: Millis
  saying: Saying | undefined
}

/** Hears what models say in runs that other processes step. */
export interface HearSaid {
  /** Asks whichever process steps the run to tell what is said in it, unless that was asked just now. */
  ask(id: Id<'run'>, heard: Heard, isUrgent?: boolean): void
  /** What is to be done when another process tells of something. */
  handlers: Handlers
}

/**
 * @param parts.heardOf the run as its readers know it; undefined where it has none here, or is stepped here
 * @param parts.onSaid is told that there is more of a run
 */
export function hearSaid(parts: {
  clock: Clock
  vault: Vault
  notifier: Pick<Notifier, 'notify'>
  pace: Pace
  heardOf(id: Id<'run'>): Heard | undefined
  onSaid(id: Id<'run'>): void
  onListening(): void
}): HearSaid {
  const { clock, vault, notifier, pace, heardOf, onSaid, onListening } = parts

  function ask(id: Id<'run'>, heard: Heard, isUrgent = false): void {
    if (clock.now() - heard.askedAt < (isUrgent ? ASK_SOON : ASK_AGAIN)) return
    heard.askedAt = clock.now()
    pace.offer(heard.organizationId, `ask ${id}`, () => {
      const { saying } = heard
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
          const heard = piece && heardOf(piece.runId)
          if (piece === undefined || heard === undefined) continue
          const saying = withPiece(heard.saying, piece)
          if (saying === 'gap') ask(piece.runId, heard, true)
          else if (saying !== heard.saying) {
            heard.saying = saying
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
