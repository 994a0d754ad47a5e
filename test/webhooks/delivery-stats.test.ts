import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { createFoldCounts } from '#src/delivery/counts/fold-counts.ts'
import { assertError } from '../support/attacks.ts'
import { writeDeliveries, writeWebhooks } from '../support/many-webhooks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

onBothEngines('the figures of deliveries over time', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  async function tenant() {
    const { postern } = await sender()
    const admin = await administrator(postern)
    const own = callsOf(postern, await apiKey(postern, admin))
    const stats = async (query = '') => {
      const { status, text, body } = await own.get(`/v1/stats/deliveries${query}`)
      assert.equal(status, 200, text)
      return body
    }
    return { postern, own, stats, organizationId: admin.organizationId as Id<'organization'> }
  }

  it('count outcomes by the hour, of all webhooks or of one, including empty hours', async () => {
    const { postern, own, stats } = await tenant()
    const { receiver } = await sender()
    const destination = await receiver()
    destination.answer = ({ event }, response) => void response.writeHead(Number(event.data.answer)).end()
    const register = async () =>
      (await own.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })).body.id
    const empty = await stats()
    assert.equal(empty.buckets.length, 24)
    assert.deepEqual(empty.totals, { delivered: 0, failed: 0, pending: 0 })
    assert.equal(empty.latencyMs, null)
    assert.deepEqual(empty.backlog, { pending: 0, held: 0, oldestPendingAt: null })
    const [one, two] = [await register(), await register()]
    const publish = async (answer: number) => {
      const event = await own.post('/v1/events', { type: 'agent.run.completed', data: { ...RUN, answer } })
      await until(
        async () => (await own.get(`/v1/deliveries?eventId=${event.body.id}`)).body.data,
        (all) => all.length === 2 && all.every((row: { attemptCount: number }) => row.attemptCount > 0),
      )
    }
    await publish(200)
    await publish(404)
    postern.clock.advance(2 * HOUR)
    await publish(503)
    const all = await stats('?window=4h&bucket=60m')
    assert.deepEqual([all.windowMs, all.bucketMs, all.buckets.length], [4 * HOUR, HOUR, 4])
    const outcomes = ({ delivered, failed, pending }: Record<string, number>) => [delivered, failed, pending]
    assert.deepEqual(all.buckets.map(outcomes), [
      [0, 0, 0],
      [2, 2, 0],
      [0, 0, 0],
      [0, 0, 2],
    ])
    assert.deepEqual(all.totals, { delivered: 2, failed: 2, pending: 2 })
    const { p50, p99 } = all.buckets[1].latencyMs
    assert.ok(p50 >= 0 && p50 <= p99)
    assert.equal(all.buckets[2].latencyMs, null)
    assert.equal(all.backlog.pending, 2)
    assert.ok(all.backlog.oldestPendingAt)
    await own.patch(`/v1/webhooks/${two}`, { status: 'paused' })
    const { totals, backlog } = await stats(`?window=4h&webhookId=${two}`)
    assert.deepEqual(outcomes(totals), [1, 1, 1])
    assert.deepEqual(backlog, { pending: 0, held: 1, oldestPendingAt: null })
    assert.deepEqual(outcomes((await stats(`?window=30m&bucket=1m&webhookId=${one}`)).totals), [0, 0, 1])
    const stranger = await tenant()
    assert.deepEqual(outcomes((await stranger.stats(`?webhookId=${one}`)).totals), [0, 0, 0])
  })

  it('are exact for 22,000 deliveries', async () => {
    const { postern, stats, organizationId } = await tenant()
    const [webhookId] = await writeWebhooks(postern.app.database, organizationId, 1, postern.clock.now())
    const made = 22_000
    await writeDeliveries(postern, organizationId, made, (index) => ({
      webhook_id: webhookId as Id<'webhook'>,
      status: index % 10 === 0 ? 'failed' : 'delivered',
    }))
    for (const query of ['?window=2h&bucket=1m', '?window=2h&bucket=2h', '', '?window=30d'])
      assert.deepEqual((await stats(query)).totals, { delivered: 19_800, failed: 2_200, pending: 0 }, query)
  })

  test('refuse a malformed time and more than 200 buckets', async () => {
    const { own } = await tenant()
    const get = (query: string) => own.get(`/v1/stats/deliveries?${query}`)
    assertError(await get('window=1w'), 'VALIDATION_FAILED', { field: 'window' })
    assertError(await get('window=31d'), 'VALIDATION_FAILED', { field: 'window' })
    assertError(await get('bucket=99d'), 'VALIDATION_FAILED', { field: 'bucket' })
    assertError(await get('window=201m&bucket=1m'), 'VALIDATION_FAILED', { field: 'bucket' })
    assert.equal((await get('window=200m&bucket=1m')).status, 200)
    assertError(await get('window=24h&bucket=10m'), 'VALIDATION_FAILED', {
      field: 'bucket',
      reason: 'whole_quarters_of_an_hour',
    })
    assertError(await get('window=5d&bucket=45m'), 'VALIDATION_FAILED', {
      field: 'bucket',
      reason: 'whole_hours',
    })
  })

  it('have buckets of an hour by default, and of a day if there would be more than 200', async () => {
    const { own } = await tenant()
    for (const [window, bucketMs, count] of [
      ['200h', HOUR, 200],
      ['201h', DAY, 9],
      ['30d', DAY, 30],
    ] as const) {
      const { status, body } = await own.get(`/v1/stats/deliveries?window=${window}`)
      assert.deepEqual([status, body.bucketMs, body.buckets.length], [200, bucketMs, count], window)
    }
  })

  it('stay exact for a burst of 120 events after counts are folded, for 30 days', async () => {
    const { postern, own, stats } = await tenant()
    const { receiver } = await sender()
    const destination = await receiver()
    await own.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })
    const events = Array.from({ length: 120 }, () => ({ type: 'agent.run.completed', data: RUN }))
    await own.post('/v1/events/batch', { events })
    const isOver = ({ totals }: { totals: { pending: number } }) => totals.pending === 0
    const expected = { delivered: 120, failed: 0, pending: 0 }
    assert.deepEqual((await until(() => stats(), isOver)).totals, expected)
    for (const later of [3 * DAY, 10 * DAY]) {
      postern.clock.advance(later)
      await createFoldCounts(postern.app.database, 30)(postern.clock.now())
      assert.deepEqual((await stats('?window=30d')).totals, expected)
      assert.notEqual((await stats('?window=30d')).latencyMs, null)
    }
    assert.deepEqual((await stats('?window=7d')).totals, { ...expected, delivered: 0 })
  })
})
