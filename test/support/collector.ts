import { createServer, type IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { readOtlp, type SignalPath } from './otlp.ts'
import { until } from './waits.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startedAt: number
  endedAt: number
  attributes: Record<string, unknown>
  links?: { traceId: string; spanId: string }[]
  status?: { message?: string; code?: number }
}

export interface CollectedRecord {
  at: number
  severity: number
  body: { text?: string }
  traceId?: string
  spanId?: string
  attributes: Record<string, unknown>
}

export interface CollectedMetric {
  name: string
  unit?: string
  sum?: { points: CollectedPoint[]; temporality: number; isMonotonic: boolean }
  gauge?: { points: CollectedPoint[] }
  histogram?: { points: { count: number; sum: number; counts: number[]; limits: number[] }[] }
}
interface CollectedPoint {
  value: number
  startedAt: number
  at: number
}

/** A collector of OpenTelemetry: takes the protocol over HTTP, and keeps what came. */
export interface Collector {
  url: string
  headers: IncomingHttpHeaders[]
  /** Of every export, answered or not. */
  paths: string[]
  /** Everything that came, as bytes in one text. */
  raw: () => string
  resources: Record<string, unknown>[]
  spans: CollectedSpan[]
  records: CollectedRecord[]
  metrics: CollectedMetric[]
  /** From here on answers wait, or say this status. */
  answers: { status: number; isSilent: boolean }
  /** Resolves with the spans once they are as they should be. */
  untilSpans(what: string, isRight: (spans: CollectedSpan[]) => boolean): Promise<CollectedSpan[]>
  stop(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = []
  const collected = {
    headers: [] as IncomingHttpHeaders[],
    paths: [] as string[],
    resources: [] as Record<string, unknown>[],
    spans: [] as CollectedSpan[],
    records: [] as CollectedRecord[],
    metrics: [] as CollectedMetric[],
  }
  const answers = { status: 200, isSilent: false }
  const lists = {
    '/v1/traces': collected.spans,
    '/v1/metrics': collected.metrics,
    '/v1/logs': collected.records,
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    collected.paths.push(request.url ?? '')
    if (answers.isSilent) return
    if (answers.status === 200) {
      const whole = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole
      const path = request.url as SignalPath
      bodies.push(body)
      collected.headers.push(request.headers)
      for (const { resource, item } of readOtlp(path, body)) {
        collected.resources.push(resource)
        ;(lists[path] as unknown[]).push(item)
      }
    }
    response.writeHead(answers.status, { 'content-type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    ...collected,
    answers,
    url: `http://127.0.0.1:${port}`,
    raw: () => Buffer.concat(bodies).toString('latin1'),
    untilSpans: (what, isRight) => until(() => [...collected.spans], isRight, { what }),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
