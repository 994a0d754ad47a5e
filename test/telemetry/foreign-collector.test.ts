import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { agentCalls } from '../support/agents.ts'
import { Client } from '../support/browser.ts'
import { startChatServer } from '../support/chat-server.ts'
import { startMailbox } from '../support/mailbox.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { buildOtelcol, type Filed, type FiledSpan, startOtelcol } from '../support/otelcol.ts'
import { administrator, apiKey } from '../support/people.ts'
import { OPERATOR_TOKEN, onBothEngines, type Postern, readyStore } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

const TYPE = 'agent.run.completed'
const EVENTS = 25
/** The names of attributes that OpenTelemetry has agreed on. */
const AGREED = new Set<unknown>(Object.values(conventions))

const folder = mkdtempSync(join(tmpdir(), 'postern-foreign-collector-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let built: Promise<string | Error> | undefined
/** The path of the collector, which is built once; an error where it cannot be. */
function otelcol(): Promise<string | Error> {
  built ??= buildOtelcol(folder).catch((error: Error) => error)
  return built
}

const traceOf = (id: string) => id.slice(-36).replaceAll('-', '')
const spanOf = (id: string) => traceOf(id).slice(16)

onBothEngines('the collector of OpenTelemetry', (engine) => {
  it('gets the traces, metrics and log of deliveries and of a run, complete and by the conventions', {
    skip: !IS_NIGHTLY && 'Go builds the collector, at night',
  }, async (context) => {
    const program = await otelcol()
    if (program instanceof Error) return context.skip(`Go cannot build the collector: ${program.message}`)
    const collector = await startOtelcol(program)
    const [chat, mailbox, receiver] = [
      await startChatServer({ stub: { model: 'lamp-2' } }),
      await startMailbox(),
      await startReceiver(),
    ]
    context.after(() => Promise.all([chat.stop(), mailbox.stop(), receiver.stop()]))
    const env = {
      ...(await readyStore(engine)),
      ...chat.env,
      ...{ SMTP_URL: mailbox.url, DEFAULT_PLAN: 'unlimited', OPERATOR_TOKEN, LOG_LEVEL: 'info' },
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
      ...{ OTEL_SERVICE_NAME: `postern-${engine}`, OTEL_METRIC_EXPORT_INTERVAL: '60000' },
    }
    const server = await startProcess(env)
    const client = () => new Client(server.url)
    const postern = { url: server.url, env, mailbox, client } as unknown as Postern
    const admin = await administrator(postern)
    const calls = callsOf(postern, await apiKey(postern, admin))
    // The first call of each event fails, so that there are more attempts than deliveries.
    const seen = new Set<string>()
    receiver.answer = ({ event }, response) => {
      response.writeHead(seen.has(event.id) ? 204 : 503).end()
      seen.add(event.id)
    }
    const webhook = await calls.post('/v1/webhooks', { url: receiver.url, events: [TYPE] })
    assert.equal(webhook.status, 201, webhook.text)
    const ids: string[] = []
    for (let sent = 0; sent < EVENTS; sent += 1)
      ids.push((await calls.post('/v1/events', { type: TYPE, data: RUN })).body.id)
    const agents = agentCalls(postern, admin)
    const agent = await agents.agent({ model: 'stub' })
    const run = await agents.run(agent, 'What does it cost?')
    assert.equal((await agents.ended(run.id)).status, 'succeeded')
    const [step] = await agents.steps(run.id)
    // The end of the run is an event as well.
    const deliveries = await until(
      async () =>
        (await calls.get(`/v1/webhooks/${webhook.body.id}/deliveries?limit=100`)).body.data as Row[],
      (rows) => rows.length === EVENTS + 1 && rows.every(({ status }) => status === 'delivered'),
      { what: 'all deliveries' },
    )
    const made = await Promise.all(deliveries.map(({ id }) => calls.get(`/v1/deliveries/${id}`)))
    const attemptsMade = made.reduce((sum, { body }) => sum + body.attempts.length, 0)
    const shown = (await client().get('/metrics')).text
    assert.equal(await server.end(), 0)
    const filed = await collector.end()

    const called = (name: string) => filed.spans.filter((span) => span.name === name)
    const [sent, attempts, ended] = [called(`publish ${TYPE}`), called('POST'), called('delivery')]
    assert.deepEqual(
      [sent.length, ended.length, attempts.length],
      [EVENTS + 1, deliveries.length, attemptsMade],
    )
    assert.equal(new Set(filed.spans.map(({ spanId }) => spanId)).size, filed.spans.length)
    for (const { id, eventId } of deliveries) {
      const mine = filed.spans.filter(({ traceId }) => traceId === traceOf(eventId))
      const [published] = mine.filter(({ name }) => name.startsWith('publish'))
      const [delivery] = mine.filter(({ name }) => name === 'delivery')
      assert.deepEqual([published?.spanId, delivery?.spanId], [spanOf(eventId), spanOf(id)])
      assert.equal(delivery?.parentSpanId, published?.spanId)
      for (const one of mine.filter(({ name }) => name === 'POST'))
        assert.equal(one.parentSpanId, delivery?.spanId)
    }
    assertLinked(filed, ids, 'POST /v1/events')
    assertLinked(filed, [run.id], 'POST /v1/agents/:id/runs')

    const [whole, stepSpan, asked] = ['invoke_agent', 'step', 'chat lamp-2'].map((name) => called(name)[0])
    assert.deepEqual([whole?.traceId, whole?.spanId], [traceOf(run.id), spanOf(run.id)])
    assert.deepEqual([stepSpan?.parentSpanId, stepSpan?.spanId], [whole?.spanId, spanOf(String(step?.id))])
    assert.equal(asked?.parentSpanId, stepSpan?.spanId)
    assert.deepEqual(
      [asked?.attributes['gen_ai.usage.input_tokens'], asked?.attributes['gen_ai.usage.output_tokens']],
      [step?.usage.inputTokens, step?.usage.outputTokens],
    )

    const names = new Set(filed.spans.flatMap(({ attributes }) => Object.keys(attributes)))
    const foreign = [...names].filter((name) => !name.startsWith('postern.') && !AGREED.has(name))
    assert.deepEqual(foreign, [])
    for (const { startTimeUnixNano, endTimeUnixNano } of filed.spans)
      assert.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano))
    const services = new Set(filed.resources.map((resource) => resource['service.name']))
    assert.deepEqual([...services], [`postern-${engine}`])

    // The last export of metrics is made after the last look at `/metrics`; what is counted here has ended before.
    assert.equal(sumOf(filed, 'postern_events_total', 'published'), EVENTS)
    assert.equal(sumOf(filed, 'postern_events_total'), shownSum(shown, 'postern_events_total'))
    assert.equal(
      sumOf(filed, 'postern_delivery_attempt_duration_seconds'),
      shownSum(shown, 'postern_delivery_attempt_duration_seconds_count'),
    )
    assert.equal(sumOf(filed, 'postern_delivery_attempt_duration_seconds'), attempts.length)

    const lines = server
      .out()
      .split('\n')
      .flatMap((line) => (line.includes('"msg":"attempt"') ? [JSON.parse(line)] : []))
    const records = filed.records.filter(({ body }) => body.stringValue === 'attempt')
    const place = ({ traceId, spanId }: Pick<FiledSpan, 'traceId' | 'spanId'>) => `${traceId} ${spanId}`
    assert.deepEqual(
      records.map(place).sort(),
      lines.map(({ trace_id: traceId, span_id: spanId }) => place({ traceId, spanId })).sort(),
    )
    assert.deepEqual(records.map(place).sort(), attempts.map(place).sort())
  })
})

interface Row {
  id: string
  eventId: string
  status: string
}

/** Each of the ids has a request that links to it. */
function assertLinked({ spans }: Filed, ids: string[], name: string): void {
  const linked = spans
    .filter((span) => span.name === name)
    .flatMap(({ links = [] }) => links.map(({ traceId }) => traceId))
  assert.deepEqual(linked.sort(), ids.map(traceOf).sort())
}

/** The newest value of a metric, over its series; of a histogram, its count. */
function sumOf({ metrics }: Filed, name: string, source?: string): number {
  const { sum, histogram } = metrics.findLast((metric) => metric.name === name) ?? {}
  return (sum ?? histogram)?.dataPoints
    .filter(({ attributes }) => source === undefined || attributes.source === source)
    .reduce((all, { asDouble, count }) => all + (asDouble ?? Number(count)), 0) as number
}

/** The same of what `/metrics` shows. */
function shownSum(text: string, name: string): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
