import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, fromIso, MINUTE, SECOND } from '#src/core/clock.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { signs, verifies } from '../support/signing.ts'
import { until } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN, type Sender, useSender } from '../support/webhooks.ts'

/** A fetched delivery. */
interface Fetched {
  receipt: string
  deliveryId: string
  eventId: string
  attempt: number
  headers: Record<string, string>
  previousSignatures: string[]
  bodyBase64: string
}

const bytesOf = ({ bodyBase64 }: Fetched) => Buffer.from(bodyBase64, 'base64')
const asCall = ({ headers, ...one }: Fetched) => {
  const body = bytesOf(one as Fetched)
  return { path: '/', headers, body, event: JSON.parse(body.toString()) }
}

onBothEngines('a listener', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  /** A new listener, and the calls of its clients. */
  async function listener(name: string, more: Partial<Pick<Sender, 'key'>> = {}) {
    const { postern, key, ...others } = await sender()
    const own = callsOf(postern, more.key ?? key)
    const put = (body: object) =>
      postern.client().call(`/v1/listeners/${name}`, { method: 'PUT', body, token: more.key ?? key })
    const opened = await put({ events: ['agent.run.completed'] })
    assert.ok([200, 201].includes(opened.status), opened.text)
    const { id, secret } = opened.body as { id: string; secret: string | null }
    return {
      ...{ id, secret: secret ?? '', own, put, postern, key, ...others },
      async fetch(limit = 8, waitMs = 0): Promise<Fetched[]> {
        const answer = await own.post(`/v1/listeners/${name}/claims`, { limit, waitMs })
        assert.equal(answer.status, 200, answer.text)
        return answer.body.deliveries
      },
      async report(...results: object[]): Promise<string[]> {
        const answer = await own.post(`/v1/listeners/${name}/results`, { results })
        assert.equal(answer.status, 200, answer.text)
        return answer.body.results.map(({ outcome }: { outcome: string }) => outcome)
      },
      read: async (deliveryId: string) => (await own.get(`/v1/deliveries/${deliveryId}`)).body,
    }
  }

  it('is made once for a name, shows its secret once, and is a webhook among the others', async () => {
    const { postern, key } = await sender()
    const put = (name: string, body: object) =>
      postern.client().call(`/v1/listeners/${name}`, { method: 'PUT', body, token: key })
    const both = await Promise.all([put('one', { events: ['*'] }), put('one', { events: ['*'] })])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 201])
    const [made, found] = both.toSorted((a, b) => b.status - a.status)
    assert.match(made?.body.secret, /^whsec_/)
    assert.equal(found?.body.secret, null)
    assert.equal(found?.body.id, made?.body.id)
    const changed = (await put('one', { events: ['agent.run.completed'] })).body
    assert.deepEqual(changed.events, ['agent.run.completed'])
    const shown = (await postern.client().get(`/v1/webhooks/${changed.id}`, { token: key })).body
    assert.equal(shown.url, 'listener:one')
    assert.equal(shown.listener, 'one')
    assert.equal(shown.status, 'active')
    assert.equal(shown.health.state, 'paused', 'nobody asks')
    for (const name of ['One', 'a_b', '-a', 'a'.repeat(64)])
      assert.equal((await put(name, { events: ['*'] })).body.error.code, 'VALIDATION_FAILED', name)
    assert.equal((await put('two', { events: ['no.such'] })).body.error.code, 'VALIDATION_FAILED')
    const missing = await postern.client().post('/v1/listeners/none/claims', {}, { token: key })
    assert.equal(missing.body.error.code, 'ENTITY_NOT_FOUND')
  })

  test('gives nothing to a key that was revoked while it waited', async () => {
    const { admin, postern, publish } = await sender()
    const key = await apiKey(postern, admin)
    const { own } = await listener('revoked', { key })
    const keys = (await callsOf(postern, admin.token).get('/v1/api-keys')).body.data
    const { id: keyId } = keys.find(({ prefix }: { prefix: string }) => key.startsWith(prefix)) ?? keys[0]
    const waiting = own.post('/v1/listeners/revoked/claims', { waitMs: 25_000 })
    await until(
      async () => (await callsOf(postern, admin.token).get('/v1/webhooks')).body.data,
      (data) =>
        data.some(
          ({ listener: name, listenedAt }: Record<string, unknown>) =>
            name === 'revoked' && listenedAt !== null,
        ),
      { what: 'the question that waits' },
    )
    const ended = await postern.client().delete(`/v1/api-keys/${keyId}`, { token: admin.token })
    assert.equal(ended.status, 204, ended.text)
    await publish()
    const answer = await waiting
    assert.equal(answer.status, 403, answer.text)
  })

  it('holds deliveries until they are fetched, and gives a client the exact bytes with valid signatures', async () => {
    const { id, secret, fetch, report, read, publish, own } = await listener('bytes')
    const { id: eventId } = await publish({ ...RUN, output: 'Zoë\u2028"\\ 漢字 1e400' })
    const [row] = (await own.get(`/v1/webhooks/${id}/deliveries`)).body.data
    assert.equal(row.status, 'held')
    assert.equal((await read(row.id)).waiting.reason, 'listener')
    const [one] = await fetch()
    assert.ok(one !== undefined)
    assert.equal(one.deliveryId, row.id)
    assert.equal(one.eventId, eventId)
    assert.equal((await read(row.id)).waiting.reason, 'attempting')
    const call = asCall(one)
    assert.ok(signs(secret, call) && verifies(secret, call))
    assert.equal(call.event.id, eventId)
    assert.equal(call.event.data.output, 'Zoë\u2028"\\ 漢字 1e400')
    assert.deepEqual(await fetch(), [], 'it is in the hands of a client')
    const answer = {
      status: 201,
      headers: { 'X-Own': 'yes' },
      bodyBase64: Buffer.from('made').toString('base64'),
    }
    assert.deepEqual(await report({ receipt: one.receipt, ...answer, durationMs: 12 }), ['delivered'])
    assert.deepEqual(await report({ receipt: one.receipt, ...answer, durationMs: 12 }), ['lost'])
    const done = await read(row.id)
    assert.equal(done.status, 'delivered')
    assert.equal(done.attempts.length, 1)
    const [attempt] = done.attempts
    assert.equal(attempt.statusCode, 201)
    assert.equal(attempt.durationMs, 12)
    assert.equal(attempt.url, 'listener:bytes')
    assert.deepEqual(attempt.requestHeaders, one.headers)
    assert.deepEqual(attempt.responseHeaders, { 'x-own': 'yes' })
    assert.equal(attempt.responseBody, 'made')
  })

  test('has the outcomes and the schedule of any other webhook', async () => {
    const { id, fetch, report, read, publish, own, put, postern } = await listener('outcomes')
    using _still = postern.clock.stop()
    for (let made = 0; made < 6; made += 1) await publish()
    const all = await fetch(32)
    const results = [
      { status: 503, headers: { 'Retry-After': '60' } },
      { failure: 'refused', error: 'connect ECONNREFUSED' },
      { failure: 'timeout' },
      { status: 404 },
      { status: 302, headers: { location: 'http://elsewhere' } },
      { status: 204 },
    ]
    const told = results.map((result, index) => ({ receipt: all[index]?.receipt, durationMs: 5, ...result }))
    assert.deepEqual(await report(...told), [
      'pending',
      'pending',
      'pending',
      'failed',
      'failed',
      'delivered',
    ])
    const [slow, refused] = await Promise.all(all.slice(0, 2).map(({ deliveryId }) => read(deliveryId)))
    assert.equal(slow.waiting.reason, 'retry_scheduled')
    assert.ok((fromIso(slow.waiting.until) ?? 0) - postern.clock.now() >= 60 * SECOND)
    assert.equal(refused.attempts[0].errorClass, 'refused')
    assert.equal(refused.attempts[0].error, 'connect ECONNREFUSED')
    postern.clock.advance(2 * SECOND)
    const again = await fetch(32)
    assert.deepEqual(
      again.map(({ attempt }) => attempt),
      [2, 2],
      'a second later, as the schedule says',
    )
    // 410 disables it until it is resumed.
    const [first] = again
    assert.deepEqual(await report({ receipt: first?.receipt, status: 410 }), ['failed'])
    const gone = (await own.get(`/v1/webhooks/${id}`)).body
    assert.equal(gone.status, 'disabled')
    assert.equal(gone.disabledReason, 'gone')
    const refused410 = await own.post('/v1/listeners/outcomes/claims')
    assert.equal(refused410.status, 403)
    assert.equal(refused410.body.error.details.reason, 'listener_disabled')
    const reopened = (await put({ events: ['agent.run.completed'] })).body
    assert.deepEqual([reopened.status, reopened.disabledReason, reopened.resumed], ['active', null, true])
    assert.equal((await put({ events: ['agent.run.completed'] })).body.resumed, false)
    postern.clock.advance(2 * MINUTE)
    assert.equal((await fetch(32)).length, 2)
  })

  it('gives a delivery to another client without an attempt if the first neither reports nor releases it', async () => {
    const { fetch, report, read, publish, postern } = await listener('asleep')
    using _still = postern.clock.stop()
    await publish()
    const [first] = await fetch()
    postern.clock.advance(44 * SECOND)
    assert.deepEqual(await fetch(), [])
    postern.clock.advance(2 * SECOND)
    const [second] = await fetch()
    assert.equal(second?.deliveryId, first?.deliveryId)
    assert.equal(second?.attempt, 1)
    assert.deepEqual(await report({ receipt: first?.receipt, status: 200 }), ['lost'])
    assert.deepEqual(await report({ receipt: second?.receipt, released: true }), ['released'])
    const [third] = await fetch()
    assert.equal(third?.deliveryId, first?.deliveryId)
    // A laptop that slept while its server answered: the answer counts unless another client has fetched the delivery.
    postern.clock.advance(10 * MINUTE)
    assert.deepEqual(await report({ receipt: third?.receipt, status: 200 }), ['delivered'])
    const done = await read(first?.deliveryId ?? '')
    assert.equal(done.attempts.length, 1)
    assert.equal(done.status, 'delivered')
  })

  it('ignores a claim of a clock that was ahead', async () => {
    const { fetch, publish, postern } = await listener('clock')
    await publish()
    postern.clock.advance(DAY)
    const [one] = await fetch()
    using _back = postern.clock.setBack(DAY)
    await publish()
    await until(
      () => fetch(),
      (found) => found.some(({ deliveryId }) => deliveryId === one?.deliveryId),
      { what: 'the delivery of the void claim' },
    )
  })

  test('lets a client wait, and answers it at an event, a retry by hand and a redelivery', async () => {
    const { fetch, report, publish, own } = await listener('waiting')
    const waiting = fetch(8, 25_000)
    await publish()
    const [one] = await waiting
    assert.deepEqual(
      await report({ receipt: one?.receipt, status: 503, headers: { 'retry-after': '3600' } }),
      ['pending'],
    )
    const hurried = fetch(8, 25_000)
    await own.post(`/v1/deliveries/${one?.deliveryId}/retry`)
    const [two] = await hurried
    assert.equal(two?.deliveryId, one?.deliveryId)
    assert.deepEqual(await report({ receipt: two?.receipt, status: 200 }), ['delivered'])
    const anew = fetch(8, 25_000)
    const made = (await own.post(`/v1/deliveries/${one?.deliveryId}/retry`)).body
    assert.deepEqual(
      (await anew).map(({ deliveryId }) => deliveryId),
      [made.id],
    )
  })

  test('claims nothing for a client that has left', async () => {
    const { fetch, publish, postern, key } = await listener('left')
    const leaving = new AbortController()
    const left = globalThis.fetch(`${postern.url}/v1/listeners/left/claims`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ waitMs: 25_000 }),
      signal: leaving.signal,
    })
    const gone = assert.rejects(left)
    await until(
      async () => (await listener('left')).own.get('/v1/webhooks'),
      ({ body }) =>
        body.data.find(({ listener: name }: { listener: string }) => name === 'left').listenedAt !== null,
      { what: 'the question that waits' },
    )
    leaving.abort()
    await gone
    await publish()
    // The server may learn only after the claim that the client has left, and then gives the delivery back.
    assert.equal((await fetch(8, 25_000)).length, 1)
  })

  test('signs with retired secrets, too, for 24 hours after a rotation', async () => {
    const { id, secret, fetch, report, read, publish, own } = await listener('rotated')
    const fresh = (await own.post(`/v1/webhooks/${id}/rotate-secret`)).body.secret
    await publish()
    const [one] = await fetch()
    assert.ok(one !== undefined)
    assert.ok(signs(fresh, asCall(one)))
    const [old = ''] = one.previousSignatures
    const headers = { ...one.headers, 'x-service-signature': old }
    assert.ok(signs(secret, asCall({ ...one, headers })))
    assert.deepEqual(await report({ receipt: one.receipt, status: 204, signature: 1 }), ['delivered'])
    const [attempt] = (await read(one.deliveryId)).attempts
    assert.equal(attempt.signedWith, 'previous')
    assert.deepEqual(attempt.requestHeaders, headers)
  })

  it('keeps deliveries for days; their 24 hours begin again when a client returns', async () => {
    const { fetch, report, publish, read, postern } = await listener('patient')
    using _still = postern.clock.stop()
    await publish()
    postern.clock.advance(3 * DAY)
    const [one] = await fetch()
    assert.deepEqual(await report({ receipt: one?.receipt, status: 500 }), ['pending'])
    // No client listens over night: the 24 hours begin when one returns.
    postern.clock.advance(2 * DAY)
    const [two] = await fetch()
    assert.equal(two?.attempt, 2)
    assert.deepEqual(await report({ receipt: two?.receipt, status: 500 }), ['pending'])
    assert.equal((await read(one?.deliveryId ?? '')).attempts.length, 2)
  })

  test('cannot be called or paused, and refuses reports with foreign or invalid receipts', async () => {
    const { id, own, fetch, publish } = await listener('own')
    const codeOf = ({ body }: { body: { error: { code: string; details: { reason: string } } } }) =>
      `${body.error.code} ${body.error.details.reason}`
    assert.equal(codeOf(await own.post(`/v1/webhooks/${id}/test`)), 'VALIDATION_FAILED listener')
    for (const change of [{ url: 'https://example.com' }, { status: 'paused' }, { maxPerSecond: 1 }])
      assert.equal(codeOf(await own.patch(`/v1/webhooks/${id}`, change)), 'VALIDATION_FAILED listener')
    await publish()
    const [one] = await fetch()
    const tell = (name: string, result: object) =>
      own.post(`/v1/listeners/${name}/results`, { results: [result] })
    await listener('other')
    assert.equal(
      codeOf(await tell('other', { receipt: one?.receipt, status: 200 })),
      'VALIDATION_FAILED receipt',
    )
    assert.equal(
      codeOf(await tell('own', { receipt: 'v1.made-up', status: 200 })),
      'VALIDATION_FAILED receipt',
    )
    for (const result of [{}, { status: 200, released: true }, { status: 200, failure: 'dns' }])
      assert.match(
        codeOf(await tell('own', { receipt: one?.receipt, ...result })),
        /^VALIDATION_FAILED one_of/,
      )
  })

  it('accepts all results of a request, or none of them', async () => {
    const { own, fetch, report, publish } = await listener('whole')
    await publish()
    const [one] = await fetch()
    const results = [
      { receipt: one?.receipt, status: 200 },
      { receipt: 'v1.made-up', status: 200 },
    ]
    const refused = await own.post('/v1/listeners/whole/results', { results })
    assert.equal(refused.body.error.details.field, 'results.1.receipt')
    const long = { ['x'.repeat(257)]: '' }
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`${'x'.repeat(190)}${n}`, '']))
    for (const headers of [long, many]) {
      const told = { results: [{ receipt: one?.receipt, status: 200, headers }] }
      const { body } = await own.post('/v1/listeners/whole/results', told)
      assert.equal(body.error.code, 'VALIDATION_FAILED')
    }
    assert.deepEqual(await report({ receipt: one?.receipt, status: 200 }), ['delivered'], 'nothing was taken')
  })

  test('is served while another organization sends as many requests as it can', async () => {
    const { postern, key, own, fetch, publish } = await listener('served')
    const other = await apiKey(postern, await administrator(postern))
    const call = (path: string, method: string, body: object, signal?: AbortSignal) =>
      globalThis.fetch(`${postern.url}/v1/listeners/${path}`, {
        ...{ method, body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) },
        headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
      })
    const names = Array.from({ length: 51 }, (_, n) => `busy-${n}`)
    for (const name of names) assert.equal((await call(name, 'PUT', { events: ['*'] })).status, 201)
    const over = new AbortController()
    const statuses: number[] = []
    // A busy machine may take longer for all calls than the first one waits.
    const stopped = postern.clock.stop()
    const all: Promise<void>[] = []
    for (let wave = 0; wave < 20; wave += 1) {
      for (const name of names)
        all.push(
          call(`${name}/claims`, 'POST', { waitMs: 25_000 }, over.signal)
            .then(({ status }) => void statuses.push(status))
            .catch(() => undefined),
        )
      // Its connection is accepted after those of the wave, because the system queues few connections and drops others.
      assert.equal((await globalThis.fetch(`${postern.url}/livez`)).status, 200)
    }
    await until(
      async () => statuses,
      (found) => found.length >= 20,
      { what: 'the refusals beyond the half' },
    )
    assert.deepEqual([...new Set(statuses)], [429])
    stopped[Symbol.dispose]()
    assert.equal((await call('busy-0/claims', 'POST', { waitMs: 0 })).status, 200, 'it needs no place')
    const waiting = fetch(8, 25_000)
    await publish()
    assert.equal((await waiting).length, 1)
    over.abort()
    await Promise.all(all)
    assert.ok(key && own)
  })

  it('is deleted with its waiting deliveries after 7 days without a request', async () => {
    const { id, fetch, publish, own, postern } = await listener('forgotten')
    await fetch()
    await publish()
    postern.clock.advance(7 * DAY + MINUTE)
    await until(
      async () => {
        await advanceAtRest(postern, MINUTE)
        return (await own.get(`/v1/webhooks/${id}`)).status
      },
      (status) => status === 404,
      { what: 'the forgotten listener to be deleted' },
    )
  })
})
