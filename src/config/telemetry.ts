import type { Millis } from '../core/clock.ts'
import type { TELEMETRY_VARIABLES } from './telemetry-variables.ts'

export const SIGNALS = ['traces', 'metrics', 'logs'] as const
export type Signal = (typeof SIGNALS)[number]

/** The rule for sampled traces. */
export interface Sampler {
  name: string
  /** The ratio of sampled traces among those without a parent. */
  ratio: number
}

/** The destination of a signal. */
export interface ExportTarget {
  url: string
  headers: Record<string, string>
  timeout: Millis
}

/** The signals for a collector, with their destinations. */
export interface TelemetryConfig {
  /** undefined: the signal is not sent. */
  targets: Partial<Record<Signal, ExportTarget>>
  resource: Record<string, string>
  sampler: Sampler
  metricInterval: Millis
  /** Whether a request continues the trace of its `traceparent`. */
  trustsCallers: boolean
}

type Values = {
  [Name in keyof typeof TELEMETRY_VARIABLES]: ReturnType<(typeof TELEMETRY_VARIABLES)[Name]['read']>
}

/** The default address of a collector. */
const LOCAL = 'http://localhost:4318'

/** @returns undefined where no signal is sent, so that telemetry is not loaded */
export function readTelemetry(values: Values): TelemetryConfig | undefined {
  if (values.OTEL_SDK_DISABLED) return undefined
  const targets = Object.fromEntries(
    SIGNALS.flatMap((signal) => {
      const target = targetOf(values, signal)
      return target === undefined ? [] : [[signal, target]]
    }),
  )
  if (Object.keys(targets).length === 0) return undefined
  const { OTEL_RESOURCE_ATTRIBUTES: given, OTEL_SERVICE_NAME: name } = values
  const sampler = values.OTEL_TRACES_SAMPLER
  return {
    targets,
    resource: {
      'service.name': 'postern',
      ...given,
      ...(name === undefined ? {} : { 'service.name': name }),
    },
    sampler: { name: sampler, ratio: ratioOf(sampler, values.OTEL_TRACES_SAMPLER_ARG) },
    metricInterval: values.OTEL_METRIC_EXPORT_INTERVAL,
    trustsCallers: values.TRACE_CONTEXT === 'parent',
  }
}

function targetOf(values: Values, signal: Signal): ExportTarget | undefined {
  const NAME = signal.toUpperCase() as Uppercase<Signal>
  const exporter = values[`OTEL_${NAME}_EXPORTER`]
  const own = values[`OTEL_EXPORTER_OTLP_${NAME}_ENDPOINT`]
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT ?? (exporter === 'otlp' ? LOCAL : undefined)
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/${signal}`)
  if (exporter === 'none' || url === undefined) return undefined
  return {
    url,
    headers: { ...values.OTEL_EXPORTER_OTLP_HEADERS, ...values[`OTEL_EXPORTER_OTLP_${NAME}_HEADERS`] },
    timeout: values[`OTEL_EXPORTER_OTLP_${NAME}_TIMEOUT`] ?? values.OTEL_EXPORTER_OTLP_TIMEOUT,
  }
}

function ratioOf(sampler: string, share: number): number {
  if (sampler.endsWith('always_off')) return 0
  return sampler.endsWith('traceidratio') ? share : 1
}
