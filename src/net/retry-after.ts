import { fromIso, type Millis, SECOND } from '../core/clock.ts'

/** Longest wait that is honoured. */
const LONGEST_RETRY_AFTER: Millis = 24 * 60 * 60 * SECOND

/**
 * Reads a `Retry-After` (RFC 9110 10.2.3): seconds or an HTTP date.
 * @returns the earliest moment of a retry; undefined for any other text
 */
export function readRetryAfter(text: string | undefined, now: Millis): Millis | undefined {
  if (text === undefined) return undefined
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : readHttpDate(text) - now
  if (Number.isNaN(wait) || wait <= 0) return undefined
  return now + Math.min(wait, LONGEST_RETRY_AFTER)
}

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/

function readHttpDate(text: string): Millis {
  return HTTP_DATE.test(text) ? (fromIso(text) ?? Number.NaN) : Number.NaN
}
