import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fromIso, HOUR, MINUTE, SECOND, toIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, newEmail } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  answering,
  ended,
  fail,
  holdAfterFirstStep,
  LONG_AGO,
  placeFailed,
  replay,
} from '../support/replays.ts'
import { type Calls, callsOf, readAll, turnsTaken, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** The `Retry-After` of a destination. */
const WAIT = 10 * MINUTE

/** More than one step of a replay makes. */
const MANY = 550

onBothEngines('a replay', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  async function make(status = 400) {
    const { postern, key, receiver, register } = await sender()
    const destination = await receiver()
    destination.answer = answering(status)
    const { id } = await register(destination.url)
    return { id, destination, own: callsOf(postern, key), postern }
  }

  it('is refused while ten of the organization run, also for concurrent requests', async () => {
    const { id, destination, own, postern } = await make()
    await fail(own, id, 1)
    destination.answer = answering(200)
    // The first replay is held after its first step, and later ones wait for it.
    const { held, release } = holdAfterFirstStep(postern)
    const { id: first } = await replay(own, id)
    await held()
    const begin = () => own.post(`/v1/webhooks/${id}/replay`, { since: LONG_AGO })
    const answers = await Promise.all(Array.from({ length: 12 }, begin))
    const refused = answers.filter(({ status }) => status !== 202)
    assert.equal(refused.length, 3)
    for (const answer of refused) assertError(answer, 'FORBIDDEN', { reason: 'too_many_replays', limit: 10 })
    assertError(await own.post('/v1/deliveries/retry', {}), 'FORBIDDEN', { reason: 'too_many_replays' })
    assert.equal((await own.post('/v1/deliveries/retry', { dryRun: true })).status, 200)
    assert.equal((await own.delete(`/v1/replays/${first}`)).status, 204)
    assert.equal((await begin()).status, 202)
    release()
    await until(
      async () => (await own.get('/v1/replays?limit=100')).body.data,
      (all: { status: string }[]) => all.every(({ status }) => status !== 'running'),
      { what: 'all replays to end' },
    )
  })

  it('makes each failed delivery of a time range again once, with the same event', async () => {
    const { id, destination, own } = await make()
    const events = await fail(own, id, 5)
    destination.answer = answering(200)
    const tried = await own.post(`/v1/webhooks/${id}/replay`, { since: LONG_AGO, dryRun: true })
    assert.deepEqual([tried.status, tried.body], [200, { matched: 5, atLeast: false }])
    assert.equal((await readAll(own, `/v1/webhooks/${id}/deliveries`)).length, 5)
    const begun = await replay(own, id)
    assert.match(begun.id, /^rpl_/)
    assert.deepEqual(
      { ...begun, id: '', until: '', createdAt: '', updatedAt: '' },
      {
        id: '',
        webhookId: id,
        status: 'running',
        filter: 'failed',
        ...{ eventId: null, eventType: null, statusCode: null, errorClass: null, idCount: null },
        since: LONG_AGO,
        until: '',
        total: 5,
        replayed: 0,
        createdAt: '',
        updatedAt: '',
      },
    )
    const done = await ended(own, begun.id)
    assert.equal(done.status, 'completed')
    assert.equal(done.replayed, 5)
    await destination.count(10)
    await turnsTaken(await sender())
    const seen = destination.received.map(({ event }) => event.id)
    assert.deepEqual(seen.slice(5).sort(), events.sort())
    const delivered = await readAll(own, `/v1/webhooks/${id}/deliveries?status=delivered`)
    assert.equal(delivered.length, 5)
    assert.ok(delivered.every(({ attemptCount }) => attemptCount === 1))
  })

  /** Waits until all deliveries of a webhook have ended. @returns them */
  const allEnded = (own: Calls, id: string) =>
    until(
      () => readAll(own, `/v1/webhooks/${id}/deliveries`),
      (rows) => rows.every(({ status }) => status === 'delivered' || status === 'failed'),
      { what: 'every delivery to end' },
    )

  it('makes one delivery of an event of which several have failed', async () => {
    const { id, own } = await make()
    await fail(own, id, 4)
    for (let round = 1; round <= 3; round += 1) {
      const { id: replayId, total } = await replay(own, id)
      assert.equal(total, 4)
      assert.equal((await ended(own, replayId)).replayed, 4)
      assert.equal((await allEnded(own, id)).length, 4 + 4 * round)
    }
  })

  it('skips events that were delivered later, by a replay or by hand, and events under way', async () => {
    const { id, destination, own } = await make()
    await fail(own, id, 3)
    destination.answer = answering(200)
    const [one] = await readAll(own, `/v1/webhooks/${id}/deliveries`)
    await own.post(`/v1/deliveries/${one.id}/retry`)
    await allEnded(own, id)
    assert.equal((await replay(own, id)).total, 2)
    await until(
      async () => (await allEnded(own, id)).length,
      (count) => count === 6,
      { what: 'the two that had not recovered' },
    )
    for (const status of ['failed', 'all'] as const) {
      await own.patch(`/v1/webhooks/${id}`, { status: 'paused' })
      const repeated = await replay(own, id, { status })
      assert.equal(repeated.total, status === 'failed' ? 0 : 3)
      assert.equal((await ended(own, repeated.id)).replayed, repeated.total)
    }
    // The three wait for their webhook.
    assert.equal((await replay(own, id, { status: 'all' })).total, 0)
  })

  it('includes an event that failed again after its time range', async () => {
    const { id, own, postern } = await make()
    await fail(own, id, 2)
    postern.clock.advance(HOUR)
    const middle = toIso(postern.clock.now())
    postern.clock.advance(HOUR)
    await ended(own, (await replay(own, id)).id)
    await allEnded(own, id)
    assert.equal((await replay(own, id, { until: middle })).total, 2)
  })

  it('never replays the sample of a test, nor a retry of one', async () => {
    const { id, own } = await make()
    const test = (await own.post(`/v1/webhooks/${id}/test`)).body
    const read = async (deliveryId: string) => (await own.get(`/v1/deliveries/${deliveryId}`)).body
    assert.equal((await read(test.deliveryId)).test, true)
    const retried = (await own.post(`/v1/deliveries/${test.deliveryId}/retry`)).body
    assert.equal(retried.test, true)
    await fail(own, id, 1)
    const rows = await allEnded(own, id)
    assert.deepEqual(
      rows.map((row) => row.test),
      [false, true, true],
    )
    for (const status of ['failed', 'all'] as const) {
      const { id: replayId, total } = await replay(own, id, { status })
      assert.equal(total, 1)
      await ended(own, replayId)
      await allEnded(own, id)
    }
  })

  it('decides by the newest delivery even if the clock was set back before it was made', async () => {
    const { id, destination, own, postern } = await make()
    await fail(own, id, 1)
    postern.clock.advance(-HOUR)
    destination.answer = answering(200)
    const [one] = await readAll(own, `/v1/webhooks/${id}/deliveries`)
    await own.post(`/v1/deliveries/${one.id}/retry`)
    await allEnded(own, id)
    postern.clock.advance(2 * HOUR)
    assert.equal((await replay(own, id)).total, 0)
  })

  it('covers all deliveries that existed at its request, and no later ones, after the clock was set back by seconds', async () => {
    const { id, destination, own, postern } = await make()
    const before = await fail(own, id, 2)
    postern.clock.advance(-9 * SECOND)
    const meanwhile = await fail(own, id, 2)
    destination.answer = answering(200)
    const counted = (path: string, body: object) => own.post(path, { ...body, dryRun: true })
    assert.equal((await counted(`/v1/webhooks/${id}/replay`, { since: LONG_AGO })).body.matched, 4)
    assert.equal((await counted('/v1/deliveries/retry', { webhookId: id })).body.matched, 4)
    // After its first step another delivery ends with the status of the filter.
    const { held, release } = holdAfterFirstStep(postern)
    const begun = await replay(own, id, { status: 'all' })
    await held()
    await fail(own, id, 1)
    release()
    assert.equal((await ended(own, begun.id)).replayed, 4)
    const all = await readAll(own, `/v1/webhooks/${id}/deliveries`)
    const times = Map.groupBy(all, ({ eventId }) => eventId as string)
    for (const event of [...before, ...meanwhile]) assert.equal(times.get(event)?.length, 2)
    assert.equal(all.length, 9)
    postern.clock.advance(9 * SECOND)
  })

  it('covers all deliveries that existed at its request after the clock was set back by an hour', async () => {
    const { destination, postern } = await make()
    // A new organization, because all its webhooks are counted.
    const own = callsOf(postern, await apiKey(postern, await administrator(postern, newEmail('Org'))))
    const register = async (path: string): Promise<string> =>
      (await own.post('/v1/webhooks', { url: destination.url + path, events: ['*'] })).body.id
    const [id, elsewhere] = [await register('/a'), await register('/b')]
    await fail(own, id, 3)
    await until(
      () => readAll(own, `/v1/webhooks/${elsewhere}/deliveries`),
      (rows) => rows.length === 3 && rows.every(({ status }) => status === 'failed'),
      { what: 'the other webhook to have failed too' },
    )
    const [newest] = await readAll(own, `/v1/webhooks/${id}/deliveries`)
    using _ = postern.clock.setBack(HOUR)
    const matched = async (path: string, body: object) => {
      const answer = await own.post(path, { ...body, dryRun: true })
      return answer.status === 200 ? answer.body.matched : answer.text
    }
    const one = `/v1/webhooks/${id}/replay`
    // The times of these deliveries in lists are also ahead of the clock.
    const early = toIso((fromIso(newest.createdAt) ?? 0) - MINUTE)
    const late = toIso((fromIso(newest.createdAt) ?? 0) + MINUTE)
    for (const time of [
      { since: LONG_AGO },
      { since: early },
      { since: early, until: late },
      { since: LONG_AGO, until: late },
    ]) {
      assert.equal(await matched(one, time), 3, JSON.stringify(time))
      assert.equal(await matched('/v1/replays', time), 6, JSON.stringify(time))
    }
    assert.equal(await matched(one, { since: LONG_AGO, until: early }), 0)
    assert.equal(await matched('/v1/deliveries/retry', {}), 6)
    const toCome = await own.post(one, { since: toIso(postern.clock.now() + 3 * HOUR) })
    assertError(toCome, 'VALIDATION_FAILED', { reason: 'after_until' })
    destination.answer = answering(200)
    assert.equal((await ended(own, (await replay(own, id)).id)).replayed, 3)
    const delivered = await until(
      () => readAll(own, `/v1/webhooks/${id}/deliveries?status=delivered`),
      (rows) => rows.length >= 3,
      { what: 'what was made again to be delivered' },
    )
    assert.equal(delivered.length, 3)
    assert.equal(await matched(one, { since: LONG_AGO }), 0)
  })

  it('covers the deliveries of its filter: by default failed ones, never pending ones', async () => {
    const { id, destination, own } = await make()
    await fail(own, id, 2)
    destination.answer = answering(200)
    await fail(own, id, 3)
    destination.answer = answering(503)
    await own.post('/v1/events', { type: 'agent.run.completed', data: RUN })
    await destination.count(6)
    await own.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const held = async () => (await readAll(own, `/v1/webhooks/${id}/deliveries?status=held`)).length
    await until(held, (count) => count === 1)
    for (const [status, total] of [
      [undefined, 2],
      // Already made again, and held.
      ['failed', 0],
      ['delivered', 3],
      ['all', 0],
    ] as const) {
      const before = await held()
      const { id: replayId, total: counted } = await replay(own, id, status === undefined ? {} : { status })
      assert.equal(counted, total)
      assert.equal((await ended(own, replayId)).replayed, total)
      assert.equal(await held(), before + total)
    }
  })

  test('covers the deliveries of its time range', async () => {
    const { id, own, postern } = await make()
    await fail(own, id, 1)
    postern.clock.advance(HOUR)
    const middle = toIso(postern.clock.now())
    postern.clock.advance(HOUR)
    await fail(own, id, 2)
    postern.clock.advance(SECOND)
    assert.equal((await replay(own, id, { since: middle })).total, 2)
    assert.equal((await replay(own, id, { until: middle })).total, 1)
    const future = await replay(own, id, { since: middle, until: '2999-01-01T00:00:00Z' })
    assert.ok(future.until < '2999')
  })

  it('retries a delivery of an event three days old', async () => {
    const { id, destination, own, postern } = await make()
    await fail(own, id, 1)
    postern.clock.advance(72 * HOUR)
    destination.answer = answering(503)
    await ended(own, (await replay(own, id)).id)
    const waiting = await until(
      async () => (await own.get(`/v1/webhooks/${id}/deliveries`)).body.data[0],
      ({ attemptCount }) => attemptCount >= 1,
    )
    assert.equal(waiting.status, 'pending')
  })

  test('without deliveries is complete', async () => {
    const { id, own } = await make()
    const { id: replayId, total } = await replay(own, id)
    assert.equal(total, 0)
    assert.deepEqual((await ended(own, replayId)).status, 'completed')
  })

  test('is refused with an invalid time or filter', async () => {
    const { id, own } = await make()
    for (const [body, code, field] of [
      [{}, 'MISSING_REQUIRED_FIELD', 'since'],
      [{ since: 'yesterday' }, 'VALIDATION_FAILED', 'since'],
      [{ since: 1_795_000_000 }, 'TYPE_MISMATCH', 'since'],
      [{ since: '2999-01-01T00:00:00Z' }, 'VALIDATION_FAILED', 'since'],
      [{ since: '2026-02-01T00:00:00Z', until: LONG_AGO }, 'VALIDATION_FAILED', 'since'],
      [{ since: LONG_AGO, status: 'pending' }, 'VALIDATION_FAILED', 'status'],
      [{ since: LONG_AGO, limit: 1 }, 'VALIDATION_FAILED', 'limit'],
    ] as const) {
      assertError(await own.post(`/v1/webhooks/${id}/replay`, body), code, { field })
    }
  })

  it('begins once for an Idempotency-Key', async () => {
    const { id, own } = await make()
    await fail(own, id, 1)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const path = `/v1/webhooks/${id}/replay`
    const [first, repeated] = [
      await own.post(path, { since: LONG_AGO }, key),
      await own.post(path, { since: LONG_AGO }, key),
    ]
    assert.equal(repeated.body.id, first.body.id)
    await ended(own, first.body.id)
    assert.equal((await readAll(own, `/v1/webhooks/${id}/deliveries`)).length, 2)
  })

  it('counts deliveries that fail while it runs, and makes them again', async () => {
    const { id, destination, own, postern } = await make()
    await placeFailed(postern, id, MANY)
    destination.answer = (_call, response) =>
      void response.writeHead(503, { 'retry-after': String(WAIT / SECOND) }).end()
    assert.equal((await own.post('/v1/events', { type: 'agent.run.completed', data: RUN })).status, 202)
    const pending = async () => (await own.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.data
    const [waiting] = await until(pending, ([one]) => one?.attemptCount === 1)
    destination.answer = answering(400)
    const first = holdAfterFirstStep(postern)
    const begun = await replay(own, id)
    assert.equal(begun.total, MANY)
    await first.held
    // The state after its next attempt, which cannot happen while a read is held.
    const failed = { status: 'failed', reason: 'http_400', due_at: null } as const
    await postern.app.database.tx((tx) =>
      tx.updateTable('delivery').set(failed).where('id', '=', waiting.id).execute(),
    )
    first.release()
    const done = await ended(own, begun.id)
    assert.deepEqual([done.replayed, done.total], [MANY + 1, MANY + 1])
  })

  it('stops when it is cancelled, and keeps the deliveries that it made', async () => {
    const { id, destination, own, postern } = await make()
    await placeFailed(postern, id, MANY)
    destination.answer = answering(200)
    const { held, release } = holdAfterFirstStep(postern)
    const begun = await replay(own, id)
    await held()
    const midway = (await own.get(`/v1/replays/${begun.id}`)).body
    assert.equal(midway.status, 'running')
    assert.equal(midway.total, MANY)
    assert.ok(midway.replayed > 0 && midway.replayed < MANY, String(midway.replayed))
    assert.equal((await own.delete(`/v1/replays/${begun.id}`)).status, 204)
    release()
    await destination.count(midway.replayed)
    await turnsTaken(await sender())
    const cancelled = (await own.get(`/v1/replays/${begun.id}`)).body
    assert.equal(cancelled.status, 'cancelled')
    assert.equal(cancelled.replayed, midway.replayed)
    assert.equal(destination.received.length, midway.replayed)
    assert.equal((await own.delete(`/v1/replays/${begun.id}`)).status, 204)
  })

  it('ends with its webhook', async () => {
    const { id, own, postern } = await make()
    await placeFailed(postern, id, MANY)
    const { held, release } = holdAfterFirstStep(postern)
    const begun = await replay(own, id)
    await held()
    await own.delete(`/v1/webhooks/${id}`)
    release()
    assert.equal((await ended(own, begun.id)).status, 'cancelled')
  })

  test('stays complete when it is cancelled after its end', async () => {
    const { id, own } = await make()
    const { id: replayId } = await replay(own, id)
    await ended(own, replayId)
    await own.delete(`/v1/replays/${replayId}`)
    assert.equal((await own.get(`/v1/replays/${replayId}`)).body.status, 'completed')
  })
})

onBothEngines('a replay', (engine) => {
  it('survives a restart in its middle: each delivery is made again exactly once', async () => {
    const first = await startPostern(engine)
    const destination = await startReceiver()
    let second: Postern | undefined
    try {
      const key = await apiKey(first, await administrator(first))
      const own = callsOf(first, key)
      destination.answer = answering(400)
      const webhook = { url: destination.url, events: ['agent.run.completed'] }
      const { id } = (await own.post('/v1/webhooks', webhook)).body
      const events = await placeFailed(first, id, MANY)
      const { held, release } = holdAfterFirstStep(first)
      const begun = await replay(own, id)
      await held()
      const stopped = first.stop()
      release()
      await stopped
      const { PORT: _port, SMTP_URL: _smtp, ...env0 } = first.env
      second = await startPostern(engine, { env0 })
      const later = callsOf(second, key)
      const done = await ended(later, begun.id)
      assert.equal(done.status, 'completed')
      assert.equal(done.replayed, MANY)
      const all = await until(
        () => readAll(later, `/v1/webhooks/${id}/deliveries`),
        (rows) => rows.every(({ status }) => status === 'failed'),
      )
      assert.equal(all.length, 2 * MANY)
      const perEvent = Map.groupBy(all, ({ eventId }) => eventId as string)
      assert.deepEqual([...perEvent.keys()].sort(), events.sort())
      assert.ok([...perEvent.values()].every((deliveries) => deliveries.length === 2))
    } finally {
      await second?.stop()
      await destination.stop()
    }
  })
})
