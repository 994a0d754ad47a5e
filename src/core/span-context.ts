import type { Id, Kind } from './id.ts'

/** A place in a trace (W3C Trace Context): hexadecimal, a trace of 16 bytes and a span of 8. */
export interface SpanContext {
  traceId: string
  spanId: string
}

/** A span under way, and what it has begun in traces of their own. */
export interface ActiveSpan extends SpanContext {
  links?: SpanContext[]
}

/** Links of one span at most. */
const MOST_LINKS = 32

/** Notes what a span has begun, so that it links to it when it ends. */
export function addLink(cause: ActiveSpan | undefined, effect: SpanContext): void {
  const { links } = cause ?? {}
  if (links !== undefined && links.length < MOST_LINKS) links.push(effect)
}

/**
 * The span of something that its identifier names. It begins a trace, whose id is the UUID of the identifier, so that any process can
 * continue the trace and no row keeps it.
 */
export function spanContextOf(id: Id<Kind>, place = 0): SpanContext {
  const uuid = id.slice(-36)
  const traceId = `${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(14, 18)}${spanIdOf(id)}`
  return { traceId, spanId: spanIdOf(id, place) }
}

/**
 * The id of the span of something: the second half of its UUID.
 * @param place which of the spans that belong to it; 0 is its own
 */
export function spanIdOf(id: Id<Kind>, place = 0): string {
  const half = id.slice(-17, -13) + id.slice(-12)
  if (place === 0) return half
  const last = (Number.parseInt(half.slice(-4), 16) ^ place) & 0xffff
  return half.slice(0, -4) + (0x10000 | last).toString(16).slice(1)
}
