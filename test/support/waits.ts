import { setTimeout as sleep } from 'node:timers/promises'
import { type Millis, SECOND, stopwatch } from '#src/core/clock.ts'

/** No wait of a test lasts longer: far more than a busy machine needs for anything that a test waits for. */
export const PATIENCE: Millis = 90 * SECOND

/**
 * The pause between two questions, because each question takes processor time from the answer: it doubles up to the first figure,
 * and is a twentieth of a long wait up to the second one.
 */
const SHORT_PAUSE: Millis = 50
const LONGEST_PAUSE: Millis = 200
const PART_OF_WAIT = 20

export interface Wait {
  /** The awaited condition in words; by default the source of the condition. */
  what?: string
  patience?: Millis
}

/**
 * Repeats a question until its answer meets the condition.
 * @throws Error with the awaited condition and the last answer
 */
export async function until<T>(
  ask: () => Promise<T> | T,
  isSo: (answer: T) => boolean,
  { what = `${ask} → ${isSo}`, patience = PATIENCE }: Wait = {},
): Promise<T> {
  // Made here, where the stack still names the test.
  const late = new Error(`waited for: ${what}`)
  const elapsed = stopwatch()
  for (let asked = 0; ; asked += 1) {
    const answer = await ask()
    if (isSo(answer)) return answer
    const waited = elapsed()
    if (waited > patience) throw describeLate(late, patience, show(answer))
    await sleep(Math.min(2 ** asked - 1, Math.max(SHORT_PAUSE, waited / PART_OF_WAIT), LONGEST_PAUSE))
  }
}

/**
 * The value of `promise`.
 * @param now the state so far, for the message of a failure
 * @throws Error with the awaited condition
 */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  { patience = PATIENCE, now = () => '' }: { patience?: Millis; now?: () => unknown } = {},
): Promise<T> {
  const late = new Error(`waited for: ${what}`)
  const over = new AbortController()
  const limit = sleep(patience, undefined, { signal: over.signal }).then(
    () => Promise.reject(describeLate(late, patience, show(now()))),
    () => promise,
  )
  try {
    return await Promise.race([promise, limit])
  } finally {
    over.abort()
  }
}

function describeLate(late: Error, patience: Millis, answer: string): Error {
  late.message += ` (${patience / SECOND} s). The last answer: ${answer}`
  return late
}

function show(answer: unknown): string {
  const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? String(answer))
  return text.length > 2_000 ? `${text.slice(0, 2_000)} …` : text
}
