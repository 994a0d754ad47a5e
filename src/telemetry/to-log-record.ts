import type { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import { hrTime } from './hr-time.ts'
import { SCOPE } from './scope.ts'
import { SAMPLED } from './span.ts'

type LogRecord = Parameters<OTLPLogExporter['export']>[0][number]

/** A line of the log. */
interface Line {
  level: number
  time: number
  msg?: string
  trace_id?: string
  span_id?: string
  [name: string]: unknown
}

/** Severities of OpenTelemetry by the levels of the log. */
const SEVERITY: Record<number, [number, string]> = {
  10: [1, 'TRACE'],
  20: [5, 'DEBUG'],
  30: [9, 'INFO'],
  40: [13, 'WARN'],
  50: [17, 'ERROR'],
  60: [21, 'FATAL'],
}
const LONGEST_VALUE = 4_096

/** A line of the log as the exporter takes it; none where it is no JSON. */
export function toLogRecord(text: string, resource: Resource): LogRecord[] {
  let line: Line
  try {
    line = JSON.parse(text) as Line
  } catch {
    return []
  }
  const { level, time, msg, trace_id: traceId, span_id: spanId, ...rest } = line
  const [severityNumber, severityText] = SEVERITY[level] ?? [0, String(level)]
  const moment = hrTime(time)
  return [
    {
      ...{ hrTime: moment, hrTimeObserved: moment, severityNumber, severityText, body: msg ?? '' },
      ...(traceId === undefined || spanId === undefined
        ? {}
        : { spanContext: { traceId, spanId, traceFlags: SAMPLED } }),
      attributes: toAttributes(rest),
      ...{ resource, instrumentationScope: SCOPE, droppedAttributesCount: 0 },
    },
  ]
}

/** An error has its members side by side, as OpenTelemetry names them. */
function toAttributes({ err, path, ...rest }: Record<string, unknown>): LogRecord['attributes'] {
  const { type, message, stack } = (err ?? {}) as Record<string, unknown>
  const all = {
    ...rest,
    // The record has the path without its query; the log shows parts of the query.
    ...{ path: typeof path === 'string' ? path.split('?', 1)[0] : path },
    ...{ 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack },
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]): [string, string | number | boolean][] => {
      if (value === undefined || value === null) return []
      if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]]
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return [[name, text.slice(0, LONGEST_VALUE)]]
    }),
  )
}
