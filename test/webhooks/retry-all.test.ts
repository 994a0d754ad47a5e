import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import type { Receiver } from '../support/receiver.ts'
import { answering, ended, fail, LONG_AGO } from '../support/replays.ts'
import { type Calls, callsOf, readAll, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** A destination with a `Retry-After` of ten minutes. */
const later: Receiver['answer'] = (_call, response) =>
  void response.writeHead(503, { 'retry-after': String((10 * MINUTE) / SECOND) }).end()

onBothEngines('deliveries of all webhooks', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  /** An organization with a number of webhooks. */
  async function make(count = 2) {
    const { postern, receiver } = await sender()
    const key = await apiKey(postern, await administrator(postern))
    const own = callsOf(postern, key)
    const webhooks: { id: string; destination: Receiver }[] = []
    for (let made = 0; made < count; made += 1) {
      const destination = await receiver()
      const webhook = { url: destination.url, events: ['agent.run.completed'] }
      const { id } = (await own.post('/v1/webhooks', webhook)).body
      webhooks.push({ id, destination })
    }
    return { webhooks, own, postern, key }
  }

  const answerAll = (webhooks: { destination: Receiver }[], answer: Receiver['answer']) => {
    for (const { destination } of webhooks) destination.answer = answer
  }

  /** Publishes an event whose deliveries all wait for a retry after a failed first attempt. */
  async function leaveWaiting(own: Calls, webhooks: { destination: Receiver }[]): Promise<string> {
    answerAll(webhooks, later)
    const { id } = (await own.post('/v1/events', { type: 'agent.run.completed', data: RUN })).body
    await until(
      async () => (await own.get(`/v1/deliveries?eventId=${id}`)).body.data as { attemptCount: number }[],
      (rows) => rows.length === webhooks.length && rows.every(({ attemptCount }) => attemptCount === 1),
    )
    return id
  }

  it('are made again by one replay, which can be counted before, listed and read', async () => {
    const { webhooks, own } = await make()
    answerAll(webhooks, answering(400))
    const [first] = webhooks
    await fail(own, first?.id ?? '', 3)
    await until(
      async () => (await own.get('/v1/deliveries?status=failed')).body.data,
      (rows) => rows.length === 6,
    )
    answerAll(webhooks, answering(200))
    const tried = await own.post('/v1/replays', { since: LONG_AGO, dryRun: true })
    assert.deepEqual([tried.status, tried.body], [200, { matched: 6, atLeast: false }])
    assert.deepEqual((await own.get('/v1/replays')).body.data, [])
    const begun = await own.post('/v1/replays', { since: LONG_AGO })
    assert.equal(begun.status, 202, begun.text)
    assert.equal(begun.body.webhookId, null)
    const done = await ended(own, begun.body.id)
    assert.deepEqual([done.status, done.total, done.replayed], ['completed', 6, 6])
    assert.deepEqual((await own.get('/v1/replays')).body.data, [done])
    for (const { destination } of webhooks) await destination.count(6)
  })

  it('become due at once if they wait, and are made again if they failed', async () => {
    const { webhooks, own } = await make()
    answerAll(webhooks, answering(400))
    await fail(own, webhooks[0]?.id ?? '', 1)
    await until(
      async () => (await own.get('/v1/deliveries?status=failed')).body.data,
      (rows) => rows.length === 2,
    )
    const waiting = await leaveWaiting(own, webhooks)
    answerAll(webhooks, answering(200))
    const count = async (body: object) =>
      (await own.post('/v1/deliveries/retry', { ...body, dryRun: true })).body.matched
    assert.equal(await count({ status: 'pending' }), 2)
    assert.equal(await count({ status: 'failed' }), 2)
    assert.equal(await count({}), 4)
    const begun = await own.post('/v1/deliveries/retry', { status: 'pending' })
    assert.equal(begun.status, 202, begun.text)
    assert.equal((await ended(own, begun.body.id)).replayed, 2)
    const rows = await until(
      () => readAll(own, `/v1/deliveries?eventId=${waiting}`),
      (all) => all.every(({ status }) => status === 'delivered'),
    )
    assert.deepEqual(
      rows.map(({ attemptCount }) => attemptCount),
      [2, 2],
      'they are the same deliveries',
    )
    const rest = await own.post('/v1/deliveries/retry', {})
    assert.equal((await ended(own, rest.body.id)).replayed, 2)
    await until(
      () => readAll(own, '/v1/deliveries?status=delivered'),
      (all) => all.length === 4,
    )
  })

  it('are selected by the failure of their last attempt, by type, event, id and webhook', async () => {
    const { webhooks, own } = await make()
    const [one = never(), two = never()] = webhooks
    one.destination.answer = answering(400)
    two.destination.answer = answering(404)
    const [event] = await fail(own, one.id, 2)
    const failed = await until(
      () => readAll(own, '/v1/deliveries?status=failed'),
      (all) => all.length === 4,
    )
    await leaveWaiting(own, webhooks)
    const since = LONG_AGO
    for (const [body, matched] of [
      [{ statusCode: '404' }, 2],
      [{ statusCode: '4xx' }, 4],
      [{ statusCode: '503' }, 2],
      [{ statusCode: '503', status: 'failed' }, 0],
      [{ errorClass: 'http_5xx,timeout' }, 2],
      [{ errorClass: 'http_4xx', webhookId: one.id }, 2],
      [{ eventType: 'file.processed' }, 0],
      [{ eventId: event }, 2],
      [{ ids: [failed[0]?.id, failed[0]?.id, 'dlv_01a202ea-a954-712e-b69b-05ec12b40354'] }, 1],
      [{ until: since }, 0],
    ] as const) {
      const tried = await own.post('/v1/deliveries/retry', { ...body, dryRun: true })
      assert.deepEqual([tried.status, tried.body], [200, { matched, atLeast: false }], JSON.stringify(body))
    }
    for (const [path, body, matched] of [
      ['/v1/replays', { since, statusCode: '404' }, 2],
      [`/v1/webhooks/${one.id}/replay`, { since, statusCode: '404' }, 0],
      [`/v1/webhooks/${two.id}/replay`, { since, eventId: event, errorClass: 'http_4xx' }, 1],
      [`/v1/webhooks/${two.id}/replay`, { since, ids: failed.map(({ id }) => id) }, 2],
    ] as const)
      assert.equal((await own.post(path, { ...body, dryRun: true })).body.matched, matched, path)

    answerAll(webhooks, answering(200))
    const begun = await own.post('/v1/deliveries/retry', { status: 'failed', statusCode: '404' })
    const { filter, statusCode, idCount, total } = begun.body
    assert.deepEqual(
      { filter, statusCode, idCount, total },
      { filter: 'failed', statusCode: '404', idCount: null, total: 2 },
    )
    assert.equal((await ended(own, begun.body.id)).replayed, 2)
    const ids = failed.filter(({ webhookId }) => webhookId === one.id).map(({ id }) => id)
    const named = await own.post('/v1/replays', { since, ids })
    assert.equal((await ended(own, named.body.id)).replayed, 2)
    assert.equal(named.body.idCount, 2)
    await until(
      () => readAll(own, '/v1/deliveries?status=delivered'),
      (all) => all.length === 4,
    )
    // No failed delivery is left, because each was made again.
    const rest = await own.post('/v1/deliveries/retry', { status: 'failed', dryRun: true })
    assert.equal(rest.body.matched, 0)
  })

  it('show the end of their retry on the live stream, with its counts', async () => {
    const { webhooks, own, postern, key } = await make()
    await leaveWaiting(own, webhooks)
    const stream = await watchLive(postern.url, key, { query: '?topics=replays' })
    const { id } = (await own.post('/v1/deliveries/retry', { status: 'pending' })).body
    const { data } = await stream.sees(
      'the end of the replay',
      (one) => one.event === 'replay' && one.data.id === id && one.data.status === 'completed',
    )
    assert.deepEqual([data.webhookId, data.total, data.replayed], [null, 2, 2])
    stream.leave()
  })

  test('exclude deliveries of other organizations, even by id, event or webhook', async () => {
    const { webhooks, own } = await make(1)
    answerAll(webhooks, answering(400))
    const [eventId] = await fail(own, webhooks[0]?.id ?? '', 1)
    const ids = (await own.get('/v1/deliveries')).body.data.map(({ id }: { id: string }) => id)
    const { own: other } = await make(1)
    for (const body of [{ ids }, { eventId }, {}]) {
      const tried = await other.post('/v1/deliveries/retry', { ...body, dryRun: true })
      assert.equal(tried.body.matched, 0)
    }
    const begun = await other.post('/v1/deliveries/retry', { ids })
    assert.deepEqual(
      [(await ended(other, begun.body.id)).status, (await own.get('/v1/replays')).body.data],
      ['completed', []],
    )
    assertError(await own.get(`/v1/replays/${begun.body.id}`), 'ENTITY_NOT_FOUND')
    assertError(await own.delete(`/v1/replays/${begun.body.id}`), 'ENTITY_NOT_FOUND')
    assertError(await other.post('/v1/deliveries/retry', { webhookId: webhooks[0]?.id }), 'ENTITY_NOT_FOUND')
    assert.equal((await readAll(own, '/v1/deliveries')).length, 1)
  })

  it('are retried once for an Idempotency-Key, and skipped if their webhook is deleted', async () => {
    const { webhooks, own } = await make()
    answerAll(webhooks, answering(400))
    await fail(own, webhooks[0]?.id ?? '', 1)
    await until(
      async () => (await own.get('/v1/deliveries?status=failed')).body.data,
      (rows) => rows.length === 2,
    )
    await own.delete(`/v1/webhooks/${webhooks[0]?.id}`)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await own.post('/v1/deliveries/retry', {}, key)
    const second = await own.post('/v1/deliveries/retry', {}, key)
    assert.deepEqual([first.body.total, second.body.id], [1, first.body.id])
    assert.equal((await ended(own, first.body.id)).replayed, 1)
    assert.equal((await readAll(own, '/v1/deliveries')).length, 3)
    assert.equal((await own.get('/v1/replays')).body.data.length, 1)
  })

  test('refuse an invalid filter', async () => {
    const { own } = await make(0)
    for (const [path, body, field] of [
      ['/v1/deliveries/retry', { status: 'delivered' }, 'status'],
      ['/v1/deliveries/retry', { ids: [] }, 'ids'],
      ['/v1/deliveries/retry', { errorClass: 'bad' }, 'errorClass'],
      ['/v1/deliveries/retry', { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'since'],
      ['/v1/replays', { since: LONG_AGO, statusCode: '5' }, 'statusCode'],
    ] as const)
      assertError(await own.post(path, body), 'VALIDATION_FAILED', { field })
    assertError(await own.post('/v1/replays', {}), 'MISSING_REQUIRED_FIELD', { field: 'since' })
    assertError(await own.post('/v1/deliveries/retry', { ids: ['x'] }), 'INVALID_UUID')
  })
})

function never(): never {
  assert.fail('there are two')
}
