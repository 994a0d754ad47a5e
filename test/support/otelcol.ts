import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { watch } from './process.ts'
import { within } from './waits.ts'

const run = promisify(execFile)

const SOURCE = 'test/telemetry/otelcol'

/** A value of the protocol as JSON. */
interface AnyValue {
  stringValue?: string
  intValue?: string
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: AnyValue[] }
}
interface Attributed {
  attributes?: { key: string; value: AnyValue }[]
}

export interface FiledSpan {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  links?: { traceId: string; spanId: string }[]
  status: { code?: number; message?: string }
  attributes: Record<string, unknown>
}

export interface FiledRecord {
  body: { stringValue?: string }
  severityText: string
  traceId: string
  spanId: string
  attributes: Record<string, unknown>
}

export interface FiledMetric {
  name: string
  sum?: { dataPoints: FiledPoint[]; isMonotonic: boolean; aggregationTemporality: number }
  gauge?: { dataPoints: FiledPoint[] }
  histogram?: { dataPoints: FiledPoint[]; aggregationTemporality: number }
}

export interface FiledPoint {
  attributes: Record<string, unknown>
  asDouble?: number
  /** Of a histogram. */
  count?: string
}

/** What a collector has written into its file, in the order in which it came. */
export interface Filed {
  resources: Record<string, unknown>[]
  spans: FiledSpan[]
  records: FiledRecord[]
  metrics: FiledMetric[]
}

/** The collector of OpenTelemetry itself. */
export interface Otelcol {
  url: string
  /** Ends it, which writes all that it took. */
  end(): Promise<Filed>
}

/** Builds the collector of OpenTelemetry by Go. @returns its path @throws Error where that cannot be done here */
export async function buildOtelcol(folder: string): Promise<string> {
  const source = join(folder, 'otelcol-source')
  cpSync(SOURCE, source, { recursive: true })
  const program = join(folder, 'otelcol')
  await run('go', ['build', '-mod=mod', '-o', program, '.'], { cwd: source })
  return program
}

/** Starts a collector that was built. @throws Error with what it says, where it does not start */
export async function startOtelcol(program: string): Promise<Otelcol> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-otelcol-'))
  const [file, config] = [join(folder, 'came.json'), join(folder, 'config.yaml')]
  const endpoint = `127.0.0.1:${await freePort()}`
  const pipeline = { receivers: ['otlp'], exporters: ['file'] }
  // YAML holds JSON.
  const settings = {
    receivers: { otlp: { protocols: { http: { endpoint } } } },
    exporters: { file: { path: file } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline },
    },
  }
  writeFileSync(config, JSON.stringify(settings))
  const { child, gone, says, said } = watch(
    spawn(program, ['--config', config], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  await says('Everything is ready')
  return {
    url: `http://${endpoint}`,
    async end() {
      child.kill('SIGTERM')
      await within('the collector to end', gone, { now: said })
      const filed = readFiled(readFileSync(file, 'utf8'))
      rmSync(folder, { recursive: true })
      return filed
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the protocol as JSON.
type Json = any

function readFiled(text: string): Filed {
  const filed: Filed = { resources: [], spans: [], records: [], metrics: [] }
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { resourceSpans = [], resourceLogs = [], resourceMetrics = [] } = JSON.parse(line) as Json
    for (const one of [...resourceSpans, ...resourceLogs, ...resourceMetrics])
      filed.resources.push(attributesOf(one.resource))
    filed.spans.push(...itemsOf(resourceSpans, 'scopeSpans', 'spans'))
    filed.records.push(...itemsOf(resourceLogs, 'scopeLogs', 'logRecords'))
    for (const metric of itemsOf(resourceMetrics, 'scopeMetrics', 'metrics')) {
      const { dataPoints = [] } = metric.sum ?? metric.gauge ?? metric.histogram ?? {}
      for (const point of dataPoints) point.attributes = attributesOf(point)
      filed.metrics.push(metric)
    }
  }
  return filed
}

function itemsOf(resources: Json[], scopes: string, items: string): Json[] {
  return resources.flatMap((resource) =>
    resource[scopes].flatMap((scope: Json) =>
      scope[items].map((item: Json) => ({ ...item, attributes: attributesOf(item) })),
    ),
  )
}

const attributesOf = ({ attributes = [] }: Attributed): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainOf(value)]))

function plainOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: AnyValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plainOf)
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue)
}
