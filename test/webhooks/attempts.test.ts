import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { HOUR } from '#src/core/clock.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

const tlsFile = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tls', name), 'utf8')
const NOTHING = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }

onBothEngines('the record of an attempt', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(
    usePostern(engine, {
      resolve: async (hostname) => {
        if (hostname === 'nowhere.test') throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
        return [{ address: '127.0.0.1', family: 4 }]
      },
    }),
  )

  test('has URL, address and times; look-up, connection and handshake are null on an open connection', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    const url = destination.url.replace('127.0.0.1', 'receiver.test')
    const { id } = await register(`${url}/hooks`)
    await publish()
    const [first] = (await delivery(id, ({ status }) => status === 'delivered')).attempts
    const event = await publish()
    const second = await delivery(id, (row) => row.eventId === event.id && row.status === 'delivered')
    for (const attempt of [first, second.attempts[0]]) {
      assert.equal(attempt.url, `${url}/hooks`)
      assert.equal(attempt.address, '127.0.0.1')
      assert.equal(attempt.errorClass, null)
      assert.equal(attempt.signedWith, 'current')
      assert.equal(attempt.timings.totalMs, attempt.durationMs)
      assert.ok(attempt.timings.firstByteMs >= 0)
    }
    const { dnsMs, connectMs, tlsMs } = first.timings
    assert.ok(dnsMs >= 0 && connectMs >= 0)
    assert.equal(tlsMs, null)
    const { firstByteMs, totalMs, ...opening } = second.attempts[0].timings
    assert.deepEqual(opening, { dnsMs: null, connectMs: null, tlsMs: null })
  })

  it('keeps its URL and its error class when the webhook gets another URL', async () => {
    const { postern, key, receiver, register, publish, delivery } = await sender()
    const own = callsOf(postern, key)
    const destination = await receiver()
    destination.answer = ({ path }, response) => void response.writeHead(Number(path.slice(1))).end()
    const { id } = await register(`${destination.url}/503`)
    await publish()
    const urls = [`${destination.url}/503`]
    const tried = (count: number) => delivery(id, ({ attemptCount }) => attemptCount === count)
    await tried(1)
    for (const url of ['http://127.0.0.1:9/', 'http://nowhere.test/', `${destination.url}/404`]) {
      urls.push(url)
      assert.equal((await own.patch(`/v1/webhooks/${id}`, { url })).status, 200)
      postern.clock.advance(HOUR)
      await tried(urls.length)
    }
    // The same URL again is not a new one.
    await own.patch(`/v1/webhooks/${id}`, { url: urls.at(-1) })
    const { attempts, ...row } = await tried(4)
    assert.equal(row.status, 'failed')
    assert.deepEqual(
      attempts.map(({ url, errorClass, address }: Record<string, unknown>) => [url, errorClass, address]),
      [
        [urls[0], 'http_5xx', '127.0.0.1'],
        [urls[1], 'refused', '127.0.0.1'],
        [urls[2], 'dns', null],
        [urls[3], 'http_4xx', '127.0.0.1'],
      ],
    )
    assert.ok(attempts[1].timings.dnsMs >= 0)
    assert.deepEqual(attempts[1].timings, {
      ...NOTHING,
      dnsMs: attempts[1].timings.dnsMs,
      totalMs: attempts[1].durationMs,
    })
    assert.deepEqual(attempts[2].timings, { ...NOTHING, totalMs: attempts[2].durationMs })
    const [listed] = (await own.get(`/v1/deliveries?webhookId=${id}&errorClass=http_4xx`)).body.data
    assert.deepEqual([listed.lastErrorClass, listed.url], ['http_4xx', urls[3]])
  })

  test('measures the handshake, and the connection before a failed one', async () => {
    const { postern, key, register, publish, delivery } = await sender()
    const trusted = getCACertificates('default')
    const server = createServer(
      { cert: tlsFile('server.pem'), key: tlsFile('server-key.pem') },
      (request, response) => request.resume().on('end', () => response.writeHead(204).end()),
    )
    using _end = {
      [Symbol.dispose]() {
        setDefaultCACertificates(trusted)
        server.closeAllConnections()
        server.close()
      },
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { id } = await register(`https://localhost:${(server.address() as AddressInfo).port}/`)
    await publish()
    await delivery(id, ({ attemptCount }) => attemptCount === 1)
    setDefaultCACertificates([...trusted, tlsFile('authority.pem')])
    postern.clock.advance(HOUR)
    const { attempts } = await delivery(id, ({ status }) => status === 'delivered')
    const [failed, delivered] = attempts
    assert.equal(failed.errorClass, 'tls')
    assert.equal(failed.address, '127.0.0.1')
    assert.ok(failed.timings.connectMs >= 0)
    assert.equal(failed.timings.tlsMs, null)
    assert.ok(Number.isInteger(delivered.timings.tlsMs))
    const [row] = (await callsOf(postern, key).get(`/v1/deliveries?webhookId=${id}`)).body.data
    assert.equal(row.lastErrorClass, null)
  })
})
