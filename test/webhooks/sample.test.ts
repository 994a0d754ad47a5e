import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, turnsTaken } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

onBothEngines('the sample of a webhook', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)
  const send = async (id: string, body?: unknown) => {
    const answer = await (await calls()).post(`/v1/webhooks/${id}/test`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  it('is sent once, at once, signed, and the answer has the destination’s response', async () => {
    const { receiver, register } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(202).end('Thank you')
    const { id, secret } = await register(destination.url)
    const result = await send(id)
    const { durationMs, ...attempt } = result.attempt
    assert.deepEqual(
      { ...result, attempt },
      {
        eventId: destination.received[0]?.event.id,
        deliveryId: destination.received[0]?.headers['x-service-delivery'],
        delivered: true,
        attempt: { statusCode: 202, responseBody: 'Thank you', error: null },
      },
    )
    assert.ok(Number.isInteger(durationMs))
    assert.equal(destination.received.length, 1)
    const [call] = destination.received
    assert.equal(call?.event.type, 'webhook.test')
    assert.deepEqual(
      new Webhook(secret).verify(String(call?.body), call?.headers as Record<string, string>),
      call?.event,
    )
  })

  it('is of the requested type, also of an own type', async () => {
    const { receiver, register } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url)
    const own = await calls()
    const example = { orderId: 'order_1', total: 12.5 }
    await own.post('/v1/event-types', { name: 'order.paid', example })
    for (const type of ['agent.run.completed', 'member.removed', 'order.paid']) {
      await send(id, { type })
      const { body } = await own.get(`/v1/event-types/${type}`)
      const call = destination.received.at(-1)
      assert.equal(call?.event.type, type)
      assert.deepEqual(call?.event.data, body.example)
    }
  })

  test('refuses an unknown type', async () => {
    const { postern, register } = await sender()
    const { id } = await register('http://127.0.0.1:9/')
    const own = await calls()
    const foreign = callsOf(postern, await apiKey(postern, await administrator(postern)))
    await foreign.post('/v1/event-types', { name: 'theirs.alone' })
    for (const type of ['no.such', '*', '', 'theirs.alone']) {
      const answer = await own.post(`/v1/webhooks/${id}/test`, { type })
      assertError(answer, 'VALIDATION_FAILED', { field: 'type', value: type })
    }
    assertError(await own.post(`/v1/webhooks/${id}/test`, { type: 7 }), 'TYPE_MISMATCH', { field: 'type' })
    assertError(await own.post(`/v1/webhooks/${id}/test`, { sort: 'x' }), 'VALIDATION_FAILED', {
      field: 'sort',
    })
  })

  test('needs no body', async () => {
    const { postern, key, receiver, register } = await sender()
    const { id } = await register((await receiver()).url)
    const answer = await postern.client().call(`/v1/webhooks/${id}/test`, { method: 'POST', token: key })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.delivered, true)
  })

  test('reports a refusal as a result, and makes no other attempt', async () => {
    const { receiver, register, postern } = await sender()
    for (const [status, reason] of [
      [500, 'http_500'],
      [404, 'http_404'],
      [302, 'http_302'],
      [410, 'http_410'],
    ] as const) {
      const destination = await receiver()
      destination.answer = (_call, response) => void response.writeHead(status).end('No')
      const { id } = await register(destination.url)
      const { delivered, deliveryId, attempt } = await send(id)
      assert.equal(delivered, false)
      assert.equal(attempt.statusCode, status)
      assert.equal(attempt.responseBody, 'No')
      const recorded = (await (await calls()).get(`/v1/deliveries/${deliveryId}`)).body
      assert.equal(recorded.status, 'failed')
      assert.equal(recorded.reason, reason)
      assert.equal(recorded.nextAttemptAt, null)
      assert.equal((await (await calls()).get(`/v1/webhooks/${id}`)).body.status, 'active')
      postern.clock.advance(60_000)
      await turnsTaken(await sender())
      // A test does not count for the health of its webhook.
      assert.equal((await (await calls()).get(`/v1/webhooks/${id}`)).body.health.state, 'delivering')
      assert.equal(destination.received.length, 1)
    }
  })

  test('describes a missing answer: a refused connection, no answer within 30 seconds', async () => {
    const { postern, receiver, register } = await sender()
    const closed = await receiver()
    await closed.stop()
    const refused = await send((await register(closed.url)).id)
    assert.equal(refused.delivered, false)
    assert.equal(refused.attempt.statusCode, null)
    assert.match(refused.attempt.error, /ECONNREFUSED/)
    const slow = await receiver()
    slow.answer = () => {}
    const { id } = await register(slow.url)
    const result = send(id)
    await slow.count(1)
    postern.clock.advance(30_000)
    const { delivered, attempt } = await result
    assert.equal(delivered, false)
    assert.deepEqual(attempt, {
      statusCode: null,
      durationMs: attempt.durationMs,
      responseBody: null,
      error: 'no whole answer within 30 s',
    })
  })

  test('reaches a paused webhook, and one that is not subscribed to the type', async () => {
    const { receiver, register } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url, { events: ['file.processed'] })
    await (await calls()).patch(`/v1/webhooks/${id}`, { status: 'paused' })
    assert.equal((await send(id, { type: 'agent.run.completed' })).delivered, true)
  })

  it('is recorded as an event and a delivery with its attempt, and reaches no other webhook', async () => {
    const { receiver, register } = await sender()
    const [destination, other] = [await receiver(), await receiver()]
    const { id } = await register(destination.url)
    await register(other.url, { events: ['*'] })
    const { eventId, deliveryId } = await send(id)
    const own = await calls()
    const event = (await own.get(`/v1/events/${eventId}`)).body
    assert.deepEqual(event, destination.received[0]?.event)
    const delivery = (await own.get(`/v1/deliveries/${deliveryId}`)).body
    assert.equal(delivery.eventId, eventId)
    assert.equal(delivery.webhookId, id)
    assert.equal(delivery.status, 'delivered')
    assert.equal(delivery.attempts.length, 1)
    assert.equal(delivery.attempts[0].requestHeaders['webhook-id'], eventId)
    await turnsTaken(await sender())
    assert.ok(other.received.every((call) => call.event.id !== eventId))
  })

  test('is signed with an older secret if the receiver has that one', async () => {
    const { receiver, register } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url)
    await (await calls()).post(`/v1/webhooks/${id}/rotate-secret`)
    destination.answer = (_call, response) =>
      void response.writeHead(destination.received.length === 1 ? 401 : 200).end()
    const { delivered, deliveryId } = await send(id)
    assert.equal(delivered, true)
    const { attempts } = (await (await calls()).get(`/v1/deliveries/${deliveryId}`)).body
    assert.equal(attempts[0].signedWith, 'previous')
  })
})
