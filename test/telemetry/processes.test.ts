import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { SECOND, stopwatch } from '#src/core/clock.ts'
import { startCollector } from '../support/collector.ts'
import { administrator, apiKey } from '../support/people.ts'
import { freshStore, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { useProcesses, useReceivers } from '../support/processes.ts'
import { until } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

const [collector, worked] = await Promise.all([startCollector(), startCollector()])
after(() => Promise.all([collector.stop(), worked.stop()]))

describe('a trace of several processes', () => {
  const start = useProcesses({
    env: { ROLE: 'api', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` },
  })
  const receiver = useReceivers()

  it('goes on in the process that sends, where neither has told the other of it', async () => {
    const { one } = await start()
    const { DATA_DIR = '', DATABASE_URL = '', BASE_URL = '' } = one.env
    const worker = await startProcess({
      ...{ DATA_DIR, DATABASE_URL, BASE_URL, ROLE: 'worker', LOG_LEVEL: 'info', SENDING_THREAD: 'on' },
      ...{ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', OTEL_EXPORTER_OTLP_ENDPOINT: worked.url },
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    })
    const destination = await receiver()
    const calls = callsOf(one, await apiKey(one, await administrator(one)))
    const type = 'agent.run.completed'
    await calls.post('/v1/webhooks', { url: destination.url, events: [type] })
    const { body } = await calls.post('/v1/events', { type, data: RUN })
    const [call] = await destination.count(1)
    const traceId = String(body.id).slice(-36).replaceAll('-', '')
    const isOfIt = (span: { traceId: string }) => span.traceId === traceId
    const names = (spans: { traceId: string; name: string }[]) => spans.filter(isOfIt).map(({ name }) => name)
    await collector.untilSpans('the event', (spans) => spans.some(isOfIt))
    // Its stop sends what it has not sent yet.
    assert.equal(await worker.end(), 0)
    assert.deepEqual(names(collector.spans), ['publish agent.run.completed'])
    assert.deepEqual(names(worked.spans).sort(), ['POST', 'delivery'])
    const [published] = collector.spans.filter(isOfIt)
    const of = (name: string) => worked.spans.find((span) => isOfIt(span) && span.name === name)
    assert.equal(of('delivery')?.parentSpanId, published?.spanId)
    assert.equal(of('POST')?.parentSpanId, of('delivery')?.spanId)
    assert.equal(call?.headers.traceparent, `00-${traceId}-${of('POST')?.spanId}-01`)
    // Lines of the log come with their place in the trace.
    const line = worked.records.find(
      ({ body, traceId: trace }) => body.text === 'attempt' && trace === traceId,
    )
    assert.deepEqual(
      [line?.spanId, line?.severity, line?.attributes.eventId],
      [of('POST')?.spanId, 9, body.id],
    )
    assert.match(worker.out(), new RegExp(`"trace_id":"${traceId}"`))
  })
})

describe('a part of all traces', () => {
  const start = useProcesses({
    env: {
      ...{
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      },
      ...{
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.5',
        TRACE_CONTEXT: 'parent',
      },
    },
  })
  const receiver = useReceivers()

  it('is sampled by ids, so that receivers are told the same that the collector gets', async () => {
    const { one } = await start()
    const destination = await receiver()
    const calls = callsOf(one, await apiKey(one, await administrator(one)))
    const type = 'agent.run.completed'
    await calls.post('/v1/webhooks', { url: destination.url, events: [type] })
    const events = Array.from({ length: 40 }, () => ({ type, data: RUN }))
    await calls.post('/v1/events/batch', { events })
    const received = await destination.count(40)
    const flags = new Map(
      received.map(({ headers }) => {
        const [, traceId = '', , flag = ''] = String(headers.traceparent).split('-')
        return [traceId, flag]
      }),
    )
    const sampled = [...flags.keys()].filter((traceId) => flags.get(traceId) === '01')
    assert.ok(sampled.length > 5 && sampled.length < 35, `${sampled.length} of 40`)
    const collected = () =>
      new Set(collector.spans.filter(({ name }) => name === 'delivery').map((one) => one.traceId))
    await until(collected, (ids) => sampled.every((traceId) => ids.has(traceId)), {
      what: 'sampled deliveries',
    })
    for (const [traceId, flag] of flags) if (flag === '00') assert.ok(!collected().has(traceId))
  })

  it('is what a trusted caller decides about, whose trace the request continues', async () => {
    const { one } = await start()
    const token = await apiKey(one, await administrator(one))
    const [traceId, spanId] = ['c'.repeat(32), 'd'.repeat(16)]
    for (const flag of ['00', '01'])
      await one
        .client()
        .get('/v1/event-types', { token, headers: { traceparent: `00-${traceId}-${spanId}-${flag}` } })
    const isOfIt = (span: { traceId: string }) => span.traceId === traceId
    const spans = await collector.untilSpans('the request of a trusted caller', (all) => all.some(isOfIt))
    assert.deepEqual(
      spans.filter(isOfIt).map(({ parentSpanId, links = [] }) => [parentSpanId, links]),
      [[spanId, []]],
    )
  })
})

describe('a collector that is not there', () => {
  it('lets a process start, work and end as ever', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    const server = await startPostern('sqlite', { env })
    assert.equal((await server.client().get('/v1/event-types')).status, 401)
    await until(server.log, (log) => log.includes('the collector does not take telemetry'), {
      what: 'the failure in the log',
    })
    await server.stop()
  })

  it('holds up a stop for five seconds at most where it hears and does not answer', async () => {
    const silent = await startCollector()
    silent.answers.isSilent = true
    try {
      const server = await startPostern('sqlite', {
        env: {
          ...{ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' },
          OTEL_METRIC_EXPORT_INTERVAL: '100',
        },
      })
      await until(
        () => silent.paths,
        (paths) => paths.includes('/v1/metrics'),
        { what: 'an export of metrics' },
      )
      const elapsed = stopwatch()
      await server.stop()
      assert.ok(elapsed() < 9 * SECOND, `${elapsed()} ms`)
      assert.doesNotMatch(server.log(), /not ended/)
    } finally {
      await silent.stop()
    }
  })

  it('is refused where its setting is wrong, without its secret', async () => {
    const failed = startProcess({
      ...(await freshStore('sqlite')),
      ...{
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_EXPORTER_OTLP_HEADERS: 'Bearer a-secret',
        OTEL_TRACES_SAMPLER: 'xray',
      },
    })
    await assert.rejects(failed, (error: Error) => {
      assert.match(error.message, /OTEL_EXPORTER_OTLP_PROTOCOL must be one of http\/protobuf/)
      assert.match(error.message, /OTEL_EXPORTER_OTLP_HEADERS must list pairs/)
      assert.match(error.message, /OTEL_TRACES_SAMPLER must be one of/)
      return !error.message.includes('a-secret')
    })
  })
})
