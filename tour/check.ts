import { isDeepStrictEqual } from 'node:util'
import { MINUTE, type Millis, SECOND, sleep, systemClock } from '#src/core/clock.ts'

/** Something came that was not expected; the tour ends with it. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
  readonly claim: string
  readonly expected: unknown
  readonly came: unknown
  constructor(claim: string, expected: unknown, came: unknown) {
    super(claim)
    this.claim = claim
    this.expected = expected
    this.came = came
  }
}

/** @throws Mismatch */
export function mustEqual(claim: string, came: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(came, expected)) throw new Mismatch(claim, expected, came)
}

/** @throws Mismatch */
export function mustBeBetween(claim: string, came: Millis, least: Millis, most: Millis): void {
  if (came < least || came > most) {
    throw new Mismatch(claim, `${inSeconds(least)} to ${inSeconds(most)}`, inSeconds(came))
  }
}

/** Far more than anything takes, on a machine that does much else. */
const PATIENCE: Millis = MINUTE

/**
 * What a promise comes to.
 * @throws Mismatch when it takes too long
 */
export async function within<T>(expected: string, promise: Promise<T>): Promise<T> {
  const over = new AbortController()
  const tooLong = sleep(systemClock, PATIENCE, over.signal).then(() => {
    throw new Mismatch('something is missing', `${expected} within ${inSeconds(PATIENCE)}`, 'nothing')
  })
  try {
    return await Promise.race([promise, tooLong])
  } finally {
    tooLong.catch(() => {})
    over.abort()
  }
}

export function inSeconds(duration: Millis): string {
  return `${(duration / SECOND).toFixed(2)} s`
}
