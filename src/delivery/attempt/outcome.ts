import type { Millis } from '../../core/clock.ts'
import { readRetryAfter } from '../../net/retry-after.ts'

/** The result of an attempt, as the sender saw it. */
export type Result = { status: number; retryAfter: string | undefined } | { failure: Failure }

/** What the result means for the delivery. */
export interface Outcome {
  verdict: 'delivered' | 'retry' | 'failed' | 'gone'
  /** Stands in the delivery's `reason` and in the metrics. */
  reason: string
  /** Not before this moment, when the destination asked so. */
  notBefore?: Millis
}

/** The verdict where there was no whole answer. */
const OF_FAILURE = {
  timeout: 'retry',
  dns: 'retry',
  refused: 'retry',
  reset: 'retry',
  tls: 'retry',
  invalid_answer: 'retry',
  blocked_address: 'failed',
} as const satisfies Record<string, Outcome['verdict']>

/** Ways in which an attempt gets no whole answer. */
export type Failure = keyof typeof OF_FAILURE
export const FAILURES = Object.keys(OF_FAILURE) as Failure[]

/** The verdict by status, and by the hundred of all other statuses. */
const OF_STATUS: Record<number, Outcome['verdict']> = { 410: 'gone', 429: 'retry' }
const OF_HUNDRED: Record<number, Outcome['verdict']> = { 2: 'delivered', 5: 'retry' }

/**
 * The outcome table of decisions: webhooks, for every possible result: 2xx delivered; 5xx, 429 and every failure to get
 * an answer retry; 410 gone; all else, redirects included, failed.
 */
export function classify(result: Result, now: Millis): Outcome {
  if ('failure' in result) return { verdict: OF_FAILURE[result.failure], reason: result.failure }
  const { status, retryAfter } = result
  const verdict = OF_STATUS[status] ?? OF_HUNDRED[Math.floor(status / 100)] ?? 'failed'
  const reason = `http_${status}`
  const notBefore = verdict === 'retry' ? readRetryAfter(retryAfter, now) : undefined
  return notBefore === undefined ? { verdict, reason } : { verdict, reason, notBefore }
}
