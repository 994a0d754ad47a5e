import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR, toIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

onBothEngines('the figures of a webhook', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  it('count deliveries by outcome in a window, and measure their durations', async () => {
    const { postern, key, receiver, register, publish, delivery } = await sender()
    const own = callsOf(postern, key)
    const destination = await receiver()
    const { id } = await register(destination.url)
    const stats = async (query = '') => (await own.get(`/v1/webhooks/${id}/stats${query}`)).body
    const { from, ...empty } = await stats()
    // The window ends with the quarter of an hour that is not over yet.
    assert.ok(from > toIso(postern.clock.now() - 24 * HOUR))
    assert.ok(from <= toIso(postern.clock.now() - 23.75 * HOUR))
    assert.deepEqual(empty, {
      windowMs: 24 * HOUR,
      deliveries: { pending: 0, delivered: 0, failed: 0 },
      successRate: null,
      latencyMs: null,
      oldestPendingAt: null,
      inFlight: { level: 4, parkedAt: null },
    })
    for (const status of [200, 200, 200, 400]) {
      destination.answer = (_call, response) => void response.writeHead(status).end()
      const event = await publish()
      await delivery(id, (row) => row.eventId === event.id && row.status !== 'pending')
    }
    // The first retry comes by the clock alone, however long the machine takes until then.
    using _still = postern.clock.stop()
    destination.answer = (_call, response) => void response.writeHead(503).end()
    await publish()
    const waiting = await delivery(
      id,
      ({ attemptCount, status }) => status === 'pending' && attemptCount === 1,
    )
    const full = await stats()
    assert.deepEqual(full.deliveries, { pending: 1, delivered: 3, failed: 1 })
    assert.equal(full.successRate, 0.75)
    assert.equal(full.oldestPendingAt, waiting.nextAttemptAt)
    const { p50, p95, p99, error } = full.latencyMs
    assert.ok(p50 <= p95 && p95 <= p99)
    const all = (await own.get(`/v1/webhooks/${id}/deliveries`)).body.data
    const ended = all.filter(({ status }: { status: string }) => status !== 'pending')
    const took: number[] = []
    for (const { id: deliveryId } of ended) {
      const { attempts } = (await own.get(`/v1/deliveries/${deliveryId}`)).body
      took.push(attempts.at(-1).durationMs)
    }
    took.sort((a, b) => a - b)
    const isNear = (told: number, exact = 0) =>
      assert.ok(Math.abs(told - exact) <= error * exact, `${told}, ${took}`)
    isNear(p50, took[2])
    isNear(p99, took[3])
    postern.clock.advance(2 * HOUR)
    await delivery(id, ({ attemptCount }) => attemptCount === 2)
    assert.deepEqual((await stats('?window=1h')).deliveries, { pending: 0, delivered: 0, failed: 0 })
    assert.deepEqual((await stats('?window=3h')).deliveries, { pending: 1, delivered: 3, failed: 1 })
    assert.equal((await stats('?window=90m')).windowMs, 1.5 * HOUR)
  })

  test('refuse a malformed window and one longer than 30 days', async () => {
    const { postern, key, register } = await sender()
    const own = callsOf(postern, key)
    const { id } = await register('http://127.0.0.1:9/')
    for (const window of ['0h', '1', 'h', '24H', '1w', '-1h', '31d', '9999d', '1h1m', 'x'.repeat(100)])
      assertError(await own.get(`/v1/webhooks/${id}/stats?window=${window}`), 'VALIDATION_FAILED', {
        field: 'window',
      })
    assert.equal((await own.get(`/v1/webhooks/${id}/stats?window=30d`)).status, 200)
  })
})
