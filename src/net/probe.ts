import { type Clock, fromIso, type Millis, SECOND } from '../core/clock.ts'
import { loadUndici } from './load-undici.ts'

/** The answer at a URL that the operator configured. */
export interface Probe {
  status: number
  /** The body if it is JSON. */
  body: unknown
  /** How far the server's clock is ahead of this one, by its `Date` header. */
  skew: Millis | undefined
}

const PATIENCE: Millis = 5 * SECOND

/**
 * Requests a URL that the operator configured, once.
 * @throws Error where no answer arrives in time
 */
export async function probeUrl(url: string, clock: Clock): Promise<Probe> {
  const { request } = await loadUndici()
  const { statusCode, headers, body } = await request(url, {
    headersTimeout: PATIENCE,
    bodyTimeout: PATIENCE,
    signal: AbortSignal.timeout(2 * PATIENCE),
  })
  const text = await body.text()
  const date = typeof headers.date === 'string' ? fromIso(headers.date) : undefined
  return {
    status: statusCode,
    body: parse(text),
    skew: date === undefined ? undefined : date - clock.now(),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
