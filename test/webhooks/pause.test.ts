import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, readAll, turnsTaken, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

onBothEngines('pausing, resuming and deleting', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)
  const setStatus = async (id: string, status: string) => {
    const answer = await (await calls()).patch(`/v1/webhooks/${id}`, { status })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const numbers = (received: { event: { data: Record<string, unknown> } }[]) =>
    received.map(({ event }) => event.data.durationMs)

  it('holds deliveries while a webhook is paused, and sends each once when it is active again', async () => {
    const { receiver, register, publish, postern, delivery } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url)
    await setStatus(id, 'paused')
    for (let durationMs = 0; durationMs < 10; durationMs += 1) {
      assert.equal((await publish({ ...RUN, durationMs })).deliveries, 1)
      postern.clock.advance(1)
    }
    await turnsTaken(await sender())
    const held = await readAll(await calls(), `/v1/webhooks/${id}/deliveries?status=held`)
    assert.equal(held.length, 10)
    assert.ok(held.every((one) => one.nextAttemptAt === null && one.attemptCount === 0))
    assert.equal(destination.received.length, 0)
    await setStatus(id, 'active')
    await destination.count(10)
    await delivery(id, ({ status }) => status === 'delivered')
    const order = numbers(destination.received)
    assert.deepEqual(
      order.toSorted((a, b) => Number(a) - Number(b)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
  })

  it('sends held deliveries in order to a webhook with one call at a time', async () => {
    const { receiver, register, publish, postern } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url, { maxInFlight: 1 })
    await setStatus(id, 'paused')
    for (let durationMs = 0; durationMs < 10; durationMs += 1) {
      await publish({ ...RUN, durationMs })
      postern.clock.advance(1)
    }
    await turnsTaken(await sender())
    await setStatus(id, 'active')
    await destination.count(10)
    assert.deepEqual(numbers(destination.received), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('gives held deliveries 24 hours from the moment when it is active again', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const { id } = await register(destination.url)
    await setStatus(id, 'paused')
    await publish()
    postern.clock.advance(72 * HOUR)
    await setStatus(id, 'active')
    const waiting = await delivery(id, ({ attemptCount }) => attemptCount === 1)
    assert.equal(waiting.status, 'pending')
    postern.clock.advance(23 * HOUR)
    const still = await delivery(id, ({ attemptCount }) => attemptCount === 2)
    assert.equal(still.status, 'pending')
    postern.clock.advance(2 * HOUR)
    const ended = await delivery(id, ({ status }) => status === 'failed')
    assert.equal(ended.reason, 'horizon_passed')
    assert.equal(ended.attemptCount, 2)
  })

  it('sends nothing while paused, not even a due retry', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    // The first retry comes by the clock alone, however long the machine takes until then.
    using _still = postern.clock.stop()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const { id } = await register(destination.url)
    await publish()
    await delivery(id, ({ attemptCount }) => attemptCount === 1)
    await setStatus(id, 'paused')
    const held = await delivery(id, ({ status }) => status === 'held')
    assert.equal(held.nextAttemptAt, null)
    postern.clock.advance(HOUR)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 1)
    destination.answer = (_call, response) => void response.writeHead(200).end()
    await setStatus(id, 'active')
    const done = await delivery(id, ({ status }) => status === 'delivered')
    assert.equal(done.attemptCount, 2)
  })

  it('lets an attempt in flight end when its webhook is paused, and holds its retry', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    let answer = () => {}
    destination.answer = (_call, response) => {
      answer = () => void response.writeHead(503).end()
    }
    const { id } = await register(destination.url)
    await publish()
    await destination.count(1)
    await setStatus(id, 'paused')
    answer()
    await delivery(id, ({ status, attemptCount }) => status === 'held' && attemptCount === 1)
    postern.clock.advance(2_000)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 1)
  })

  it('holds deliveries for a disabled webhook, until it is resumed', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(410).end()
    const { id } = await register(destination.url)
    await publish()
    await delivery(id, ({ status }) => status === 'failed')
    await publish({ ...RUN, durationMs: 2 })
    await delivery(id, ({ status }) => status === 'held')
    destination.answer = (_call, response) => void response.writeHead(200).end()
    const active = await setStatus(id, 'active')
    assert.equal(active.disabledReason, null)
    await delivery(id, ({ status }) => status === 'delivered')
    assert.deepEqual(numbers(destination.received), [RUN.durationMs, 2])
  })

  test('shows no reason for disabling on a paused webhook', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(410).end()
    const { id } = await register(destination.url)
    await publish()
    await delivery(id, ({ status }) => status === 'failed')
    const paused = await setStatus(id, 'paused')
    assert.equal(paused.status, 'paused')
    assert.equal(paused.disabledReason, null)
  })

  it('fails the pending deliveries of a deleted webhook and sends it nothing more', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    // The first retry comes by the clock alone, however long the machine takes until then.
    using _still = postern.clock.stop()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const { id } = await register(destination.url)
    await publish()
    const { id: deliveryId } = await delivery(id, ({ attemptCount }) => attemptCount === 1)
    const own = await calls()
    const deleted = await own.delete(`/v1/webhooks/${id}`)
    assert.equal(deleted.status, 204)
    assert.equal(deleted.text, '')
    const { body } = await own.get(`/v1/deliveries/${deliveryId}`)
    assert.equal(body.status, 'failed')
    assert.equal(body.reason, 'webhook_deleted')
    assert.equal(body.nextAttemptAt, null)
    assert.equal(body.attempts.length, 1)
    await publish()
    postern.clock.advance(HOUR)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 1)
  })

  it('lets an attempt in flight end when its webhook is deleted, and makes no other', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    let answer = () => {}
    destination.answer = (_call, response) => {
      answer = () => void response.writeHead(503).end()
    }
    const { id } = await register(destination.url)
    await publish()
    await destination.count(1)
    const { id: deliveryId } = await delivery(id, () => true)
    const own = await calls()
    await own.delete(`/v1/webhooks/${id}`)
    answer()
    const ended = await until(
      () => own.get(`/v1/deliveries/${deliveryId}`),
      ({ body }) => body.attemptCount === 1,
    )
    assert.equal(ended.body.reason, 'webhook_deleted')
    postern.clock.advance(HOUR)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 1)
  })

  it('shows a deleted webhook only in the record of its deliveries', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url)
    await publish()
    const { id: deliveryId } = await delivery(id, ({ status }) => status === 'delivered')
    const own = await calls()
    await own.delete(`/v1/webhooks/${id}`)
    assert.equal((await own.get(`/v1/deliveries/${deliveryId}`)).body.status, 'delivered')
    const path = `/v1/webhooks/${id}`
    for (const answer of [
      await own.get(path),
      await own.patch(path, { status: 'active' }),
      await own.delete(path),
      await own.post(`${path}/rotate-secret`),
      await own.post(`${path}/test`),
      await own.post(`${path}/test/start`),
      await own.get(`${path}/deliveries`),
      await own.get(`${path}/stats`),
      await own.post(`${path}/replay`, { since: '2026-01-01T00:00:00Z' }),
      await own.post(`/v1/deliveries/${deliveryId}/retry`),
    ]) {
      assertError(answer, 'ENTITY_NOT_FOUND', { field: 'id' })
    }
    const listed = await readAll(own, '/v1/webhooks')
    assert.ok(listed.every((webhook) => webhook.id !== id))
  })
})
