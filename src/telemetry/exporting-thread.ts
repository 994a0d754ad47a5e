import { workerData } from 'node:worker_threads'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ExportTarget, TelemetryConfig } from '../config/telemetry.ts'
import { systemClock } from '../core/clock.ts'
import { lowerThreadPriority, serveQuestions } from '../core/thread.ts'
import { SCOPE } from './scope.ts'
import { requestsOf } from './span-message.ts'
import { toLogRecord } from './to-log-record.ts'
import { type MetricFamily, toMetric } from './to-metric.ts'

export type { MetricFamily }

/** What the thread is asked to send. */
export type Asked =
  | { signal: 'traces'; items: Uint8Array<ArrayBuffer> }
  | { signal: 'metrics'; items: MetricFamily[] }
  | { signal: 'logs'; items: string[] }

/** Runs in a thread of its own (`telemetry.ts`), the only one that loads the packages of OpenTelemetry. */
lowerThreadPriority()
const { targets, resource: attributes } = workerData as Pick<TelemetryConfig, 'targets' | 'resource'>
const resource = resourceFromAttributes(attributes)
const beganAt = systemClock.now()

const made = <Exporter>(target: ExportTarget | undefined, Kind: new (options: object) => Exporter) =>
  target && new Kind({ url: target.url, headers: target.headers, timeoutMillis: target.timeout })
const traces = targets.traces && sendingSpans(targets.traces)
const metrics = made(targets.metrics, OTLPMetricExporter)
const logs = made(targets.logs, OTLPLogExporter)

/** Spans come as a part of the request already: only its way to the collector is that of the packages. */
function sendingSpans({ url, headers, timeout }: ExportTarget): Exporter<Uint8Array> {
  const given = { url, headers, timeoutMillis: timeout }
  const options = convertLegacyHttpOptions(given, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/x-protobuf',
  })
  const serializer = {
    serializeRequest: requestsOf(attributes),
    deserializeResponse: () => ({}),
  }
  const uncounted = { name: 'span', countItems: () => 0 } as const
  return createOtlpHttpExportDelegate(options, serializer, 'otlp_http_span_exporter', uncounted, undefined)
}

interface Result {
  code: number
  error?: Error
}
interface Exporter<Items> {
  export: (items: Items, done: (result: Result) => void) => void
}

/** @throws Error where the collector has not taken them */
function send<Items>(exporter: Exporter<Items> | undefined, items: Items): Promise<true> {
  return new Promise((resolve, reject) => {
    if (exporter === undefined) return resolve(true)
    exporter.export(items, ({ code, error }) => {
      if (code === 0) resolve(true)
      else reject(error ?? new Error('the collector has not taken it'))
    })
  })
}

serveQuestions<Asked, true>((asked) => {
  switch (asked.signal) {
    case 'traces':
      return send(traces, asked.items)
    case 'metrics':
      return send(metrics, {
        resource,
        scopeMetrics: [
          {
            scope: SCOPE,
            metrics: asked.items.flatMap((family) => toMetric(family, beganAt, systemClock.now())),
          },
        ],
      })
    case 'logs':
      return send(
        logs,
        asked.items.flatMap((line) => toLogRecord(line, resource)),
      )
  }
})
