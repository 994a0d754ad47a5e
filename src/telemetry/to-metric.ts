import type { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Millis } from '../core/clock.ts'
import { hrTime } from './hr-time.ts'

type Metric = Parameters<OTLPMetricExporter['export']>[0]['scopeMetrics'][number]['metrics'][number]

/** A metric with its series, as the registry of `/metrics` gives it. */
export interface MetricFamily {
  name: string
  help: string
  type: string
  values: { value: number; labels: Record<string, string | number>; metricName?: string }[]
}

/** Of the package: `DataPointType`, `AggregationTemporality`, `ValueType`. */
const [HISTOGRAM, GAUGE, SUM] = [0, 2, 3]
const [CUMULATIVE, DOUBLE] = [1, 1]

type Labels = Record<string, string | number>

/**
 * A metric of the registry as the exporter takes it; none where it has no series.
 * @param beganAt since when counters and histograms count
 */
export function toMetric(family: MetricFamily, beganAt: Millis, now: Millis): Metric[] {
  const { name, help, type, values } = family
  const at = { startTime: hrTime(beganAt), endTime: hrTime(now) }
  const descriptor = { name, description: help, unit: unitOf(name), valueType: DOUBLE }
  const points = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels: attributes }) => ({ ...at, attributes, value }))
  if (points.length === 0) return []
  const common = { descriptor, aggregationTemporality: CUMULATIVE }
  if (type === 'histogram')
    return [{ ...common, dataPointType: HISTOGRAM, dataPoints: toHistograms(family, at) } as Metric]
  if (type === 'counter')
    return [{ ...common, dataPointType: SUM, isMonotonic: true, dataPoints: points } as Metric]
  return [{ ...common, dataPointType: GAUGE, dataPoints: points } as Metric]
}

function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's'
  return /_bytes(_total)?$/.test(name) ? 'By' : ''
}

/** Buckets of the registry count everything below their limit, those of OpenTelemetry what lies between two limits. */
function toHistograms({ name, values }: MetricFamily, at: object): object[] {
  const series = new Map<
    string,
    { labels: Labels; buckets: [number, number][]; sum: number; count: number }
  >()
  for (const { value, labels: all, metricName } of values) {
    const { le, ...labels } = all
    const key = JSON.stringify(Object.entries(labels).sort())
    const one = series.get(key) ?? { labels, buckets: [], sum: 0, count: 0 }
    series.set(key, one)
    if (metricName === `${name}_sum`) one.sum = value
    else if (metricName === `${name}_count`) one.count = value
    else if (le !== undefined && le !== '+Inf') one.buckets.push([Number(le), value])
  }
  return [...series.values()].map(({ labels: attributes, buckets, sum, count }) => {
    const sorted = buckets.sort(([one], [other]) => one - other)
    const counts = [...sorted.map(([, below]) => below), count]
    return {
      ...at,
      attributes,
      value: {
        buckets: {
          boundaries: sorted.map(([limit]) => limit),
          counts: counts.map((below, index) => below - (counts[index - 1] ?? 0)),
        },
        ...{ sum, count },
      },
    }
  })
}
