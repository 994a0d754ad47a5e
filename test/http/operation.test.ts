import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { it } from 'node:test'
import { assertError, withPostern } from '../support/attacks.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, startPostern, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'
import { within } from '../support/waits.ts'

const APP = 'https://app.acme.test'

onOneEngineByDay('health, metrics and CORS', (engine) => {
  const server = usePostern(engine, { env: { ALLOWED_ORIGINS: APP } })

  it('lives, and is ready while its database answers', async () => {
    const postern = await server()
    const alive = await postern.client().get('/livez')
    assert.deepEqual([alive.status, alive.body], [200, { status: 'ok' }])
    const ready = await postern.client().get('/readyz')
    assert.equal(ready.status, 200)
    assert.equal(ready.body.status, 'ok')
    assert.equal(ready.body.checks.database, 'ok')
    assert.equal(ready.body.checks.deliveries, 'ok')
  })

  it('is not ready from the moment it stops, and says so to who is connected already', async () => {
    const postern = await startPostern(engine)
    const { hostname, port } = new URL(postern.url)
    const socket = connect(Number(port), hostname)
    const answered = new Promise<string>((resolve) => {
      const chunks: string[] = []
      socket.on('data', (chunk) => chunks.push(String(chunk)))
      socket.on('close', () => resolve(chunks.join('')))
    })
    const request = rawHead('GET /readyz')
    await new Promise<void>((resolve) => socket.write(request.slice(0, -2), () => resolve()))
    // The server has the first half when it has answered a request that came after it.
    await postern.client().get('/livez')
    const stopped = postern.stop()
    socket.write(request.slice(-2))
    const answer = await within('the answer of a server that stops', answered)
    await stopped
    assert.match(answer, /^HTTP\/1\.1 503 /)
    assert.match(answer, /"status":"stopping"/)
    assert.match(answer, /x-request-id: req_/)
  })

  it('shows its metrics to this machine alone', async () => {
    const postern = await server()
    await postern.client().get('/v1/errors')
    const metrics = await postern.client().get('/metrics')
    assert.equal(metrics.status, 200)
    assert.match(String(metrics.headers.get('content-type')), /^text\/plain/)
    assert.match(
      metrics.text,
      /postern_http_request_duration_seconds_count\{route="\/v1\/errors",method="GET",status="200"\} 1/,
    )
    const { token } = await administrator(postern)
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9' },
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=x' },
      { 'x-forwarded-proto': 'https' },
      { 'x-real-ip': '127.0.0.1' },
      { via: '1.1 proxy' },
    ]) {
      assertError(await postern.client().get('/metrics', { headers }), 'UNAUTHORIZED')
      assertError(await postern.client().get('/metrics', { headers, token }), 'UNAUTHORIZED')
    }
  })

  it('shows its metrics to nobody who asks for another host, as a name that leads here would', async () => {
    const postern = await server()
    for (const host of ['127.0.0.1', 'localhost:3000', '[::1]:3000'])
      assert.equal((await sendRaw(postern.url, rawHead('GET /metrics', { host }))).status, 200, host)
    for (const host of [
      'postern.example.com',
      '127.evil.example',
      'localhost.evil.example:3000',
      '203.0.113.9',
    ])
      assert.equal((await sendRaw(postern.url, rawHead('GET /metrics', { host }))).status, 401, host)
  })

  it('shows its metrics to nobody without a token where a proxy may stand before it', async () => {
    for (const env of [{ BASE_URL: 'https://postern.example.com' }, { TRUST_PROXY: '127.0.0.1/32' }])
      await withPostern(engine, { env }, async (postern) => {
        assertError(await postern.client().get('/metrics'), 'UNAUTHORIZED')
      })
  })

  it('counts unknown paths as one, so that nobody fills the metrics', async () => {
    const postern = await server()
    for (let count = 0; count < 5; count += 1) await postern.client().get(`/v1/${crypto.randomUUID()}`)
    const { text } = await postern.client().get('/metrics')
    assert.match(text, /route="\(unknown\)",method="GET",status="404"/)
    assert.doesNotMatch(text, /route="\/v1\/[0-9a-f]{8}-/)
  })

  it('asks for METRICS_TOKEN where there is one', () =>
    withPostern(engine, { env: { METRICS_TOKEN: 'operators-own' } }, async (postern) => {
      assertError(await postern.client().get('/metrics'), 'UNAUTHORIZED')
      assertError(await postern.client().get('/metrics', { token: 'guess' }), 'UNAUTHORIZED')
      assert.equal((await postern.client().get('/metrics', { token: 'operators-own' })).status, 200)
    }))

  it('lets scripts of an allowed origin in, with credentials and the headers they need', async () => {
    const postern = await server()
    const { client } = await administrator(postern)
    const answer = await client.get('/v1/auth/session', { headers: { origin: APP } })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), APP)
    assert.equal(answer.headers.get('access-control-allow-credentials'), 'true')
    const exposed = String(answer.headers.get('access-control-expose-headers'))
    for (const name of ['X-Request-Id', 'Retry-After', 'RateLimit', 'Idempotent-Replayed', 'Location']) {
      assert.ok(exposed.includes(name), name)
    }
    const refused = await postern.client().get('/v1/auth/session', { headers: { origin: APP } })
    assertError(refused, 'UNAUTHORIZED')
    // Without this a script could not even read the error.
    assert.equal(refused.headers.get('access-control-allow-origin'), APP)
  })

  it('grants the methods and headers of the API before a script may use them', async () => {
    const postern = await server()
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const answer = await postern.client().call('/v1/webhooks', {
        method: 'OPTIONS',
        headers: {
          origin: APP,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,idempotency-key',
        },
      })
      assert.equal(answer.status, 204)
      assert.ok(answer.headers.get('access-control-allow-methods')?.includes(method))
      const allowed = String(answer.headers.get('access-control-allow-headers'))
      for (const name of ['authorization', 'content-type', 'idempotency-key'])
        assert.ok(allowed.includes(name))
      assert.equal(answer.headers.get('access-control-max-age'), '600')
    }
  })

  it('never lets an answer be cached or framed, but what is made for it', async () => {
    const postern = await server()
    const cacheable: Record<string, string> = {
      '/.well-known/jwks.json': 'public, max-age=300',
      '/openapi.json': 'public, max-age=60',
    }
    for (const [path, value] of Object.entries(cacheable)) {
      assert.equal((await postern.client().get(path)).headers.get('cache-control'), value)
    }
    const unknown = await postern.client().get('/nothing')
    assert.equal(unknown.headers.get('cache-control'), 'no-store')
  })
  it('does not start with a route that does not say who may call it', async () => {
    const start = startPostern(engine, {
      extend: (server) => void server.get('/anybody', async () => 'come in'),
    })
    await assert.rejects(start, /^Error: GET \/anybody does not say who may call it$/)
  })
})
