import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { after, before, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { fromIso } from '../../src/core/clock.ts'
import { administrator, apiKey, type Person } from '../support/people.ts'
import { onBothEngines, type Postern, usePostern } from '../support/postern.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'

const RUN = { agentId: 'agent_1', runId: 'run_1', status: 'succeeded', durationMs: 12, output: 'Done ✓' }

onBothEngines('delivery', (engine) => {
  const server = usePostern(engine)
  let postern: Postern
  let admin: Person
  let key: string
  const receivers: Receiver[] = []

  before(async () => {
    postern = await server()
    admin = await administrator(postern)
    key = await apiKey(postern, admin)
  })
  after(() => Promise.all(receivers.map((receiver) => receiver.stop())))

  async function receiver(): Promise<Receiver> {
    const started = await startReceiver()
    receivers.push(started)
    return started
  }

  async function register(
    url: string,
    events = ['agent.run.completed'],
  ): Promise<{ id: string; secret: string }> {
    const answer = await postern.client().post('/v1/webhooks', { url, events }, { token: admin.token })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  async function publish(data: object = RUN): Promise<{ id: string; deliveries: number }> {
    const answer = await postern
      .client()
      .post('/v1/events', { type: 'agent.run.completed', data }, { token: key })
    assert.equal(answer.status, 202, answer.text)
    return answer.body
  }

  /** The newest delivery of a webhook, once it has come to `status`. */
  async function settled(webhookId: string, status: string, attempts: number) {
    for (;;) {
      const list = await postern.client().get(`/v1/webhooks/${webhookId}/deliveries`, { token: admin.token })
      const [row] = list.body.data
      if (row?.status === status && row.attemptCount === attempts) {
        return (await postern.client().get(`/v1/deliveries/${row.id}`, { token: admin.token })).body
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  it('sends the envelope, signed both ways, and records the attempt', async () => {
    const destination = await receiver()
    const webhook = await register(destination.url)
    const event = await publish()
    assert.equal(event.deliveries, 1)
    const [call] = await destination.count(1)
    assert.ok(call)
    assert.deepEqual(call.event.data, RUN)
    assert.deepEqual(Object.keys(call.event), ['id', 'type', 'createdAt', 'data'])
    assert.equal(call.event.id, event.id)
    assert.match(call.event.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(verifyAsSpecified(call, webhook.secret), true)
    const verified = new Webhook(webhook.secret).verify(
      call.body.toString(),
      call.headers as Record<string, string>,
    )
    assert.deepEqual(verified, call.event)
    const delivery = await settled(webhook.id, 'delivered', 1)
    assert.equal(delivery.attempts.length, 1)
    assert.equal(delivery.attempts[0].statusCode, 204)
    assert.equal(delivery.attempts[0].outcome, 'delivered')
  })

  it('retries a 5xx after 1 s, 5 s and 30 s with the same event id, and then delivers', async () => {
    const destination = await receiver()
    let failures = 3
    destination.answer = (_call, response) => {
      failures -= 1
      response.writeHead(failures >= 0 ? 503 : 200).end('later')
    }
    const webhook = await register(destination.url)
    await publish()
    for (const [attempts, wait] of [
      [1, 1_000],
      [2, 5_000],
      [3, 30_000],
    ] as const) {
      const delivery = await settled(webhook.id, 'pending', attempts)
      const last = delivery.attempts.at(-1)
      const expected = Number(fromIso(last.startedAt)) + last.durationMs + wait
      assert.ok(
        Math.abs(Number(fromIso(delivery.nextAttemptAt)) - expected) < 500,
        `${delivery.nextAttemptAt} is not ${wait} ms later`,
      )
      postern.clock.advance(wait)
    }
    const delivery = await settled(webhook.id, 'delivered', 4)
    assert.equal(new Set(destination.received.map(({ event }) => event.id)).size, 1)
    assert.deepEqual(
      delivery.attempts.map(({ statusCode }: { statusCode: number }) => statusCode),
      [503, 503, 503, 200],
    )
    assert.deepEqual(
      destination.received.map(({ headers }) => headers['x-service-attempt']),
      ['1', '2', '3', '4'],
    )
  })
})

/** Written from spec 4 alone, as a receiver would. */
function verifyAsSpecified({ headers, body }: Received, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const received = Buffer.from(String(headers['x-service-signature']))
  return expected.length === received.length && timingSafeEqual(expected, received)
}
