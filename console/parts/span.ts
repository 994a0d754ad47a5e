import { DAY, HOUR, MINUTE, type Millis, now, toIso } from '../app/clock.ts'

const SPAN: Record<string, Millis> = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY }

/** Since when a span of the filters reaches, to the minute: page after page is asked for the same. Undefined for any time. */
export function since(span: string): string | undefined {
  const size = SPAN[span]
  return size === undefined ? undefined : toIso(Math.floor((now() - size) / MINUTE) * MINUTE)
}
