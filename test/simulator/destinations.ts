import { type Millis, SECOND } from '#src/core/clock.ts'
import type { Result } from '#src/delivery/attempt/outcome.ts'
import { DEADLINE } from '#src/delivery/attempt/send.ts'
import type { Dice } from './world.ts'

/** The reaction of a destination to a call: its answer, the delay, and whether it has received the event. */
export interface Treatment {
  result: Result
  after: Millis
  isTaken: boolean
}

export const CHARACTERS = [
  'healthy',
  'flapping',
  'slow',
  'dead',
  'refusing',
  'lying',
  'busy',
  'gone',
  'rejecting',
  'recovering',
] as const
/** Characters for random webhooks, and the one of the noisy organization, which accepts everything slowly. */
export type Character = (typeof CHARACTERS)[number] | 'tarpit'

const status = (code: number, retryAfter?: string): Result => ({ status: code, retryAfter })
const QUICK = [1, 80] as const

/** The reaction of a character to one call at `now`; `healsAt`: when a recovering destination becomes healthy. */
export function treat(character: Character, dice: Dice, now: Millis, healsAt: Millis): Treatment {
  const quick = dice.between(...QUICK)
  switch (character) {
    case 'healthy':
      return { result: status(204), after: quick, isTaken: true }
    case 'flapping':
      return dice.chance(0.5)
        ? { result: status(200), after: quick, isTaken: true }
        : { result: status(503), after: quick, isTaken: false }
    case 'slow': {
      const after = dice.between(5 * SECOND, 40 * SECOND)
      // It receives the event, even if the sender no longer waits for the answer.
      return after < DEADLINE
        ? { result: status(200), after, isTaken: true }
        : { result: { failure: 'timeout' }, after: DEADLINE, isTaken: true }
    }
    case 'tarpit':
      return { result: status(200), after: 25 * SECOND, isTaken: true }
    case 'dead':
      return { result: { failure: 'timeout' }, after: DEADLINE, isTaken: false }
    case 'refusing':
      return { result: { failure: 'refused' }, after: 1, isTaken: false }
    case 'lying':
      // It has taken the event in and says otherwise, or breaks off.
      return dice.chance(0.3)
        ? { result: status(200), after: quick, isTaken: true }
        : { result: dice.pick([status(500), { failure: 'reset' as const }]), after: quick, isTaken: true }
    case 'busy':
      return dice.chance(0.4)
        ? { result: status(200), after: quick, isTaken: true }
        : { result: status(429, String(dice.between(1, 90))), after: quick, isTaken: false }
    case 'gone':
      return { result: status(dice.chance(0.5) ? 410 : 200), after: quick, isTaken: true }
    case 'rejecting':
      return { result: status(404), after: quick, isTaken: false }
    case 'recovering':
      return now >= healsAt
        ? { result: status(200), after: quick, isTaken: true }
        : { result: { failure: 'refused' }, after: 1, isTaken: false }
    default:
      return character satisfies never
  }
}
