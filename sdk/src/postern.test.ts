import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { isCode, Postern, PosternError, type PosternOptions } from './postern.ts'
import { waitMs } from './retry.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void
interface Asked {
  request: IncomingMessage
  body: string
}

/** A real server that answers each request with the next answer of a test, the last one ever after. */
let answers: Answer[] = []
let asked: Asked[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    asked.push({ request, body })
    ;(answers.length > 1 ? answers.shift() : answers[0])?.(response, request)
  })
})
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => {
  server.closeAllConnections()
  server.close()
})

function urlOf(): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

function client(list: Answer[], more: Partial<PosternOptions> = {}): Postern {
  ;[answers, asked] = [list, []]
  return new Postern({ baseUrl: urlOf(), apiKey: 'psk_test', ...more })
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))
const problem = (status: number, code: string, details: object = {}, headers: Record<string, string> = {}) =>
  json(
    status,
    { error: { code, message: 'No.', details, requestId: 'req_1', docUrl: '' } },
    { 'x-request-id': 'req_1', ...headers },
  )
const cut: Answer = (response) => void response.destroy()
const never: Answer = () => {}
/** Soon, so that a test need not wait. */
const soon = { 'retry-after': '0' }
const busy = problem(503, 'FETCH_FAILED', {}, soon)
const good = json(200, { data: [], nextCursor: null })
const made = json(201, { id: 'evt_1' })
const EVENT = { type: 'a.b', data: {} }
const keysSent = () => asked.map(({ request }) => request.headers['idempotency-key'])

describe('a call', () => {
  it('carries the key, the query with its lists, and the JSON', async () => {
    const api = client([good], { headers: { 'x-tenant': 'one' } })
    await api.webhooks.list({ limit: 5, cursor: undefined }).page()
    assert.equal(asked[0]?.request.url, '/v1/webhooks?limit=5')
    assert.equal(asked[0]?.request.headers.authorization, 'Bearer psk_test')
    assert.equal(asked[0]?.request.headers['x-tenant'], 'one')
    await api.webhooks.update('whk/1?', { status: 'active' }, { query: { a: [1, 2] } } as object)
    assert.equal(asked[1]?.request.url, '/v1/webhooks/whk%2F1%3F?a=1&a=2')
    assert.equal(asked[1]?.request.headers['content-type'], 'application/json')
    assert.equal(asked[1]?.body, '{"status":"active"}')
  })

  it('names the organization for which a key of the installation acts: of the call, else of the client', async () => {
    const api = client([good], { apiKey: 'ppk_test', organization: 'ext:cus_1' })
    await api.webhooks.list().page()
    await api.webhooks.list({}, { organization: 'org_2' }).page()
    const named = () => asked.map(({ request }) => request.headers['postern-organization'])
    assert.deepEqual(named(), ['ext:cus_1', 'org_2'])
    await client([good]).webhooks.list().page()
    assert.deepEqual(named(), [undefined])
  })

  it('does not leave its path where a part of it is missing', async () => {
    const api = client([good])
    for (const id of ['', '.', '..', undefined as never])
      assert.throws(() => api.webhooks.read(id), /id must be a text that is not empty/)
    assert.equal(asked.length, 0)
  })

  it('gives nothing where there is nothing, and bytes as they come', async () => {
    assert.equal(
      await client([(response) => void response.writeHead(204).end()]).webhooks.delete('whk_1'),
      undefined,
    )
    const bytes = await client([(response) => void response.end('bytes')]).files.content('fil_1')
    assert.equal(await bytes.text(), 'bytes')
    await client([made]).files.upload(new Blob(['text']), { query: { name: 'a.txt' } } as object)
    assert.equal(asked[0]?.request.headers['content-type'], 'application/octet-stream')
    assert.equal(asked[0]?.body, 'text')
  })
})

describe('retries', () => {
  it('are made for what passes: network, 408, 429, 5xx but 501; twice unless set, and 0 is never', async () => {
    for (const passing of [cut, problem(408, 'X', {}, soon), problem(429, 'RATE_LIMITED', {}, soon), busy])
      assert.deepEqual(await client([passing, passing, good]).webhooks.list().take(9), [])
    assert.equal(asked.length, 3)
    for (const lasting of [
      problem(400, 'VALIDATION_FAILED'),
      problem(404, 'ENTITY_NOT_FOUND'),
      problem(501, 'X'),
    ]) {
      await assert.rejects(client([lasting]).webhooks.list().page())
      assert.equal(asked.length, 1)
    }
    for (const [maxRetries, tries] of [
      [0, 1],
      [1, 2],
      [undefined, 3],
    ] as const) {
      await assert.rejects(
        client([busy], { ...(maxRetries === undefined ? {} : { maxRetries }) }).webhooks.read('whk_1'),
      )
      assert.equal(asked.length, tries)
    }
    await assert.rejects(client([busy], { maxRetries: 5 }).webhooks.read('whk_1', { maxRetries: 0 }))
    assert.equal(asked.length, 1)
  })

  it('of a POST have one key for all tries of a call, and another for the next call', async () => {
    const api = client([cut, busy, made])
    await api.events.publish(EVENT)
    const first = keysSent()
    assert.equal(first.length, 3)
    assert.equal(new Set(first).size, 1)
    assert.match(String(first[0]), /^auto_\d+_\d+_\d+_\d+$/)
    await api.events.publish(EVENT)
    assert.notEqual(keysSent().at(-1), first[0])
    await api.events.publish(EVENT, { idempotencyKey: 'mine' })
    assert.equal(keysSent().at(-1), 'mine')
  })

  it('are not made of a POST that Postern does not know by its key', async () => {
    const api = client([busy])
    await assert.rejects(api.webhooks.test('whk_1'))
    assert.deepEqual(keysSent(), [undefined])
    await assert.rejects(api.connections.fetch('con_1', { method: 'POST', url: 'https://example.com/' }))
    assert.equal(asked.length, 2)
  })

  it('wait while the first try of the same call is still being worked on', async () => {
    const running = problem(409, 'DUPLICATE', { field: 'Idempotency-Key', reason: 'still_running' }, soon)
    assert.equal((await client([running, made]).events.publish(EVENT)).id, 'evt_1')
    await assert.rejects(client([problem(409, 'DUPLICATE', { field: 'name' })]).events.publish(EVENT))
    assert.equal(asked.length, 1)
  })

  it('wait as long as the answer says, or a random part of a bound that doubles up to 8 s', () => {
    const error = new PosternError({ code: 'RATE_LIMITED', message: '', status: 429, retryAfter: 42 })
    assert.equal(waitMs(0, error), 42_000)
    for (const [tries, most] of [
      [0, 250],
      [1, 500],
      [3, 2_000],
      [9, 8_000],
    ] as const) {
      const waits = Array.from({ length: 200 }, () => waitMs(tries))
      assert.ok(
        waits.every((wait) => wait >= 0 && wait <= most),
        String(Math.max(...waits)),
      )
      assert.ok(Math.max(...waits) > most / 2 && Math.min(...waits) < most / 2)
    }
  })

  it('of no call go to where an answer leads: the key and the body are for Postern alone', async (t) => {
    const strangers: IncomingMessage[] = []
    const stranger = createServer((request, response) => {
      strangers.push(request)
      response.end('{}')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    t.after(() => stranger.close())
    const place = stranger.address()
    const location = `http://127.0.0.1:${typeof place === 'object' ? place?.port : ''}/`
    for (const status of [301, 302, 303, 307, 308]) {
      const api = client([(response) => void response.writeHead(status, { location }).end()], {
        headers: { 'x-secret': 'of the client' },
      })
      for (const call of [api.webhooks.read('whk_1'), api.events.publish(EVENT)])
        await assert.rejects(call, (error) => isCode(error, 'UNEXPECTED_ANSWER') && error.status === status)
    }
    assert.deepEqual(strangers.length, 0)
  })

  it('are not begun that would end after the deadline', async () => {
    const late = problem(429, 'RATE_LIMITED', { retryAfterSeconds: 60 }, { 'retry-after': '60' })
    const error = await client([late], { deadlineMs: 5_000 })
      .webhooks.read('whk_1')
      .catch((thrown) => thrown)
    assert.ok(isCode(error, 'RATE_LIMITED'))
    assert.equal(error.retryAfter, 60)
    assert.equal(error.details.retryAfterSeconds, 60)
    assert.equal(asked.length, 1)
  })
})

describe('time', () => {
  it('ends a try that has no answer, and one whose body does not end', async () => {
    const half: Answer = (response) => void response.writeHead(200).write('{"data":')
    for (const hanging of [never, half]) {
      const error = await client([hanging], { timeoutMs: 50, maxRetries: 0 })
        .webhooks.read('whk_1')
        .catch((thrown) => thrown)
      assert.ok(isCode(error, 'TIMEOUT'), String(error))
      assert.equal(error.status, 0)
    }
    assert.deepEqual(await client([never, good], { timeoutMs: 1_000 }).webhooks.list().take(1), [])
  })

  it('without an end is no time at all for a timer, and still an end of its own for a call', async () => {
    const later: Answer = (response) => void setTimeout(() => good(response, undefined as never), 50)
    const endless = {
      timeoutMs: Number.POSITIVE_INFINITY,
      deadlineMs: Number.POSITIVE_INFINITY,
      maxRetries: 0,
    }
    assert.deepEqual(await client([later], endless).webhooks.list().take(1), [])
  })

  it('of the caller ends a call at once, in a try and in a wait, with the caller’s reason', async () => {
    const reason = new Error('left')
    for (const answer of [never, problem(503, 'X', {}, { 'retry-after': '30' })]) {
      const leaving = new AbortController()
      const call = client([answer]).webhooks.read('whk_1', { signal: leaving.signal })
      setTimeout(() => leaving.abort(reason), 50)
      await assert.rejects(call, (error) => error === reason)
    }
    await assert.rejects(
      client([good]).webhooks.read('whk_1', { signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    )
    assert.equal(asked.length, 0)
  })
})

describe('an error', () => {
  it('has the code, the details, the id of the request and what to wait', async () => {
    const error = await client([problem(402, 'INSUFFICIENT_CREDITS', { required: 5 })])
      .webhooks.read('whk_1')
      .catch((one) => one)
    assert.ok(error instanceof PosternError)
    assert.ok(isCode(error, 'INSUFFICIENT_CREDITS'))
    assert.equal(error.details.required, 5)
    assert.deepEqual([error.status, error.requestId, error.retryAfter], [402, 'req_1', undefined])
    assert.equal(isCode(new Error('x'), 'INSUFFICIENT_CREDITS'), false)
  })

  it('is read no further than an error of Postern’s is long', async () => {
    let sent = 0
    const endless: Answer = (response) => {
      response.writeHead(500)
      const more = () => {
        do sent += 65_536
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')))
      }
      response.on('drain', more)
      more()
    }
    const error = await client([endless], { maxRetries: 0, timeoutMs: 20_000 })
      .webhooks.read('whk_1')
      .catch((one) => one)
    assert.ok(isCode(error, 'UNEXPECTED_ANSWER'), String(error))
    assert.ok(sent < 64 * 1_048_576, `${sent} bytes were taken`)
  })

  it('says when an answer is not Postern’s, and when nobody answers', async () => {
    const page: Answer = (response) => void response.writeHead(404).end('<h1>nginx</h1>')
    const foreign = await client([page])
      .webhooks.read('whk_1')
      .catch((one) => one)
    assert.ok(isCode(foreign, 'UNEXPECTED_ANSWER'))
    assert.equal(foreign.details.body, '<h1>nginx</h1>')
    const html = await client([(response) => void response.end('<html>')])
      .webhooks.read('whk_1')
      .catch((one) => one)
    assert.ok(isCode(html, 'UNEXPECTED_ANSWER'), String(html))
    const dead = new Postern({ baseUrl: 'http://127.0.0.1:9', apiKey: 'x', maxRetries: 0 })
    await assert.rejects(dead.webhooks.read('whk_1'), (error) => isCode(error, 'NETWORK'))
  })
})

describe('a token', () => {
  it('is asked for at each call, and once more when it is refused', async () => {
    const refused: (string | undefined)[] = []
    const token = async (old?: string) => {
      refused.push(old)
      return old === undefined ? 'old' : 'new'
    }
    const either: Answer = (response, request) =>
      (request.headers.authorization === 'Bearer new' ? good : problem(401, 'UNAUTHORIZED'))(
        response,
        request,
      )
    ;[answers, asked] = [[either], []]
    const api = new Postern({ baseUrl: urlOf(), token, maxRetries: 0 })
    assert.deepEqual(await api.webhooks.list().take(1), [])
    assert.deepEqual(refused, [undefined, 'old'])
    const stale = new Postern({ baseUrl: urlOf(), token: () => 'old' })
    await assert.rejects(stale.webhooks.list().page(), (error) => isCode(error, 'UNAUTHORIZED'))
    assert.equal(asked.length, 3)
  })
})
