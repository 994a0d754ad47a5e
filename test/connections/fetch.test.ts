import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FETCH_DEADLINE, LARGEST_FETCH } from '#src/connections/fetch/fetch.ts'
import { HOUR, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import {
  type Connections,
  connectReal,
  connectWild,
  eventsOf,
  lasting,
  readConnection,
  useConnections,
} from '../support/connections.ts'
import { json } from '../support/http-server.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import type { Handler } from '../support/wild-provider.ts'

onBothEngines("calling a provider's API with a connection", (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = useConnections(engine, { wild: { minimumBackoffSeconds: 60 } })

  const fetchBy = ({ postern, admin }: Connections, id: string, order: object): Promise<Answer> =>
    postern.client().post(`/v1/connections/${id}/fetch`, order, { token: admin.token })

  /** Runs `work` while the API does something else. */
  async function whileApi<T>({ wild }: Connections, api: Handler, work: () => Promise<T>): Promise<T> {
    wild.instead = { api }
    try {
      return await work()
    } finally {
      wild.instead = {}
    }
  }

  it('opens the API of a real provider, refreshed once when the token has ended', async () => {
    const context = await server()
    const { postern, real, admin } = context
    const id = await connectReal(context, admin, 'caller')
    const me = { method: 'GET', url: `${real.issuer}/me` }
    const first = await fetchBy(context, id, me)
    assert.equal(first.status, 200, first.text)
    assert.equal(first.body.status, 200)
    assert.equal(first.body.bodyEncoding, 'text')
    assert.deepEqual(JSON.parse(first.body.body), { sub: 'caller', email: 'caller@provider.test' })
    const asked = real.tokenRequests()
    await fetchBy(context, id, me)
    assert.equal(real.tokenRequests(), asked)
    postern.clock.advance(HOUR)
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetchBy(context, id, me)))
    for (const answer of answers) assert.equal(answer.body.status, 200, answer.text)
    assert.equal(real.tokenRequests(), asked + 1)
    assert.equal(real.reuses(), 0)
    await real.takeBack('caller')
    assertError(await fetchBy(context, id, me), 'INTEGRATION_REVOKED')
    assert.equal((await readConnection(context, admin, id)).status, 'revoked')
    const calls = real.tokenRequests()
    assertError(await fetchBy(context, id, me), 'INTEGRATION_REVOKED')
    assert.equal(real.tokenRequests(), calls)
  })

  test('sends method, path, headers and body as they were given, and adds the token alone', async () => {
    const context = await server()
    const { wild, admin } = context
    const id = await connectWild(context, admin)
    const send = async (order: object) => {
      const answer = await fetchBy(context, id, order)
      assert.equal(answer.status, 200, answer.text)
      return wild.calls.at(-1) as (typeof wild.calls)[number]
    }
    const url = `${wild.origin}/v1/items?a=1&b=%2F#part`
    const got = await send({ method: 'GET', url, headers: { 'X-Thing': 'a, b', Accept: 'text/csv' } })
    assert.equal(got.url, '/v1/items?a=1&b=%2F')
    assert.equal(got.headers['x-thing'], 'a, b')
    assert.equal(got.headers.accept, 'text/csv')
    assert.match(String(got.headers['user-agent']), /^Postern\//)
    assert.match(String(got.headers.authorization), /^Bearer access-/)
    const posted = await send({ method: 'POST', url, body: { name: 'Ärger' } })
    assert.equal(posted.headers['content-type'], 'application/json')
    assert.equal(posted.body.toString(), '{"name":"Ärger"}')
    const listed = await send({
      method: 'PUT',
      url,
      body: [1],
      headers: { 'content-type': 'application/vnd.x+json' },
    })
    assert.equal(listed.headers['content-type'], 'application/vnd.x+json')
    const text = await send({ method: 'PATCH', url, body: 'a=b', headers: { 'content-type': 'text/plain' } })
    assert.equal(text.body.toString(), 'a=b')
    const bytes = Buffer.from([0, 255, 1, 254])
    const binary = await send({
      method: 'POST',
      url,
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
    })
    assert.deepEqual(binary.body, bytes)
    assert.equal((await send({ method: 'DELETE', url })).method, 'DELETE')
    assert.equal((await send({ method: 'HEAD', url })).method, 'HEAD')
  })

  test('hands the answer over: status, headers without cookies, text or bytes, never the token', async () => {
    const context = await server()
    const { wild, admin } = context
    const id = await connectWild(context, admin)
    const order = { method: 'GET', url: `${wild.origin}/anything` }
    const get = async (api: Handler) => {
      const answer = await whileApi(context, api, () => fetchBy(context, id, order))
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const echo = ({ headers }: IncomingMessage) => `you are ${headers.authorization}`
    const echoed = await get(
      (request, response) =>
        void response.writeHead(203, { 'x-echo': echo(request), 'set-cookie': 'a=b' }).end(echo(request)),
    )
    assert.equal(echoed.status, 203)
    assert.equal(echoed.body, 'you are Bearer [redacted]')
    assert.equal(echoed.headers['x-echo'], 'you are Bearer [redacted]')
    for (const name of ['set-cookie', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])
      assert.equal(echoed.headers[name], undefined, name)
    const binary = await get(
      (request, response) =>
        void response.end(Buffer.concat([Buffer.from([255, 0]), Buffer.from(echo(request))])),
    )
    assert.equal(binary.bodyEncoding, 'base64')
    const bytes = Buffer.from(binary.body, 'base64')
    assert.equal(bytes[0], 255)
    assert.equal(bytes.subarray(2).toString(), 'you are Bearer [redacted]')
    const marked = await get((_request, response) => void response.end('\uFEFFa\u0000b'))
    assert.deepEqual([marked.body, marked.bodyEncoding], ['\uFEFFa\u0000b', 'text'])
    const refused = await get((_request, response) => json(response, { no: 'such thing' }, 404))
    assert.deepEqual([refused.status, refused.body], [404, '{"no":"such thing"}'])
    // A redirect is the API's answer: following it would carry the token elsewhere.
    const asked = wild.calls.length
    const moved = await get(
      (_request, response) => void response.writeHead(302, { location: 'https://evil.test/' }).end(),
    )
    assert.deepEqual([moved.status, moved.headers.location], [302, 'https://evil.test/'])
    assert.equal(wild.calls.length, asked + 1)
    const large = await get((_request, response) => void response.end('x'.repeat(LARGEST_FETCH)))
    assert.equal(large.body.length, LARGEST_FETCH)
  })

  test('recognises the token however the API writes it, and hands over nothing that it cannot look through', async () => {
    const context = await server()
    const { wild, admin } = context
    const id = await connectWild(context, admin)
    let token = ''
    const get = (write: (token: string, response: ServerResponse) => void) =>
      whileApi(
        context,
        (request, response) => {
          token = String(request.headers.authorization).slice('Bearer '.length)
          write(token, response)
        },
        () => fetchBy(context, id, { method: 'GET', url: `${wild.origin}/v1` }),
      )
    const spellings: Record<string, (token: string) => string | Buffer> = {
      percent: (text) => encodeURIComponent(text),
      json: (text) => JSON.stringify({ a: text }).replaceAll('/', '\\/'),
      hex: (text) => Buffer.from(text).toString('hex'),
      'two bytes a letter': (text) => Buffer.from(`x${text}x`, 'utf16le'),
      'base64 of the header': (text) => Buffer.from(`Bearer ${text}`).toString('base64'),
      'base64url after a byte': (text) => Buffer.from(`x${text}`).toString('base64url'),
      'base64 after two': (text) => Buffer.from(`xx${text}`).toString('base64'),
    }
    for (const [what, spell] of Object.entries(spellings)) {
      const { status, body, text } = await get((secret, response) => void response.end(spell(secret)))
      assert.equal(status, 200, text)
      const got = Buffer.from(body.body, body.bodyEncoding === 'base64' ? 'base64' : 'utf8').toString(
        'latin1',
      )
      assert.match(got, /\[redacted\]/, what)
      assert.ok(!got.includes(Buffer.from(spell(token)).toString('latin1')), what)
    }
    const packed = { 'content-encoding': 'gzip' }
    const refused: [string, (token: string, response: ServerResponse) => void][] = [
      ['encoded_answer', (text, response) => void response.writeHead(200, packed).end(gzipSync(text))],
      ['encoded_answer', (text, response) => void response.writeHead(404, packed).end(gzipSync(text))],
      ['partial_answer', (text, response) => void response.writeHead(206).end(text.slice(0, 9))],
      [
        'partial_answer',
        (text, response) =>
          void response.writeHead(200, { 'content-range': 'bytes 0-8/40' }).end(text.slice(0, 9)),
      ],
    ]
    for (const [reason, write] of refused)
      assertError(await get(write), 'INTEGRATION_PROVIDER_ERROR', { reason })
  })

  test('carries the token to the hosts of the configuration and nowhere else', async () => {
    const context = await server()
    const { real, wild, admin } = context
    const id = await connectWild(context, admin)
    const port = wild.host.split(':')[1]
    const asked = wild.calls.length
    const cases: [string, string][] = [
      ['not a url', 'not_a_url'],
      ['/v1/items', 'not_a_url'],
      [`ftp://${wild.host}/`, 'scheme'],
      [`http://user:password@${wild.host}/`, 'credentials'],
      [`http://${wild.host}@evil.test/`, 'credentials'],
      ['http://evil.test/', 'not_https'],
      ['https://evil.test/', 'host_not_allowed'],
      [`https://localhost.evil.test:${port}/`, 'host_not_allowed'],
      [`https://${wild.host}.evil.test/`, 'not_a_url'],
      [`http://localhost:${Number(port) + 1}/`, 'host_not_allowed'],
      [`http://127.0.0.1:${port}/`, 'host_not_allowed'],
      [`http://localhost.:${port}/`, 'not_https'],
      [`http://sub.localhost:${port}/`, 'host_not_allowed'],
      ['http://localhost/', 'host_not_allowed'],
      [`${real.issuer}/me`, 'host_not_allowed'],
      [`http:\\\\${wild.host}\\`, 'not_a_url'],
      ['https://169.254.169.254/latest/meta-data/', 'host_not_allowed'],
    ]
    for (const [url, reason] of cases) {
      const answer = await fetchBy(context, id, { method: 'GET', url })
      assertError(answer, 'VALIDATION_FAILED', { field: 'url', reason })
    }
    assert.equal(wild.calls.length, asked)
  })

  test('lets nobody set what the connection or the client says itself', async () => {
    const context = await server()
    const { wild, admin } = context
    const id = await connectWild(context, admin)
    const asked = wild.calls.length
    const url = wild.origin
    const refuse = async (headers: Record<string, string>, reason: string) =>
      assertError(await fetchBy(context, id, { method: 'GET', url, headers }), 'VALIDATION_FAILED', {
        field: `headers.${Object.keys(headers).at(-1)}`,
        reason,
      })
    for (const name of [
      'authorization',
      'Authorization',
      'AUTHORIZATION',
      'host',
      'cookie',
      'Content-Length',
      'transfer-encoding',
      'connection',
      'proxy-authorization',
      'te',
      'trailer',
      'upgrade',
      'keep-alive',
      'expect',
      'x-forwarded-for',
      'forwarded',
      'sec-fetch-site',
      'accept-encoding',
      'Range',
      'if-range',
      'x-ms-range',
      'accept-charset',
      'X-HTTP-Method-Override',
      'x-http-method',
      'x-method-override',
    ])
      await refuse({ [name]: 'x' }, 'not_allowed')
    await refuse({ 'x-a': 'a\r\nauthorization: Bearer x' }, 'malformed')
    await refuse({ 'x a': 'a' }, 'malformed')
    await refuse({ 'x-ä': 'a' }, 'malformed')
    await refuse({ 'x-a': 'ä' }, 'malformed')
    await refuse({ 'x-a': '1', 'X-A': '2' }, 'twice')
    const body = (order: object) => fetchBy(context, id, { url, ...order })
    assertError(await body({ method: 'GET', body: 'x' }), 'VALIDATION_FAILED', { field: 'body' })
    assertError(await body({ method: 'POST', body: '*', bodyEncoding: 'base64' }), 'VALIDATION_FAILED', {
      field: 'body',
      reason: 'not_base64',
    })
    assertError(await body({ method: 'POST', bodyEncoding: 'base64' }), 'VALIDATION_FAILED', {
      field: 'body',
    })
    assertError(await body({ method: 'TRACE' }), 'VALIDATION_FAILED', { field: 'method' })
    assert.equal(wild.calls.length, asked)
  })

  it('refreshes once when the API refuses the token, and repeats the call once', async () => {
    const context = await server()
    const { wild, admin } = context
    const id = await connectWild(context, admin)
    wild.live.clear()
    const [calls, forms] = [wild.calls.length, wild.forms.length]
    const order = { method: 'POST', url: `${wild.origin}/things`, body: 'once more' }
    const answer = await fetchBy(context, id, order)
    assert.equal(answer.body.status, 200, answer.text)
    assert.deepEqual([wild.calls.length - calls, wild.forms.length - forms], [2, 1])
    assert.equal(wild.calls.at(-1)?.body.toString(), 'once more')
    // An API that refuses a fresh token as well refuses the call, not the connection.
    const never = await whileApi(
      context,
      (_request, response) => json(response, {}, 401),
      () => fetchBy(context, id, order),
    )
    assertError(never, 'INTEGRATION_EXPIRED', { reason: 'refused_after_refresh' })
    assert.deepEqual([wild.calls.length - calls, wild.forms.length - forms], [4, 2])
    assert.equal((await readConnection(context, admin, id)).status, 'active')
  })

  it('is expired when the token is refused, or has ended, and there is no other', async () => {
    const context = await server()
    const { postern, wild } = context
    const admin = await lasting(postern)
    const own = { ...context, admin }
    wild.grant = { refresh_token: undefined, expires_in: undefined }
    const endless = await connectWild(context, admin)
    wild.grant = { refresh_token: undefined, expires_in: 60 }
    const short = await connectWild(context, admin)
    wild.grant = {}
    const order = { method: 'GET', url: wild.origin }
    const live = [...wild.live]
    wild.live.clear()
    assertError(await fetchBy(own, endless, order), 'INTEGRATION_EXPIRED', { reason: 'refused' })
    assert.equal((await readConnection(own, admin, endless)).status, 'expired')
    // The end of its tokens is not known, so the API is asked again, and may take them again.
    for (const token of live) wild.live.add(token)
    assert.equal((await fetchBy(own, endless, order)).status, 200)
    assert.equal((await readConnection(own, admin, endless)).status, 'active')
    postern.clock.advance(60 * SECOND)
    const asked = wild.calls.length
    assertError(await fetchBy(own, short, order), 'INTEGRATION_EXPIRED')
    assertError(await fetchBy(own, short, order), 'INTEGRATION_EXPIRED')
    assert.equal(wild.calls.length, asked)
    const reported = await eventsOf(own, admin, 'connection.expired')
    assert.deepEqual(
      reported.map(({ connectionId, reason }) => [connectionId, reason]),
      [
        [short, 'lifetime'],
        [endless, 'refused'],
      ],
    )
  })

  it("keeps the provider's 429 in the row: no call until then, and then again", async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    using _still = postern.clock.stop()
    const order = { method: 'GET', url: wild.origin }
    const busy: Handler = (_request, response) =>
      void response.writeHead(429, { 'retry-after': '90' }).end('slow down')
    const answer = await whileApi(context, busy, () => fetchBy(context, id, order))
    assertError(answer, 'INTEGRATION_RATE_LIMIT', { retryAfterSeconds: 90 })
    assert.equal(answer.headers.get('retry-after'), '90')
    const asked = wild.asked.length
    postern.clock.advance(89 * SECOND)
    const early = await fetchBy(context, id, order)
    assertError(early, 'INTEGRATION_RATE_LIMIT')
    const refresh = await postern.client().post(`/v1/connections/${id}/refresh`, {}, { token: admin.token })
    assertError(refresh, 'INTEGRATION_RATE_LIMIT')
    assert.equal(wild.asked.length, asked)
    assert.ok((await readConnection(context, admin, id)).retryNotBefore)
    postern.clock.advance(Number(early.headers.get('retry-after')) * SECOND)
    assert.equal((await fetchBy(context, id, order)).status, 200)
  })

  test("is the provider's error when the API fails", async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    const order = { method: 'GET', url: wild.origin }
    const cases: [string, Handler][] = [
      ['status_500', (_request, response) => json(response, {}, 500)],
      ['status_503', (_request, response) => void response.writeHead(503, { 'retry-after': '5' }).end()],
      ['too_large', (_request, response) => void response.end('x'.repeat(LARGEST_FETCH + 1))],
      ['unreachable', (request) => void request.socket.destroy()],
      [
        'unreachable',
        (_request, response) =>
          void response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy()),
      ],
    ]
    for (const [reason, api] of cases) {
      const answer = await whileApi(context, api, () => fetchBy(context, id, order))
      assertError(answer, 'INTEGRATION_PROVIDER_ERROR', { connectionId: id, provider: 'wild', reason })
    }
    const arrived = Promise.withResolvers<void>()
    const slow = await whileApi(
      context,
      (_request, response) => void response.write('a', () => arrived.resolve()),
      async () => {
        const call = fetchBy(context, id, order)
        await arrived.promise
        postern.clock.advance(FETCH_DEADLINE)
        return call
      },
    )
    assertError(slow, 'INTEGRATION_PROVIDER_ERROR', { reason: 'timeout' })
    assert.equal((await readConnection(context, admin, id)).status, 'active')
    const log = postern.log()
    for (const token of wild.live) assert.ok(!log.includes(token))
  })
})
