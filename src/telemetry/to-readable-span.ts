import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import type { SpanContext } from '../core/span-context.ts'
import { hrTime } from './hr-time.ts'
import { SCOPE } from './scope.ts'
import { SAMPLED, SPAN_KIND, type Span } from './span.ts'

type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number]

/** `SpanStatusCode` of OpenTelemetry. */
const [UNSET, ERROR] = [0, 2]

const sampled = ({ traceId, spanId }: SpanContext) => ({ traceId, spanId, traceFlags: SAMPLED })

/** A span as the exporter takes it. */
export function toReadableSpan(span: Span, resource: Resource): ReadableSpan {
  const { name, kind, traceId, parentSpanId, startedAt, attributes, links = [], error } = span
  const context = sampled(span)
  // Of two clocks the one that wrote the beginning may be ahead.
  const endedAt = Math.max(startedAt, span.endedAt)
  return {
    ...{ name, kind: SPAN_KIND[kind], spanContext: () => context, ended: true },
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: { ...sampled({ traceId, spanId: parentSpanId }) } }),
    ...{ startTime: hrTime(startedAt), endTime: hrTime(endedAt), duration: hrTime(endedAt - startedAt) },
    status: error === undefined ? { code: UNSET } : { code: ERROR, message: error },
    attributes: error === undefined ? attributes : { ...attributes, 'error.type': error },
    links: links.map((link) => ({ context: sampled(link) })),
    ...{ events: [], resource, instrumentationScope: SCOPE },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}
