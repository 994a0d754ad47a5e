import { FAILURES } from './outcome.ts'

/** Answers that delivered nothing, by the hundred of their status; statuses outside the standard are `http_other`. */
const OF_HUNDRED: Record<number, ErrorClass | null> = {
  2: null,
  3: 'http_3xx',
  4: 'http_4xx',
  5: 'http_5xx',
}

/** Why an attempt can fail: each `Failure`, and the classes of answers. */
export const ERROR_CLASSES = [...FAILURES, 'http_3xx', 'http_4xx', 'http_5xx', 'http_other'] as const

type ErrorClass = (typeof ERROR_CLASSES)[number]

/** The class of a failed attempt; null where it succeeded, or where there was none. */
export function errorClassOf(statusCode: number | null, failure: string | null): ErrorClass | null {
  if (statusCode === null)
    return (ERROR_CLASSES as readonly string[]).includes(failure ?? '') ? (failure as ErrorClass) : null
  const known = OF_HUNDRED[Math.floor(statusCode / 100)]
  return known === undefined ? 'http_other' : known
}
