/** The one place of the console that reads the time and waits. */

/** A moment in milliseconds, as everywhere in Postern. */
export type Millis = number

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export function now(): Millis {
  return Date.now()
}

/** Milliseconds of a time of the API; NaN for any other text. */
export function toMillis(iso: string): Millis {
  return Date.parse(iso)
}

export function toIso(at: Millis): string {
  return new Date(at).toISOString()
}

/** Calls once, later. @returns what calls it off */
export function later(wait: Millis, call: () => void): () => void {
  const timer = setTimeout(call, wait)
  return () => clearTimeout(timer)
}

/** Calls once every `wait`. @returns a function that ends it */
export function every(wait: Millis, call: () => void): () => void {
  const timer = setInterval(call, wait)
  return () => clearInterval(timer)
}
