import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { SECOND } from '#src/core/clock.ts'
import { SIZE } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import { close } from '../support/http-server.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { bytesLeft, type Keeper, keeper, PATIENCE } from './support.ts'

/** Names of the test: the address that is asked for first, and the ones after it. */
const NAMES: Record<string, string[]> = {
  'files.test': ['127.0.0.1'],
  localhost: ['127.0.0.1'],
  'private.test': ['10.0.0.1'],
  'rebinding.test': ['127.0.0.1', '10.0.0.1'],
}

onBothEngines('fetching a file', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {}
  const web = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })
  let base = ''
  let asked = 0
  const server = usePostern(engine, {
    env: { FILES_ALLOWED_NETWORKS: '127.0.0.0/8' },
    resolve: async (name) => {
      const all = NAMES[name] ?? assert.fail(`${name} is looked up`)
      const address = all[name === 'rebinding.test' ? Math.min(asked++, all.length - 1) : 0] ?? ''
      return [{ address, family: 4 }]
    },
  })
  let made: Promise<Keeper> | undefined
  const keep = () => {
    made ??= server().then(keeper)
    return made
  }
  const fetchFile = async (url: string, more: object = {}) => {
    const { postern, key } = await keep()
    return postern.client().post('/v1/files/from-url', { url, ...more }, { token: key })
  }
  const failed = async (url: string, reason: string) =>
    assertError(await fetchFile(url), 'FETCH_FAILED', { reason })

  before(async () => {
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    base = `http://files.test:${(web.address() as AddressInfo).port}`
    answers['/a%20report.txt'] = ({ headers }, response) => {
      assert.equal(headers['accept-encoding'], 'identity')
      assert.equal(headers.authorization, undefined)
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('fetched')
    }
    answers['/latin'] = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-2' }).end(Buffer.from([0xb1]))
    answers['/moved'] = (_, response) => response.writeHead(302, { location: '/a%20report.txt' }).end()
  })
  after(() => close(web))

  it('takes what the URL answers with, by way of its redirects, and is called as the URL says or as told', async () => {
    const { get, ended } = await keep()
    const answer = await fetchFile(`${base}/moved`)
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual([answer.body.name, answer.body.sizeBytes], ['a report.txt', 7])
    assert.equal((await ended(answer.body.id)).mediaType, 'text/plain')
    assert.equal((await get(`/v1/files/${answer.body.id}/text`)).body.text, 'fetched')
    assert.equal((await fetchFile(`${base}/moved`, { name: 'mine' })).body.name, 'mine')
    const letters = (await fetchFile(`${base}/latin`)).body
    await ended(letters.id)
    assert.equal((await get(`/v1/files/${letters.id}/text`)).body.text, 'ą')
  })

  test('refuses what is no web address before anybody is asked', async () => {
    for (const [url, reason] of [
      ['file:///etc/passwd', 'not_a_url'],
      ['ftp://files.test/a', 'scheme'],
      ['data:text/plain,hello', 'not_a_url'],
      ['http://user:pw@files.test/a', 'credentials'],
      ['nonsense', 'not_a_url'],
    ] as const)
      assertError(await fetchFile(url), 'VALIDATION_FAILED', { field: 'url', reason })
  })

  test('never comes from an address that is not public, by whatever name, spelling or way', async () => {
    for (const url of [
      'http://10.0.0.1/',
      'http://10.1/',
      'http://0xa000001/',
      'http://[::ffff:10.0.0.1]/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00::1]/',
      'http://private.test/',
    ])
      await failed(url, 'blocked_address')
    for (const [path, location] of [
      ['/inward', 'http://10.0.0.1/'],
      ['/inward-name', 'http://private.test/'],
    ] as const) {
      answers[path] = (_, response) => response.writeHead(302, { location }).end()
      await failed(`${base}${path}`, 'blocked_address')
    }
    // Its name leads elsewhere when it is asked for the second time.
    const port = new URL(base).port
    answers['/rebinds'] = (_, response) =>
      response.writeHead(302, { location: '/rebinds-more', connection: 'close' }).end()
    await failed(`http://rebinding.test:${port}/rebinds`, 'blocked_address')
    assert.ok(asked >= 2)
  })

  test('says in FETCH_FAILED why there is no file, and keeps nothing', async () => {
    const { postern } = await keep()
    answers['/loop'] = (_, response) => response.writeHead(302, { location: '/loop' }).end()
    answers['/file'] = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    answers['/nowhere'] = (_, response) => response.writeHead(302).end()
    answers['/packed'] = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1024 * 1024)))
    answers['/large'] = (_, response) =>
      response.writeHead(200, { 'content-length': SIZE.file + 1 }).write('a')
    answers['/cut'] = (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('a little', () => response.destroy())
    }
    answers['/empty'] = (_, response) => response.writeHead(200).end()
    answers['/error'] = (_, response) => response.writeHead(503).end()
    for (const [path, reason] of [
      ['/loop', 'too_many_redirects'],
      ['/file', 'bad_redirect'],
      ['/nowhere', 'bad_redirect'],
      ['/packed', 'encoded'],
      ['/large', 'too_large'],
      ['/cut', 'cut_short'],
      ['/empty', 'empty'],
      ['/error', 'status_503'],
      ['/not-there', 'status_404'],
    ] as const)
      await failed(`${base}${path}`, reason)
    await failed('http://127.0.0.1:1/', 'unreachable')
    const { pending, orphaned } = await bytesLeft(postern)
    assert.deepEqual([pending, orphaned], [0, 0])
  })

  test('is never led from https to http', async () => {
    const tlsFile = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tls', name), 'utf8')
    const trusted = getCACertificates('default')
    const secure = createSecureServer(
      { cert: tlsFile('server.pem'), key: tlsFile('server-key.pem') },
      ({ url }, response) =>
        url === '/down'
          ? response.writeHead(302, { location: `${base}/a%20report.txt` }).end()
          : response.end('in secret'),
    )
    using _end = {
      [Symbol.dispose]() {
        setDefaultCACertificates(trusted)
        secure.closeAllConnections()
        secure.close()
      },
    }
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    const url = `https://localhost:${(secure.address() as AddressInfo).port}`
    await failed(url, 'unreachable')
    setDefaultCACertificates([...trusted, tlsFile('authority.pem')])
    assert.equal((await fetchFile(url)).body.sizeBytes, 9)
    await failed(`${url}/down`, 'insecure_redirect')
  })

  test('gives up after 20 seconds, however much has come', async () => {
    const { postern } = await keep()
    let hasBegun = false
    answers['/slow'] = (_, response) => {
      response.writeHead(200).write('a')
      hasBegun = true
    }
    const answer = fetchFile(`${base}/slow`)
    await until(
      async () => hasBegun && (await bytesLeft(postern)).pending,
      (pending) => pending === 1,
      { what: 'the slow answer to have begun', patience: PATIENCE },
    )
    postern.clock.advance(20 * SECOND)
    assertError(await answer, 'FETCH_FAILED', { reason: 'timeout' })
  })

  it('is done once for an Idempotency-Key', async () => {
    const { postern, key } = await keep()
    let times = 0
    answers['/once'] = (_, response) => {
      times += 1
      response.writeHead(200).end('once')
    }
    const headers = { 'idempotency-key': `key-${crypto.randomUUID()}` }
    const send = () =>
      postern.client().post('/v1/files/from-url', { url: `${base}/once` }, { token: key, headers })
    const [first, second] = [await send(), await send()]
    assert.equal(first.body.id, second.body.id)
    assert.equal(times, 1)
  })
})
