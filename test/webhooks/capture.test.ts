import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fromIso, MINUTE } from '#src/core/clock.ts'
import { assertError, atOnce } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, readAll, turnsTaken } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

onBothEngines('a capture window', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)

  async function make() {
    const { postern, receiver, register } = await sender()
    const destination = await receiver()
    const endpointPath = `path-${crypto.randomUUID().slice(0, 8)}`
    const { id } = await register(destination.url, { endpointPath })
    const own = await calls()
    return {
      id,
      own,
      destination,
      start: async () => {
        const answer = await own.post(`/v1/webhooks/${id}/test/start`)
        assert.equal(answer.status, 200, answer.text)
        return answer.body
      },
      callIn: (body: unknown = { any: 'thing' }, headers = {}, query = '') =>
        postern.client().post(`/v1/webhooks/${endpointPath}${query}`, body, { headers }),
      captures: () => readAll(own, `/v1/webhooks/${id}/test/captures`),
      endpointPath,
    }
  }

  it('stores the next call instead of delivering it, and then closes', async () => {
    const { id, own, start, callIn, captures, destination } = await make()
    const opened = await start()
    const first = await callIn()
    assert.equal(first.status, 202)
    assert.deepEqual(first.body, { id: opened.captureId, status: 'captured' })
    const second = await callIn({ second: true })
    assert.equal(second.body.status, 'queued')
    const [call] = await destination.count(1)
    assert.equal(call?.event.id, second.body.id)
    assert.deepEqual(call?.event.data.body, { second: true })
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 1)
    assert.deepEqual(
      (await captures()).map((capture) => [capture.id, capture.status]),
      [[opened.captureId, 'captured']],
    )
    assert.equal((await own.get(`/v1/webhooks/${id}/test/captures`)).body.nextCursor, null)
  })

  test('returns the URL to call and its end after ten minutes', async () => {
    const { start, endpointPath } = await make()
    const { postern } = await sender()
    const before = postern.clock.now()
    const opened = await start()
    assert.deepEqual(Object.keys(opened).sort(), ['captureId', 'expiresAt', 'inboundUrl', 'status'])
    assert.match(opened.captureId, /^cap_/)
    assert.equal(opened.status, 'open')
    assert.ok(opened.inboundUrl.endsWith(`/v1/webhooks/${endpointPath}`))
    const ends = Number(fromIso(opened.expiresAt))
    assert.ok(ends >= before + 10 * MINUTE && ends <= postern.clock.now() + 10 * MINUTE)
  })

  it('is the same for all requests that start it while it is open, also concurrent ones', async () => {
    const { start, captures } = await make()
    const opened = await atOnce(20, start)
    assert.equal(new Set(opened.map(({ captureId }) => captureId)).size, 1)
    assert.equal((await captures()).length, 1)
  })

  test('needs an endpointPath', async () => {
    const { register } = await sender()
    const { id } = await register('http://127.0.0.1:9/')
    const answer = await (await calls()).post(`/v1/webhooks/${id}/test/start`)
    assertError(answer, 'VALIDATION_FAILED', { field: 'endpointPath' })
  })

  test('ends when it is stopped, and can be stopped again', async () => {
    const { id, own, start, callIn, captures, destination } = await make()
    await start()
    for (let times = 0; times < 2; times += 1) {
      const stopped = await own.post(`/v1/webhooks/${id}/test/stop`)
      assert.deepEqual([stopped.status, stopped.body], [200, { status: 'closed' }])
    }
    assert.equal((await callIn()).body.status, 'queued')
    await destination.count(1)
    const [capture] = await captures()
    assert.equal(capture.status, 'closed')
    assert.equal(capture.body, null)
  })

  it('ends after exactly ten minutes', async () => {
    const { start, callIn, captures, destination } = await make()
    const { postern } = await sender()
    using _still = postern.clock.stop()
    const first = await start()
    postern.clock.advance(10 * MINUTE - 1)
    assert.equal((await callIn()).body.status, 'captured')
    const second = await start()
    assert.notEqual(second.captureId, first.captureId)
    postern.clock.advance(10 * MINUTE)
    assert.equal((await captures())[0].status, 'closed')
    assert.equal((await callIn()).body.status, 'queued')
    await destination.count(1)
    const third = await start()
    assert.notEqual(third.captureId, second.captureId)
    assert.equal((await captures()).length, 3)
  })

  it('captures exactly one of 50 calls at once; the others are delivered', async () => {
    const { start, callIn, captures, destination } = await make()
    await start()
    const answers = await atOnce(50, (index) => callIn({ index }))
    assert.deepEqual(
      answers.map(({ body }) => body.status).filter((status) => status === 'captured'),
      ['captured'],
    )
    await destination.count(49)
    const [{ bodyBase64 }] = await captures()
    const captured = JSON.parse(Buffer.from(bodyBase64, 'base64').toString()).index
    const delivered = destination.received.map(({ event }) => (event.data.body as { index: number }).index)
    assert.deepEqual(
      [...new Set([...delivered, captured])].sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index),
    )
    assert.ok(!delivered.includes(captured))
  })

  it('answers concurrent starts and calls without an error', async () => {
    const { start, callIn } = await make()
    for (let rounds = 0; rounds < 20; rounds += 1) {
      await start()
      const answers = await atOnce(10, (index) => (index % 2 === 0 ? start() : callIn({ index })))
      assert.ok(answers.every((answer) => 'captureId' in answer || answer.status === 202))
    }
  })

  test('stores method, query, headers and the exact bytes, without the credentials of the caller', async () => {
    const { start, callIn, captures } = await make()
    await start()
    const bytes = new Uint8Array([0, 255, 254, 0x7b, 0x0a, 0x80])
    const headers = {
      'content-type': 'application/x-thing; v=1',
      'x-custom': 'kept',
      authorization: 'Bearer not-for-you',
      cookie: 'session=not-for-you',
      'proxy-authorization': 'Basic not-for-you',
    }
    assert.equal((await callIn(bytes, headers, '?a=1&a=2&b=%C3%BC&__proto__=x')).body.status, 'captured')
    const [capture] = await captures()
    assert.equal(capture.method, 'POST')
    assert.deepEqual(capture.query.a, ['1', '2'])
    assert.equal(capture.query.b, 'ü')
    assert.equal(capture.contentType, 'application/x-thing; v=1')
    assert.equal(capture.headers['x-custom'], 'kept')
    for (const name of ['authorization', 'cookie', 'proxy-authorization'])
      assert.equal(capture.headers[name], undefined)
    assert.ok(!JSON.stringify(capture).includes('not-for-you'))
    assert.deepEqual(Buffer.from(capture.bodyBase64, 'base64'), Buffer.from(bytes))
    assert.ok(fromIso(capture.capturedAt) !== undefined)
  })

  it('is delivered once for each Idempotency-Key, and once for each call without one, also at once', async () => {
    const { id, own, start, callIn, captures, destination } = await make()
    await start()
    await callIn({ a: 1 })
    const [capture] = await captures()
    const path = `/v1/webhooks/${id}/test/captures/${capture.id}/deliver`
    const key = { 'idempotency-key': crypto.randomUUID() }
    const keyed = await atOnce(4, () => own.post(path, {}, key))
    for (const answer of keyed)
      if (answer.status !== 202)
        assertError(answer, 'DUPLICATE', { field: 'Idempotency-Key', reason: 'still_running' })
    const ids = new Set(keyed.flatMap(({ status, body }) => (status === 202 ? [body.id] : [])))
    assert.equal(ids.size, 1)
    const plain = await atOnce(4, () => own.post(path))
    for (const answer of plain) {
      assert.equal(answer.status, 202, answer.text)
      ids.add(answer.body.id)
    }
    assert.equal(ids.size, 5, 'each call names the event that it has made')
    const received = await destination.count(5)
    assert.deepEqual(new Set(received.map(({ event }) => event.id)), ids)
  })

  it('can deliver a captured call later, unchanged', async () => {
    const { id, own, start, callIn, captures, destination } = await make()
    await start()
    await callIn('{"a": 1.0}', { 'content-type': 'application/json' }, '?x=y')
    const [capture] = await captures()
    const path = `/v1/webhooks/${id}/test/captures/${capture.id}/deliver`
    const answer = await own.post(path)
    assert.equal(answer.status, 202, answer.text)
    assert.equal(answer.body.status, 'queued')
    const [call] = await destination.count(1)
    assert.equal(call?.event.id, answer.body.id)
    assert.equal(call?.event.type, 'webhook.received')
    const { method, query, contentType, body } = call?.event.data ?? {}
    assert.deepEqual(
      { method, query, contentType, body },
      { method: 'POST', query: { x: 'y' }, contentType: 'application/json', body: { a: 1 } },
    )
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [once, repeated] = [await own.post(path, {}, key), await own.post(path, {}, key)]
    assert.equal(once.body.id, repeated.body.id)
    await destination.count(2)
  })

  test('delivers nothing of an empty window or of a window of another webhook', async () => {
    const [one, other] = [await make(), await make()]
    const open = await one.start()
    const path = (id: string, captureId: string) => `/v1/webhooks/${id}/test/captures/${captureId}/deliver`
    assertError(await one.own.post(path(one.id, open.captureId)), 'ENTITY_NOT_FOUND', { field: 'captureId' })
    await one.callIn()
    assertError(await one.own.post(path(other.id, open.captureId)), 'ENTITY_NOT_FOUND')
    assertError(await one.own.post(path(one.id, open.captureId.replace('cap', 'dlv'))), 'INVALID_UUID', {
      field: 'captureId',
    })
  })

  test('is opened, read and closed by administrators only', async () => {
    const { id, start } = await make()
    const { postern, admin } = await sender()
    await start()
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    for (const answer of [
      await asMember.post(`/v1/webhooks/${id}/test/start`),
      await asMember.post(`/v1/webhooks/${id}/test/stop`),
      await asMember.get(`/v1/webhooks/${id}/test/captures`),
    ]) {
      assertError(answer, 'FORBIDDEN')
    }
    const foreign = callsOf(postern, await apiKey(postern, await administrator(postern)))
    assertError(await foreign.get(`/v1/webhooks/${id}/test/captures`), 'ENTITY_NOT_FOUND')
  })

  it('lists captures page by page, newest first', async () => {
    const { id, own, start, callIn } = await make()
    const made: string[] = []
    for (let times = 0; times < 5; times += 1) {
      made.unshift((await start()).captureId)
      await callIn({ times })
    }
    const listed = await readAll(own, `/v1/webhooks/${id}/test/captures`, 2)
    assert.deepEqual(
      listed.map((capture) => capture.id),
      made,
    )
  })
})
