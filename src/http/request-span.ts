import type { FastifyRequest } from 'fastify'
import type { Millis } from '../core/clock.ts'
import type { ActiveSpan, SpanContext } from '../core/span-context.ts'
import { type Attributes, newContext, newSpanId, readTraceparent } from '../telemetry/span.ts'
import type { Spans } from '../telemetry/telemetry.ts'

/** The span of a request in progress, in a sampled trace. */
export interface RequestSpan extends Required<ActiveSpan> {
  parentSpanId: string | undefined
  /** The caller's span, where it is not the parent. */
  link: SpanContext | undefined
}

/** Paths that supervisors poll. */
const UNTRACED = new Set(['/livez', '/readyz', '/metrics'])

/**
 * Begins the span of a request. A caller's `traceparent` is only a link unless the operator trusts callers: otherwise a
 * caller could force sampling, or write into another trace.
 * @returns undefined where the trace is not sampled
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

/** Ends the span of a request. It names the route and not the path or query, which may hold secrets. */
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
