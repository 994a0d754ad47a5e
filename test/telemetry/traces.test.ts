import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, it } from 'node:test'
import { MINUTE, SECOND, stopwatch } from '#src/core/clock.ts'
import { agentCalls } from '../support/agents.ts'
import { say, startChatServer } from '../support/chat-server.ts'
import { type CollectedSpan, startCollector } from '../support/collector.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onOneEngineByDay, startPostern, usePostern } from '../support/postern.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'
import { RUN, useSender } from '../support/webhooks.ts'

const collector = await startCollector()
const chat = await startChatServer({ stub: { model: 'lamp-2' } })
after(() => Promise.all([collector.stop(), chat.stop()]))

/** The UUID of an id, as the id of a trace; and its second half, as that of a span. */
const traceOf = (id: string) => id.slice(-36).replaceAll('-', '')
const spanOf = (id: string) => traceOf(id).slice(16)

const called = (name: string) => (span: CollectedSpan) => span.name === name
const inTrace = (id: string) => collector.spans.filter(({ traceId }) => traceId === traceOf(id))

onOneEngineByDay('what a collector is told', (engine) => {
  const server = usePostern(engine, {
    env: {
      ...chat.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=mine,authorization=Bearer%20a-collector-token',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_SERVICE_NAME: `postern-${engine}`,
    },
  })
  const sender = useSender(server)
  const CALLER = { trace: 'a'.repeat(32), span: 'b'.repeat(16) }

  it('follows an event from its request to its attempts, in a trace that its id names', async () => {
    const { postern, key, receiver, register } = await sender()
    const destination = await receiver()
    const webhook = await register(`${destination.url}/hook/a-secret-path?token=a-secret-query`)
    destination.answer = (_call, response) =>
      void response.writeHead(destination.received.length === 1 ? 503 : 204).end()
    const headers = { traceparent: `00-${CALLER.trace}-${CALLER.span}-01` }
    const event = { type: 'agent.run.completed', data: { ...RUN, output: 'a-secret-output' } }
    const { body, status } = await postern.client().post('/v1/events', event, { token: key, headers })
    assert.equal(status, 202)
    await destination.count(1)
    postern.clock.advance(SECOND)
    const [first, second] = await destination.count(2)
    await collector.untilSpans('a delivery', (spans) =>
      spans.some((span) => span.traceId === traceOf(body.id) && span.name === 'delivery'),
    )
    const spans = inTrace(body.id)
    const [published] = spans.filter(called('publish agent.run.completed'))
    const [delivery] = spans.filter(called('delivery'))
    const attempts = spans.filter(called('POST')).sort((a, b) => a.startedAt - b.startedAt)
    assert.equal(spans.length, 4)
    assert.deepEqual([published?.spanId, published?.parentSpanId ?? ''], [spanOf(body.id), ''])
    assert.equal(delivery?.parentSpanId, published?.spanId)
    assert.equal(delivery?.spanId, spanOf(String(first?.headers['x-service-delivery'])))
    assert.equal(delivery?.attributes['postern.delivery.attempts'], 2)
    assert.deepEqual(
      attempts.map(({ parentSpanId, kind, attributes, status: { code = 0, message } = {} }) => [
        ...[parentSpanId, kind, attributes['http.response.status_code'], code, message],
        ...[attributes['server.address'], attributes['error.type']],
      ]),
      [
        [delivery?.spanId, 3, 503, 2, 'http_503', '127.0.0.1', 'http_503'],
        [delivery?.spanId, 3, 204, 0, undefined, '127.0.0.1', undefined],
      ],
    )
    // A receiver continues the trace at the attempt, and what is signed is the body alone.
    for (const [index, call] of [first, second].entries())
      assert.equal(call?.headers.traceparent, `00-${traceOf(body.id)}-${attempts[index]?.spanId}-01`)
    const mac = createHmac('sha256', webhook.secret).update(first?.body ?? '')
    assert.equal(first?.headers['x-service-signature'], `sha256=${mac.digest('hex')}`)
    // The request is a trace of its own: linked with the event both ways, and with its caller, whose trace it does not enter.
    const request = await requestOf(spans[0])
    assert.notEqual(request.traceId, CALLER.trace)
    assert.equal(request.name, 'POST /v1/events')
    assert.deepEqual(
      request.links?.map(({ traceId }) => traceId),
      [CALLER.trace, traceOf(body.id)],
    )
    const shown = await until(
      () => postern.client().get(`/v1/deliveries/${first?.headers['x-service-delivery']}`, { token: key }),
      (answer) => answer.body.status === 'delivered',
    )
    assert.deepEqual(
      shown.body.attempts.map((attempt: { requestHeaders: object }) => attempt.requestHeaders),
      [first, second].map((call) => pickSent(call?.headers)),
    )
  })

  /** The request that an event links to. */
  async function requestOf(span: CollectedSpan | undefined): Promise<CollectedSpan> {
    const published = collector.spans.find(
      ({ traceId, name }) => traceId === span?.traceId && name.startsWith('publish'),
    )
    const link = published?.links?.[0]
    const isIt = ({ spanId }: CollectedSpan) => spanId === link?.spanId
    const all = await collector.untilSpans('the request of an event', (spans) => spans.some(isIt))
    return all.find(isIt) as CollectedSpan
  }

  const pickSent = (headers: object | undefined) =>
    Object.fromEntries(
      Object.entries(headers ?? {}).filter(
        ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
      ),
    )

  it('follows a run through its steps to the calls of its model, and to the event of its end', async () => {
    const { postern, admin } = await sender()
    const calls = agentCalls(postern, admin)
    chat.answer = (_asked, response) => say(response, 'It costs a-secret-answer.')
    const agent = await calls.agent({ model: 'stub', instructions: 'a-secret-instruction' })
    const { id } = await calls.run(agent, 'a-secret-question')
    await calls.ended(id)
    const [step] = await calls.steps(id)
    await collector.untilSpans('a run', (all) =>
      all.some((span) => span.traceId === traceOf(id) && span.name === 'invoke_agent'),
    )
    const spans = inTrace(id)
    const [run] = spans.filter(called('invoke_agent'))
    const [made] = spans.filter(called('step'))
    const [asked] = spans.filter(called('chat lamp-2'))
    const [accepted] = spans.filter(called('accept'))
    assert.equal(spans.length, 4)
    assert.deepEqual([run?.spanId, run?.parentSpanId ?? ''], [spanOf(id), ''])
    assert.deepEqual([made?.spanId, made?.parentSpanId], [spanOf(String(step?.id)), run?.spanId])
    assert.deepEqual([asked?.parentSpanId, asked?.kind], [made?.spanId, 3])
    assert.equal(run?.attributes['gen_ai.agent.id'], agent)
    const { attributes = {} } = asked ?? {}
    assert.deepEqual(
      ['operation.name', 'provider.name', 'request.model', 'usage.input_tokens', 'usage.output_tokens'].map(
        (name) => attributes[`gen_ai.${name}`],
      ),
      ['chat', 'openai', 'lamp-2', 1_000, 500],
    )
    assert.deepEqual(attributes['gen_ai.response.finish_reasons'], ['stop'])
    const ofRun = (span: CollectedSpan) => span.links?.some(({ spanId }) => spanId === spanOf(id)) ?? false
    const linked = await collector.untilSpans(
      'the request and the event of a run',
      (all) => all.filter(ofRun).length === 2,
    )
    const names = linked.filter(ofRun).map(({ name }) => name)
    assert.deepEqual(names.sort(), ['POST /v1/agents/:id/runs', 'publish agent.run.completed'])
    assert.equal(
      accepted?.links?.[0]?.spanId,
      linked.filter(ofRun).find(called('POST /v1/agents/:id/runs'))?.spanId,
    )
  })

  it('names the failure of a run and of its call', async () => {
    const { postern, admin } = await sender()
    const calls = agentCalls(postern, admin)
    chat.answer = (_asked, response) => void response.writeHead(400).end('{}')
    const { id } = await calls.run(await calls.agent({ model: 'stub' }), 'What?')
    assert.equal((await calls.ended(id)).status, 'failed')
    await collector.untilSpans('a run', () => inTrace(id).some(called('invoke_agent')))
    const failed = inTrace(id).filter(({ status }) => status?.code === 2)
    assert.deepEqual(
      new Set(failed.map(({ name }) => name)),
      new Set(['invoke_agent', 'step', 'chat lamp-2']),
    )
    for (const { attributes } of failed) assert.equal(attributes['error.type'], 'status_400')
  })

  it('follows a test of a webhook as it follows an event', async () => {
    const { postern, admin, receiver, register } = await sender()
    const { id } = await register((await receiver()).url)
    const { body } = await postern.client().post(`/v1/webhooks/${id}/test`, {}, { token: admin.token })
    await collector.untilSpans('a test', () => inTrace(body.eventId).length === 3)
    assert.ok(inTrace(body.eventId).some(({ spanId }) => spanId === spanOf(body.deliveryId)))
  })

  it('takes what is no `traceparent` for none', async () => {
    const { postern, key } = await sender()
    const { trace, span } = CALLER
    const wrong = [`00-${trace}-${span}`, `ff-${trace}-${span}-01`, `00-${'0'.repeat(32)}-${span}-01`]
    wrong.push(
      `00-${trace}-${span}-01-more`,
      `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
      '0'.repeat(9_000),
    )
    for (const traceparent of wrong) {
      const headers = { traceparent, 'x-request-id': `hostile-${engine}-${wrong.indexOf(traceparent)}` }
      await postern.client().get('/v1/event-types', { token: key, headers })
    }
    const isOne = ({ attributes }: CollectedSpan) =>
      String(attributes['postern.request.id']).startsWith(`hostile-${engine}`)
    const all = await collector.untilSpans(
      'hostile requests',
      (spans) => spans.filter(isOne).length === wrong.length,
    )
    assert.deepEqual(
      all.filter(isOne).flatMap(({ links = [] }) => links),
      [],
    )
  })

  it('gets what /metrics shows, and says by whom it is sent', async () => {
    await (await server()).client().get('/v1/event-types')
    await until(
      () => collector.metrics.some(({ name }) => name === 'postern_http_request_duration_seconds'),
      (isThere) => isThere,
    )
    const of = (name: string) => collector.metrics.findLast((one) => one.name === name)
    const requests = of('postern_http_request_duration_seconds')
    const [point] = requests?.histogram?.points ?? []
    assert.equal(requests?.unit, 's')
    assert.equal(
      point?.counts.reduce((sum, one) => sum + one),
      point?.count,
    )
    assert.equal(point?.counts.length, Number(point?.limits.length) + 1)
    assert.deepEqual(
      [of('postern_events_total')?.sum?.temporality, of('postern_events_total')?.sum?.isMonotonic],
      [2, true],
    )
    assert.ok(Number(of('postern_places')?.gauge?.points[0]?.value) > 0)
    const resource = collector.resources.find((one) => one['service.name'] === `postern-${engine}`)
    assert.equal(resource?.['deployment.environment.name'], 'test')
    const [headers] = collector.headers.slice(-1)
    assert.deepEqual([headers?.['x-tenant'], headers?.authorization], ['mine', 'Bearer a-collector-token'])
  })

  it('gets no secret, body, query or path of a destination, and no mail address', async () => {
    const { postern, key } = await sender()
    await postern.client().get('/v1/events?type=a-secret-type', { token: key })
    await collector.untilSpans('a request', (all) => all.some(called('GET /v1/events')))
    const raw = collector.raw()
    assert.ok(raw.includes('http.route'))
    for (const hidden of ['a-secret-', key, '@example', 'whsec_', 'a-collector-token'])
      assert.ok(!raw.includes(hidden), hidden)
    assert.ok(!postern.log().includes('a-collector-token'))
  })
})

onOneEngineByDay('a collector that does not answer', (engine) => {
  it('holds up neither deliveries nor a stop, and what it loses is counted', async () => {
    const silent = await startCollector()
    silent.answers.isSilent = true
    const postern = await startPostern(engine, {
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${silent.url}/v1/traces`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      },
    })
    const receiver = await startReceiver()
    const token = await apiKey(postern, await administrator(postern))
    const client = postern.client()
    const events = ['agent.run.completed']
    await client.post('/v1/webhooks', { url: receiver.url, events }, { token })
    const event = { type: 'agent.run.completed', data: RUN }
    for (let sent = 0; sent < 20; sent += 1) await client.post('/v1/events', event, { token })
    await receiver.count(20)
    const dropped = /^postern_telemetry_dropped_total\{signal="traces"\} (\d+)$/m
    await until(
      async () => Number(dropped.exec((await client.get('/metrics')).text)?.[1]),
      (count) => count > 20,
      { what: 'spans to be lost' },
    )
    assert.match(postern.log(), /the collector does not take telemetry/)
    // The last export of a stop waits for its time at most.
    const elapsed = stopwatch()
    await postern.stop()
    assert.ok(elapsed() < MINUTE / 4, `${elapsed()} ms`)
    await receiver.stop()
    await silent.stop()
  })
})
