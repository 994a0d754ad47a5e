import type { Id, Kind } from './id.ts'

/** The ids of a span (W3C Trace Context) in hex: 16 bytes of the trace, 8 of the span. */
export interface SpanContext {
  traceId: string
  spanId: string
}

/** A running span, and the spans in other traces that it has caused. */
export interface ActiveSpan extends SpanContext {
  links?: SpanContext[]
}

/** Links of one span at most. */
const MOST_LINKS = 32

/** Adds a span link, which is exported when the span ends. */
export function addLink(cause: ActiveSpan | undefined, effect: SpanContext): void {
  const { links } = cause ?? {}
  if (links !== undefined && links.length < MOST_LINKS) links.push(effect)
}

/**
 * The span of a thing, derived from its id. The trace has the UUID of the id, so that every process can continue it and no row
 * stores it.
 */
export function spanContextOf(id: Id<Kind>): SpanContext {
  const uuid = id.slice(-36)
  const spanId = spanIdOf(id)
  return { traceId: `${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(14, 18)}${spanId}`, spanId }
}

/**
 * The span id of a thing: the second half of its UUID.
 * @param place distinguishes the spans of one thing; 0 is its own
 */
export function spanIdOf(id: Id<Kind>, place = 0): string {
  const half = id.slice(-17, -13) + id.slice(-12)
  if (place === 0) return half
  const last = (Number.parseInt(half.slice(-4), 16) ^ place) & 0xffff
  return half.slice(0, -4) + (0x10000 | last).toString(16).slice(1)
}
