import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fromIso, HOUR, SECOND, toIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, readAll, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

onBothEngines('deliveries', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

  /** A webhook whose destination answers with the status in `data.answer` of each event. */
  async function make() {
    const { receiver, register } = await sender()
    const own = await calls()
    const destination = await receiver()
    destination.answer = ({ event }, response) => void response.writeHead(Number(event.data.answer)).end()
    const { id } = await register(destination.url, { events: ['file.processed', 'agent.run.completed'] })
    const path = `/v1/webhooks/${id}/deliveries`
    return {
      id,
      own,
      path,
      destination,
      /** Publishes and waits for the end of the first attempt. @returns the delivery */
      async send(answer: number, type = 'file.processed') {
        const event = await own.post('/v1/events', { type, data: { ...RUN, answer } })
        assert.equal(event.status, 202, event.text)
        const rows = await until(
          async () =>
            (await own.get(path)).body.data as { eventId: string; attemptCount: number; id: string }[],
          (all) => all.some(({ eventId, attemptCount }) => eventId === event.body.id && attemptCount > 0),
        )
        return rows.find(({ eventId }) => eventId === event.body.id) as { id: string; eventId: string }
      },
    }
  }

  it('are listed newest first, by status, by type, since a moment, page by page', async () => {
    const { postern } = await sender()
    const { own, path, send } = await make()
    const made: Record<string, string[]> = { delivered: [], failed: [], pending: [] }
    const all: string[] = []
    for (const [answer, status] of [
      [200, 'delivered'],
      [404, 'failed'],
      [503, 'pending'],
      [204, 'delivered'],
      [400, 'failed'],
    ] as const) {
      const { id } = await send(answer)
      made[status]?.unshift(id)
      all.unshift(id)
    }
    postern.clock.advance(10)
    const since = toIso(postern.clock.now())
    postern.clock.advance(10)
    const late = await send(200, 'agent.run.completed')
    assert.deepEqual(ids(await readAll(own, path)), [late.id, ...all])
    assert.deepEqual(ids(await readAll(own, path, 2)), [late.id, ...all])
    assert.deepEqual(ids(await readAll(own, `${path}?status=failed`, 1)), made.failed)
    assert.deepEqual(ids(await readAll(own, `${path}?status=pending`)), made.pending)
    assert.deepEqual(ids(await readAll(own, `${path}?status=delivered`, 2)), [
      late.id,
      ...(made.delivered ?? []),
    ])
    assert.deepEqual(ids(await readAll(own, `${path}?status=held`)), [])
    assert.deepEqual(ids(await readAll(own, `${path}?eventType=agent.run.completed`)), [late.id])
    assert.deepEqual(ids(await readAll(own, `${path}?since=${since}`)), [late.id])
    const filtered = `${path}?eventType=file.processed&status=delivered&since=2026-01-01T00:00:00%2B01:00`
    assert.deepEqual(ids(await readAll(own, filtered)), made.delivered)
    assert.deepEqual(ids(await readAll(own, `${path}?since=2999-01-01T00:00:00Z`)), [])
  })

  test('refuse an invalid filter', async () => {
    const { own, path } = await make()
    for (const [query, field] of [
      ['status=lost', 'status'],
      ['since=yesterday', 'since'],
      ['since=1795000000', 'since'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['cursor=garbage', 'cursor'],
      ['colour=red', 'colour'],
    ] as const) {
      assertError(await own.get(`${path}?${query}`), 'VALIDATION_FAILED', { field })
    }
    assertError(await own.get(`${path}?limit=many`), 'TYPE_MISMATCH', { field: 'limit' })
  })

  it('show every attempt: the request, the answer, the duration and the secret', async () => {
    const { own, destination, send, id } = await make()
    destination.answer = (_call, response) =>
      void response
        .writeHead(404, { 'x-answer': 'no', 'content-type': 'text/plain' })
        .end('Nobody here — sorry')
    const { id: deliveryId, eventId } = await send(404)
    const { body, text } = await own.get(`/v1/deliveries/${deliveryId}`)
    const { attempts, createdAt, updatedAt, ...delivery } = body
    assert.deepEqual(delivery, {
      id: deliveryId,
      webhookId: id,
      eventId,
      eventType: 'file.processed',
      status: 'failed',
      reason: 'http_404',
      test: false,
      attemptCount: 1,
      nextAttemptAt: null,
      waiting: null,
    })
    assert.ok(Number(fromIso(updatedAt)) >= Number(fromIso(createdAt)))
    const [attempt] = attempts
    assert.match(attempt.id, /^att_/)
    assert.equal(attempt.number, 1)
    assert.equal(attempt.statusCode, 404)
    assert.equal(attempt.error, null)
    assert.equal(attempt.responseBody, 'Nobody here — sorry')
    assert.equal(attempt.responseHeaders['x-answer'], 'no')
    assert.equal(attempt.signedWith, 'current')
    assert.ok(Number.isInteger(attempt.durationMs))
    const sent = destination.received[0]?.headers
    for (const name of [
      'webhook-id',
      'webhook-signature',
      'x-service-signature',
      'x-service-attempt',
      'user-agent',
    ])
      assert.equal(attempt.requestHeaders[name], sent?.[name], name)
    assert.ok(!text.includes('whsec_'))
  })

  test('are retried only by administrators of the organization', async () => {
    const { send } = await make()
    const { postern, admin } = await sender()
    const { id } = await send(404)
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    assert.equal((await asMember.get(`/v1/deliveries/${id}`)).status, 200)
    assertError(await asMember.post(`/v1/deliveries/${id}/retry`), 'FORBIDDEN')
    const foreign = callsOf(postern, await apiKey(postern, await administrator(postern)))
    assertError(await foreign.get(`/v1/deliveries/${id}`), 'ENTITY_NOT_FOUND', { field: 'id' })
    assertError(await foreign.post(`/v1/deliveries/${id}/retry`), 'ENTITY_NOT_FOUND', { field: 'id' })
  })

  it('are retried as new deliveries of the same event with the full schedule after their end', async () => {
    const { postern } = await sender()
    const { own, destination, send } = await make()
    const { id, eventId } = await send(404)
    // The first retry comes by the clock alone, however long the machine takes until then.
    using _still = postern.clock.stop()
    postern.clock.advance(30 * HOUR)
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const retried = await own.post(`/v1/deliveries/${id}/retry`)
    assert.equal(retried.status, 202, retried.text)
    assert.notEqual(retried.body.id, id)
    assert.equal(retried.body.eventId, eventId)
    assert.equal(retried.body.status, 'pending')
    assert.equal(retried.body.attemptCount, 0)
    const path = `/v1/deliveries/${retried.body.id}`
    const waiting = await until(
      () => own.get(path),
      ({ body }) => body.attemptCount === 1,
    )
    assert.equal(waiting.body.status, 'pending', 'the event is older than a day, its schedule is not')
    destination.answer = (_call, response) => void response.writeHead(200).end()
    postern.clock.advance(SECOND)
    await until(
      () => own.get(path),
      ({ body }) => body.status === 'delivered',
    )
    const bodies = new Set(destination.received.map(({ body }) => body.toString()))
    assert.equal(bodies.size, 1, 'the same bytes')
    const old = (await own.get(`/v1/deliveries/${id}`)).body
    assert.equal(old.status, 'failed')
    assert.equal(old.attemptCount, 1)
  })

  test('can be retried although they were delivered', async () => {
    const { own, destination, send } = await make()
    const { id, eventId } = await send(200)
    await own.post(`/v1/deliveries/${id}/retry`)
    const [, repeated] = await destination.count(2)
    assert.equal(repeated?.headers['webhook-id'], eventId)
    assert.equal(repeated?.headers['x-service-attempt'], '1')
    assert.notEqual(repeated?.headers['x-service-delivery'], id)
  })

  it('are attempted now if they wait for a retry', async () => {
    const { postern } = await sender()
    // The first retry comes by the clock alone, however long the machine takes until then.
    using _still = postern.clock.stop()
    const { own, destination, send } = await make()
    const { id } = await send(503)
    destination.answer = (_call, response) => void response.writeHead(200).end()
    const { status, body } = await own.post(`/v1/deliveries/${id}/retry`)
    assert.equal(status, 202)
    assert.equal(body.id, id)
    const done = await until(
      () => own.get(`/v1/deliveries/${id}`),
      (answer) => answer.body.status === 'delivered',
    )
    assert.equal(done.body.attemptCount, 2)
    assert.equal(destination.received.length, 2)
  })

  test('stay held while their webhook is paused', async () => {
    const { id, own, path } = await make()
    await own.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    await own.post('/v1/events', { type: 'file.processed', data: { answer: 200 } })
    const [held] = (await own.get(path)).body.data
    const { body } = await own.post(`/v1/deliveries/${held.id}/retry`)
    assert.equal(body.id, held.id)
    assert.equal(body.status, 'held')
    assert.equal(body.nextAttemptAt, null)
  })

  it('are retried once for an Idempotency-Key', async () => {
    const { own, send, path } = await make()
    const { id } = await send(404)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await own.post(`/v1/deliveries/${id}/retry`, {}, key)
    const second = await own.post(`/v1/deliveries/${id}/retry`, {}, key)
    assert.equal(second.body.id, first.body.id)
    assert.equal((await readAll(own, path)).length, 2)
  })
})
