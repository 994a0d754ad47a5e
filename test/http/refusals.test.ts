import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { it } from 'node:test'
import { CATALOGUE, type ErrorCode } from '#src/core/errors.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { nightly } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { type RawAnswer, rawHead, sendRaw } from '../support/raw-http.ts'
import { address, pathKinds, readRoutes, undocumentedRoutes } from '../support/routes.ts'
import { PATIENCE, until } from '../support/waits.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND', 'TRACE', 'PURGE', 'M-SEARCH']

/** What is refused before a route sees it, byte for byte, and what the catalogue says of it. */
const REFUSED: [string, string, ErrorCode, object][] = [
  ['what is no HTTP', 'NONSENSE\r\n\r\n', 'VALIDATION_FAILED', { reason: 'malformed_request' }],
  [
    'another protocol',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'a version that there is not',
    'GET / HTTP/9.9\r\n\r\n',
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'a method that there is not',
    rawHead('FETCH /livez'),
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'a header with a bare carriage return',
    'GET /livez HTTP/1.1\r\nhost: a\r\nx: a\rb\r\n\r\n',
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'headers beyond 16 KiB',
    rawHead('GET /livez', { 'x-long': 'x'.repeat(20_000) }),
    'VALIDATION_FAILED',
    { field: 'request', reason: 'headers_too_large' },
  ],
  [
    'a line beyond 16 KiB',
    rawHead(`GET /${'x'.repeat(20_000)}`),
    'VALIDATION_FAILED',
    { field: 'request', reason: 'headers_too_large' },
  ],
  [
    'two lengths',
    'POST /v1/auth/sign-out HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'a length beside chunks',
    `${rawHead('POST /v1/auth/sign-out', { 'content-length': 3, 'transfer-encoding': 'chunked' })}0\r\n\r\n`,
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'a chunk without a length',
    `${rawHead('POST /v1/auth/sign-in/email', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })}zz\r\n{}\r\n`,
    'VALIDATION_FAILED',
    { reason: 'malformed_request' },
  ],
  [
    'a chunk whose extension never ends',
    `${rawHead('POST /v1/auth/sign-in/email', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })}2;${'x'.repeat(20_000)}\r\n{}\r\n`,
    'VALIDATION_FAILED',
    { field: 'request', reason: 'too_large' },
  ],
  [
    'an expectation that nobody has',
    rawHead('POST /v1/auth/sign-out', { expect: 'a miracle', 'content-length': 0 }),
    'VALIDATION_FAILED',
    { field: 'request', reason: 'expectation_not_supported' },
  ],
  ['a tunnel', rawHead('CONNECT example.com:443'), 'ENTITY_NOT_FOUND', { method: 'CONNECT' }],
  ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 'VALIDATION_FAILED', { field: 'Host', reason: 'missing' }],
  [
    'two hosts',
    'GET /livez HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n',
    'VALIDATION_FAILED',
    { field: 'Host', reason: 'more_than_one' },
  ],
  ['an address that is none', rawHead('GET /livez%'), 'ENTITY_NOT_FOUND', { path: '/livez%' }],
  ['a file of another folder', rawHead('GET /api/docs/static/../../../package.json'), 'ENTITY_NOT_FOUND', {}],
  ['a file name with a NUL', rawHead('GET /api/docs/static/%00'), 'ENTITY_NOT_FOUND', {}],
  ['a query without a type', rawHead('QUERY /v1/errors'), 'ENTITY_NOT_FOUND', { allowed: ['GET', 'HEAD'] }],
  [
    'a body of another type at no path',
    `${rawHead('POST /nowhere', { 'content-type': 'a/b', 'content-length': 1 })}a`,
    'ENTITY_NOT_FOUND',
    { path: '/nowhere' },
  ],
  [
    'a broken body at no path',
    `${rawHead('POST /nowhere', { 'content-type': 'application/json', 'content-length': 1 })}{`,
    'ENTITY_NOT_FOUND',
    {},
  ],
]

onOneEngineByDay('what is refused before a route sees it', (engine) => {
  const server = usePostern(engine)

  for (const [name, bytes, code, details] of REFUSED) {
    it(`${name} is answered out of the catalogue`, async () => {
      const postern = await server()
      assertRefusal(postern, await sendRaw(postern.url, bytes), code, details)
    })
  }

  it('a request that does not come to its end is answered when its time is over', async () => {
    const postern = await server()
    const { server: http } = postern.app.server
    const { headersTimeout, requestTimeout } = http
    Object.assign(http, { headersTimeout: 50, requestTimeout: 50 })
    try {
      for (const half of [
        'GET /livez HTTP/1.1\r\nhost: a\r\n',
        rawHead('POST /v1/auth/sign-in/email', { 'content-type': 'application/json', 'content-length': 9 }),
      ])
        assertRefusal(postern, await sendRaw(postern.url, half), 'VALIDATION_FAILED', {
          field: 'request',
          reason: 'too_slow',
        })
    } finally {
      Object.assign(http, { headersTimeout, requestTimeout })
    }
  })

  it('keeps the request id of who could still say one', async () => {
    const { url } = await server()
    for (const line of ['CONNECT example.com:443', 'GET /livez%', 'QUERY /livez']) {
      const { head, body } = await sendRaw(url, rawHead(line, { 'x-request-id': 'mine-12345678' }))
      assert.match(head, /^x-request-id: mine-12345678$/m)
      assert.equal(body.error.requestId, 'mine-12345678')
    }
  })

  it('answers what came whole before it hears of what follows', async () => {
    const { url } = await server()
    const text = await readAll(url, `${rawHead('GET /openapi.json')}NONSENSE\r\n\r\n`)
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1])
    const rest = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4))
    assert.equal(JSON.parse(rest.subarray(0, length).toString()).openapi, '3.1.0')
    assert.match(rest.subarray(length).toString(), /^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('takes HTTP/1.0, which has no host, an upgrade that it need not follow, and 100-continue', async () => {
    const { url } = await server()
    const good = [
      'GET /livez HTTP/1.0\r\n\r\n',
      rawHead('GET /livez', { connection: 'upgrade', upgrade: 'websocket' }),
      rawHead('GET /livez', {
        connection: 'upgrade, http2-settings',
        upgrade: 'h2c',
        'http2-settings': 'AA',
      }),
    ]
    for (const bytes of good) {
      const { status, body } = await sendRaw(url, bytes)
      assert.deepEqual([status, body], [200, { status: 'ok' }], bytes)
    }
    const body = `${rawHead('POST /v1/auth/sign-out', { expect: '100-continue', 'content-length': 0, connection: 'close' })}`
    assert.match(await readAll(url, body), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })
})

onOneEngineByDay('a path that is known', (engine) => {
  const server = usePostern(engine)

  it('says which methods it has to whoever takes another one', async () => {
    const postern = await server()
    const { token, client } = await administrator(postern)
    const routes = await readRoutes()
    // By day the one and the other in turn.
    const callers = [postern.client(), client]
    let asked = 0
    const hidden = (await undocumentedRoutes(routes)).map((name) => name.split(' ') as [string, string])
    const every = [...routes.map(({ method, path }) => [method, path] as const), ...hidden]
    for (const route of routes) {
      const ids = Object.fromEntries(
        pathKinds(route).map(({ name, isId }) => [name, isId ? crypto.randomUUID() : 'something']),
      )
      const path = String(address(route, ids).split('?', 1)[0])
      // Of several patterns that match, the more literal one is meant.
      const found = every.filter(([, pattern]) => matches(pattern, path))
      const fewest = Math.min(...found.map(([, pattern]) => openings(pattern)))
      const meant = found.filter(([, pattern]) => openings(pattern) === fewest)
      const known = new Set(meant.flatMap(([method]) => withHead(method)))
      const other = METHODS.find((method) => !known.has(method)) ?? assert.fail()
      // PATCH is what a wider pattern beside a literal one has.
      for (const method of new Set([other, 'PATCH', 'QUERY'].filter((one) => !known.has(one)))) {
        asked += 1
        const first = asked % 2
        for (const caller of nightly(callers, callers.slice(first, first + 1))) {
          const answer: Answer = await caller.call(path, { method, token })
          assertError(answer, 'ENTITY_NOT_FOUND', { method, path })
          const { allowed } = answer.body.error.details
          assert.deepEqual(new Set(allowed), known, `${method} ${path}`)
          assert.equal(answer.headers.get('allow'), allowed.join(', '))
        }
      }
    }
  })

  it('is told apart from one that there is not', async () => {
    const postern = await server()
    for (const path of ['/nowhere', '/v1', '/v1/webhooks/a/b/c', '/v1/auth/sign-in/email/', '//livez', '*']) {
      const { head, body } = await sendRaw(postern.url, rawHead(`POST ${path}`, { 'content-length': 0 }))
      assert.equal(body.error.code, 'ENTITY_NOT_FOUND')
      assert.equal(body.error.details.allowed, undefined)
      assert.doesNotMatch(head, /^allow:/im)
    }
  })
})

onOneEngineByDay('a body of no bytes', (engine) => {
  const server = usePostern(engine)
  const headers = { 'content-type': 'application/json' }

  it('is as good as none where none is required, whatever its type says', async () => {
    const postern = await server()
    const { token, client } = await administrator(postern)
    const webhook = { url: 'http://127.0.0.1:9/', events: ['*'], endpointPath: `path-${crypto.randomUUID()}` }
    const { id } = (await client.post('/v1/webhooks', webhook, { token })).body
    const paths: [string, string, number][] = [
      ['POST', `/v1/webhooks/${id}/rotate-secret`, 200],
      ['POST', `/v1/webhooks/${id}/test`, 200],
      ['POST', `/v1/webhooks/${id}/test/start`, 200],
      ['POST', `/v1/webhooks/${id}/test/stop`, 200],
      ['DELETE', `/v1/webhooks/${id}`, 204],
    ]
    for (const [method, path, status] of paths) {
      const answer = await postern.client().call(path, { method, token, headers, body: '' })
      assert.equal(answer.status, status, `${method} ${path} ${answer.text}`)
    }
    const chunked = rawHead('POST /v1/auth/sign-out', { ...headers, 'transfer-encoding': 'chunked' })
    assert.equal((await sendRaw(postern.url, `${chunked}0\r\n\r\n`)).status, 200)
    assert.equal((await client.call('/v1/auth/sign-out', { method: 'POST', headers, body: '' })).status, 200)
  })

  it('is missing where one is required, with a type and without', async () => {
    const postern = await server()
    for (const call of [{ headers, body: '' }, {}]) {
      const answer = await postern.client().call('/v1/auth/sign-in/email', { ...call, method: 'POST' })
      assertError(answer, 'VALIDATION_FAILED', { field: 'body', reason: 'empty' })
    }
  })
})

/** The line of the log that is so: it is written when the answer has gone, and may be a moment later than that. */
async function lineOf({ log }: Postern, isIt: (line: string) => boolean): Promise<string> {
  const find = () => log().split('\n').find(isIt)
  return (
    (await until(find, (line) => line !== undefined, { what: `a line of the log of which ${isIt}` })) ?? ''
  )
}

it('the line that the log has of a refused request carries its code', async (test) => {
  const server = usePostern('sqlite')
  await test.test('whoever refused it', async () => {
    const postern = await server()
    const refused: [string, ErrorCode][] = [
      [rawHead('GET /v1/webhooks'), 'UNAUTHORIZED'],
      [rawHead('GET /nowhere'), 'ENTITY_NOT_FOUND'],
      [rawHead('GET /livez%'), 'ENTITY_NOT_FOUND'],
      [rawHead('GET /v1/errors?limit=1'), 'VALIDATION_FAILED'],
      ['NONSENSE\r\n\r\n', 'VALIDATION_FAILED'],
      [rawHead('CONNECT a:1'), 'ENTITY_NOT_FOUND'],
    ]
    for (const [bytes, code] of refused) {
      const { body, status } = await sendRaw(postern.url, bytes)
      if (status === 200) continue
      const { requestId } = body.error
      const line = await lineOf(postern, (one) => one.includes(requestId) && one.includes('"msg":"request"'))
      assert.deepEqual([JSON.parse(line).code, JSON.parse(line).status], [code, status])
    }
    await postern.client().get('/livez')
    const good = await lineOf(postern, (one) => one.includes('"path":"/livez","route"'))
    assert.ok(!('code' in JSON.parse(good)), good)
  })
})

function assertRefusal(
  postern: Postern,
  { status, head, body }: RawAnswer,
  code: ErrorCode,
  details: object,
): void {
  const { error } = body
  assert.deepEqual([status, error.code], [CATALOGUE[code].status, code], JSON.stringify(error))
  assert.equal(error.message, CATALOGUE[code].message)
  for (const [name, value] of Object.entries(details)) assert.deepEqual(error.details[name], value, name)
  assert.equal(
    error.docUrl,
    `${postern.env.BASE_URL ?? postern.url.replace('127.0.0.1', 'localhost')}/v1/errors/${code}`,
  )
  assert.match(head, new RegExp(`^x-request-id: ${error.requestId}\\r?$`, 'm'))
  for (const line of [
    /^cache-control: no-store/m,
    /^x-content-type-options: nosniff/m,
    /^x-frame-options: DENY/m,
  ])
    assert.match(head, line)
}

function withHead(method: string): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
}

function openings(pattern: string): number {
  return pattern.split('{').length
}

/** Everything that comes until the server closes the connection. */
function readAll(baseUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    socket.on('error', (error) => chunks.length === 0 && reject(error))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
    socket.setTimeout(PATIENCE, () => reject(new Error(`still open after: ${Buffer.concat(chunks)}`)))
  })
}
