import { type Clock, fromIso, type Millis, SECOND } from '../core/clock.ts'

/** What answered at a URL of the operator's own. */
export interface Probe {
  status: number
  /** The body, where it is JSON. */
  body: unknown
  /** How far its clock is ahead of this one, by its `Date` header. */
  skew: Millis | undefined
}

const PATIENCE: Millis = 5 * SECOND

/**
 * Asks a URL that the operator configured, once.
 * @throws Error when nothing answers in time
 */
export async function probeUrl(url: string, clock: Clock): Promise<Probe> {
  const { request } = await import('undici')
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
