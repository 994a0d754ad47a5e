import type { Id, Kind } from '../../core/id.ts'
import { type SpanContext, spanContextOf, spanIdOf } from '../../core/span-context.ts'

/** The header by which a receiver continues the trace of an event (W3C Trace Context). */
export const TRACE_HEADER = 'traceparent'

/** The span of an attempt: in the trace of its event, below that of its delivery. */
export function attemptContext(eventId: string, deliveryId: string, number: number): SpanContext {
  const { traceId } = spanContextOf(eventId as Id<Kind>)
  return { traceId, spanId: spanIdOf(deliveryId as Id<Kind>, number) }
}
