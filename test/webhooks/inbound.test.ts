import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { DAY, MINUTE } from '#src/core/clock.ts'
import { assertError, atOnce, tally } from '../support/attacks.ts'
import { stoppedClock } from '../support/clock.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'
import { callsOf, turnsTaken } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

const sign = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
const newPath = () => `path-${crypto.randomUUID().slice(0, 8)}`
const MOST = 256 * 1024

onBothEngines('the inbound path', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  async function make(more: object = {}) {
    const { postern, key, receiver, register } = await sender()
    const destination = await receiver()
    const endpointPath = newPath()
    const { id, secret } = await register(destination.url, { endpointPath, ...more })
    return {
      id,
      secret,
      endpointPath,
      destination,
      own: callsOf(postern, key),
      callIn: (body: unknown = {}, headers: Record<string, string> = {}, query = '') =>
        postern.client().post(`/v1/webhooks/${endpointPath}${query}`, body, { headers }),
    }
  }

  it('turns a call into an event webhook.received for this webhook only, whatever types it and others subscribe to', async () => {
    const { receiver, register } = await sender()
    const everything = await receiver()
    await register(everything.url, { events: ['*', 'webhook.received'] })
    const { callIn, destination, own } = await make({ events: ['file.processed'] })
    const answer = await callIn({ order: 7 }, { 'x-shop': 'acme' }, '?from=shop')
    assert.equal(answer.status, 202)
    assert.deepEqual(Object.keys(answer.body).sort(), ['id', 'status'])
    assert.equal(answer.body.status, 'queued')
    const [call] = await destination.count(1)
    assert.equal(call?.event.id, answer.body.id)
    assert.equal(call?.event.type, 'webhook.received')
    const { headers, ...data } = (call?.event.data ?? {}) as { headers: Record<string, string> }
    assert.deepEqual(data, {
      method: 'POST',
      query: { from: 'shop' },
      contentType: 'application/json',
      bodyEncoding: 'json',
      body: { order: 7 },
      bodyText: '{"order":7}',
    })
    assert.equal(headers['x-shop'], 'acme')
    assert.equal((await own.get(`/v1/events/${answer.body.id}`)).body.type, 'webhook.received')
    await turnsTaken(await sender())
    assert.equal(everything.received.filter(({ event }) => event.type === 'webhook.received').length, 0)
  })

  test('does not pass on the credentials of the caller', async () => {
    const { callIn, destination } = await make()
    await callIn({}, { authorization: 'Bearer not-for-you', cookie: 'a=not-for-you', 'x-fine': 'yes' })
    const [call] = await destination.count(1)
    const { headers } = (call?.event.data ?? {}) as { headers: Record<string, string> }
    assert.equal(headers['x-fine'], 'yes')
    assert.ok(!String(call?.body).includes('not-for-you'))
  })

  test('accepts any content type and none: JSON as JSON, text as text, other bytes as base64', async () => {
    const { callIn, destination } = await make()
    const bytes = new Uint8Array([0, 1, 2, 0xff, 0xfe])
    const broken = new Uint8Array([0x22, 0xff, 0x22])
    const cases: [unknown, string, unknown][] = [
      ['{"a":[1,2]}', 'application/json; charset=utf-8', { a: [1, 2] }],
      ['{"a":1}', 'application/vnd.acme+json', { a: 1 }],
      ['{"a":', 'application/json', '{"a":'],
      ['{"a":"+AHs-"}', 'application/json; charset=utf-7', '{"a":"+AHs-"}'],
      ['<a>ü</a>', 'application/xml', '<a>ü</a>'],
      ['a=1&b=2', 'application/x-www-form-urlencoded', 'a=1&b=2'],
      ['--x\r\n\r\n--x--', 'multipart/form-data; boundary=x', '--x\r\n\r\n--x--'],
      ['plain', 'nonsense', 'plain'],
      ['', 'text/plain', ''],
      [bytes, 'application/octet-stream', Buffer.from(bytes).toString('base64')],
      [broken, 'application/json', Buffer.from(broken).toString('base64')],
      ['{"__proto__":{"a":1},"constructor":1}', 'text/json', '{"__proto__":{"a":1},"constructor":1}'],
    ]
    for (const [index, [sent, type, arrives]] of cases.entries()) {
      const answer = await callIn(sent, { 'content-type': type })
      assert.equal(answer.status, 202, `${type}: ${answer.text}`)
      await destination.count(index + 1)
      const call = destination.received.find(({ event }) => event.id === answer.body.id)
      assert.deepEqual(call?.event.data.body, arrives, type)
      assert.equal(call?.event.data.contentType, type)
    }
    const { postern } = await sender()
    const raw = rawHead(`POST /v1/webhooks/${(await make()).endpointPath}`, { 'content-length': 2 })
    assert.equal((await sendRaw(postern.url, raw, 'hi')).status, 202)
    const nothing = rawHead(`POST /v1/webhooks/${(await make()).endpointPath}`, { 'content-length': 0 })
    assert.equal((await sendRaw(postern.url, nothing)).status, 202)
  })

  test('passes on the exact bytes of a body, and JSON with its own digits', async () => {
    const { callIn, destination } = await make()
    const exactly = ({ bodyText, bodyBase64 }: Record<string, unknown>) =>
      bodyText === undefined ? Buffer.from(String(bodyBase64), 'base64') : Buffer.from(String(bodyText))
    const cases: [string | Uint8Array, string, string, string | undefined][] = [
      [
        ' {"id": 9007199254740993, "sum": 1.50} ',
        'application/json',
        'json',
        '"id": 9007199254740993, "sum": 1.50',
      ],
      ['{"a":1,"a":2}', 'application/json', 'text', undefined],
      ['{"a":1e999}', 'application/json', 'text', undefined],
      ['\ufeff{"a":1}', 'application/json', 'text', undefined],
      ['a\u0000\u2028\u{1f600}', 'text/plain', 'text', undefined],
      [new Uint8Array([0xff, 0, 1]), 'text/plain', 'base64', undefined],
      ['\u0001'.repeat(MOST), 'text/plain', 'base64', undefined],
      [JSON.stringify(Array(MOST / 8).fill('123')), 'application/json', 'json', undefined],
      // More values than a value of free shape may have; inbound bodies are not parsed.
      [JSON.stringify(Array(MOST / 4).fill('')), 'application/json', 'base64', undefined],
    ]
    for (const [index, [sent, type, encoding, holds]] of cases.entries()) {
      const answer = await callIn(sent, { 'content-type': type })
      assert.equal(answer.status, 202, answer.text)
      await destination.count(index + 1)
      const call = destination.received.find(({ event }) => event.id === answer.body.id)
      const data = (call?.event.data ?? {}) as Record<string, unknown>
      assert.equal(data.bodyEncoding, encoding)
      assert.ok(exactly(data).equals(Buffer.from(sent as string)), `case ${index}`)
      if (encoding !== 'json') assert.equal(data.body, data.bodyText ?? data.bodyBase64)
      if (holds !== undefined) assert.ok(String(call?.body).includes(holds), holds)
      assert.ok(
        (call?.body.length ?? 0) < 1024 * 1024,
        `${call?.body.length} bytes are more than receivers take`,
      )
    }
  })

  test('accepts 256 KiB and refuses one byte more', async () => {
    const { callIn, destination } = await make()
    const text = { 'content-type': 'text/plain' }
    assert.equal((await callIn('x'.repeat(MOST), text)).status, 202)
    const [call] = await destination.count(1)
    assert.equal(String(call?.event.data.body).length, MOST)
    assertError(await callIn('x'.repeat(MOST + 1), text), 'VALIDATION_FAILED', {
      field: 'body',
      reason: 'too_large',
    })
  })

  test('passes JSON on as text if it is nested 100,000 levels deep', async () => {
    const { callIn, destination } = await make()
    const json = { 'content-type': 'application/json' }
    const [deep, shallow] = [100_000, 50].map((levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`)
    assert.equal((await callIn(deep, json)).status, 202)
    const [call] = await destination.count(1)
    assert.equal(call?.event.data.body, deep)
    assert.equal((await callIn(shallow, json)).status, 202)
    const [, other] = await destination.count(2)
    assert.equal(JSON.stringify(other?.event.data.body), shallow)
  })

  it('accepts a signed call only with the signature of the current secret or one retired less than 24 hours ago', async () => {
    const { id, secret, own, callIn } = await make()
    const { postern } = await sender()
    const body = '{"any":"thing ü"}'
    const signed = (value: string, sent = body) =>
      callIn(sent, { 'content-type': 'application/json', 'x-service-signature': value })
    assert.equal((await signed(sign(secret, body))).status, 202)
    const rotated = (await own.post(`/v1/webhooks/${id}/rotate-secret`)).body.secret
    assert.equal((await signed(sign(rotated, body))).status, 202)
    assert.equal((await signed(sign(secret, body))).status, 202)
    for (const forged of [
      '',
      'sha256=',
      sign('whsec_other', body),
      sign(secret, `${body} `),
      sign(secret, body).toUpperCase(),
      sign(secret, body).slice('sha256='.length),
      sign(Buffer.from(secret.slice(6), 'base64').toString('latin1'), body),
      `${sign(secret, body)}, ${sign(rotated, body)}`,
    ]) {
      assertError(await signed(forged), 'UNAUTHORIZED')
    }
    assertError(await signed(sign(secret, body), '{"any":"thing"}'), 'UNAUTHORIZED')
    postern.clock.advance(DAY + MINUTE)
    assertError(await signed(sign(secret, body)), 'UNAUTHORIZED')
    assert.equal((await signed(sign(rotated, body))).status, 202)
  })

  test('does not let a forged call into a capture window', async () => {
    const { id, own, callIn } = await make()
    await own.post(`/v1/webhooks/${id}/test/start`)
    assertError(await callIn({}, { 'x-service-signature': sign('whsec_other', '{}') }), 'UNAUTHORIZED')
    assert.equal((await callIn()).body.status, 'captured')
  })

  test('answers 404 for an unknown path, without details', async () => {
    const { postern } = await sender()
    const { id, endpointPath, own } = await make()
    for (const path of [newPath(), 'x', '-', 'UPPER', id, endpointPath.toUpperCase(), `${endpointPath}0`]) {
      assertError(await postern.client().post(`/v1/webhooks/${path}`), 'ENTITY_NOT_FOUND')
    }
    for (const method of ['PUT', 'GET', 'DELETE', 'PATCH']) {
      const answer = await postern.client().call(`/v1/webhooks/${endpointPath}`, { method })
      assert.ok(answer.status === 404 || answer.status === 401, `${method} ${answer.status}`)
    }
    await own.patch(`/v1/webhooks/${id}`, { endpointPath: null })
    assertError(await postern.client().post(`/v1/webhooks/${endpointPath}`), 'ENTITY_NOT_FOUND')
    const deleted = await make()
    await own.delete(`/v1/webhooks/${deleted.id}`)
    assertError(await deleted.callIn(), 'ENTITY_NOT_FOUND')
  })

  test('holds calls while the webhook is paused', async () => {
    const { id, own, callIn, destination } = await make()
    await own.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const answer = await callIn()
    assert.equal(answer.status, 202)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 0)
    await own.patch(`/v1/webhooks/${id}`, { status: 'active' })
    const [call] = await destination.count(1)
    assert.equal(call?.event.id, answer.body.id)
  })

  test('ignores credentials, valid or not', async () => {
    const { callIn } = await make()
    const { key } = await sender()
    assert.equal((await callIn({}, { authorization: 'Bearer garbage' })).status, 202)
    assert.equal((await callIn({}, { authorization: `Bearer ${key}` })).status, 202)
    assert.equal(
      (await callIn({}, { origin: 'https://elsewhere.test', 'sec-fetch-site': 'cross-site' })).status,
      202,
    )
  })
})

onBothEngines('the limits of the inbound path', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const LIMITS = JSON.stringify({
    inboundPerIp: { max: 12 },
    inboundPerWebhook: { max: 5 },
    publicPerIp: { max: 1_000_000 },
    secretPerIp: { max: 1_000_000 },
    signUpPerIp: { max: 1_000_000 },
  })
  const sender = useSender(usePostern(engine, { clock: stoppedClock(), env: { LIMITS } }))

  test('count each webhook and each caller separately, and Retry-After is exact', async () => {
    const { postern, register } = await sender()
    const paths = [newPath(), newPath(), newPath()]
    for (const endpointPath of paths) await register('http://127.0.0.1:9/', { endpointPath })
    const callIn = (index: number) => postern.client().post(`/v1/webhooks/${paths[index]}`)
    assert.deepEqual(tally(await atOnce(6, () => callIn(0))), { 202: 5, 429: 1 })
    assert.deepEqual(tally(await atOnce(5, () => callIn(1))), { 202: 5 })
    assert.equal((await callIn(2)).status, 202, 'another webhook has a limit of its own')
    const refused = await callIn(2)
    assertError(refused, 'RATE_LIMITED')
    postern.clock.advance(Number(refused.headers.get('retry-after')) * 1_000)
    assert.equal((await callIn(2)).status, 202)
    assert.equal((await callIn(0)).status, 202)
  })
})
