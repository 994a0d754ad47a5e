import type { FastifyRequest } from 'fastify'
import type { Millis } from '../core/clock.ts'
import type { ActiveSpan, SpanContext } from '../core/span-context.ts'
import { type Attributes, newContext, newSpanId, readTraceparent } from '../telemetry/span.ts'
import type { Spans } from '../telemetry/telemetry.ts'

/** The span of a request under way, in a sampled trace. */
export interface RequestSpan extends Required<ActiveSpan> {
  parentSpanId: string | undefined
  /** The caller's, where that is not the parent. */
  link: SpanContext | undefined
}

/** What supervisors ask all the time. */
const UNTRACED = new Set(['/livez', '/readyz', '/metrics'])

/**
 * Begins the span of a request. A `traceparent` is a link unless the operator trusts callers: else one could have everything
 * sampled, or write into the trace of another.
 * @returns undefined where its trace is not sampled
 */
export function beginRequestSpan(
  spans: Spans,
  { headers, routeOptions }: FastifyRequest,
): RequestSpan | undefined {
  if (UNTRACED.has(routeOptions.url ?? '')) return undefined
  const caller = readTraceparent(headers.traceparent)
  const parent = spans.trustsCallers ? caller : undefined
  const context = parent === undefined ? newContext() : { traceId: parent.traceId, spanId: newSpanId() }
  if (!spans.isSampled(context.traceId, parent)) return undefined
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId: parent?.spanId,
    link: parent === undefined && caller !== undefined ? onlyContext(caller) : undefined,
    links: [],
  }
}

const onlyContext = ({ traceId, spanId }: SpanContext): SpanContext => ({ traceId, spanId })

/** Ends the span of a request. The address is told by its route alone: paths and queries may hold secrets. */
export function endRequestSpan(
  { add }: Spans,
  request: FastifyRequest,
  { route, status, durationMs }: { route: string; status: number; durationMs: Millis },
): void {
  const { span, method, now, errorCode, principal } = request
  if (span === undefined) return
  const { traceId, spanId, parentSpanId, link, links } = span
  const attributes: Attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'postern.request.id': request.id,
    'postern.error.code': errorCode,
    'postern.organization.id':
      principal !== undefined && 'organizationId' in principal ? principal.organizationId : undefined,
  }
  add({
    traceId,
    spanId,
    parentSpanId,
    name: `${method} ${route}`,
    kind: 'server',
    startedAt: now,
    endedAt: now + durationMs,
    attributes,
    links: link === undefined ? links : [link, ...links],
    error: status >= 500 ? (errorCode ?? String(status)) : undefined,
  })
}
