import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { DAY, fromIso, MINUTE } from '#src/core/clock.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import type { Received } from '../support/receiver.ts'
import { RUN, useSender } from '../support/webhooks.ts'

onBothEngines('delivery', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  it('sends the envelope, signed both ways, and records the attempt', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    const webhook = await register(destination.url)
    const event = await publish()
    assert.equal(event.deliveries, 1)
    const [call] = await destination.count(1)
    assert.ok(call)
    assert.deepEqual(call.event.data, RUN)
    assert.deepEqual(Object.keys(call.event), ['id', 'type', 'createdAt', 'data'])
    assert.equal(call.event.id, event.id)
    assert.match(call.event.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(verifyAsSpecified(call, webhook.secret), true)
    const verified = new Webhook(webhook.secret).verify(
      call.body.toString(),
      call.headers as Record<string, string>,
    )
    assert.deepEqual(verified, call.event)
    const { attempts } = await delivery(webhook.id, ({ status }) => status === 'delivered')
    assert.equal(attempts.length, 1)
    assert.equal(attempts[0].statusCode, 204)
    assert.equal(attempts[0].outcome, 'delivered')
    assert.equal(attempts[0].signedWith, 'current')
  })

  it('reaches every webhook that asks for the type, and no other', async () => {
    const { receiver, register, publish } = await sender()
    const [one, all, other] = [await receiver(), await receiver(), await receiver()]
    await register(one.url)
    await register(all.url, { events: ['*'] })
    await register(other.url, { events: ['file.processed'] })
    const event = await publish()
    await one.count(1)
    await all.count(1)
    assert.equal(one.received[0]?.event.id, event.id)
    assert.equal(all.received[0]?.event.id, event.id)
    assert.equal(other.received.length, 0)
  })

  it('retries a 5xx after 1 s, 5 s and 30 s with the same event id, and then delivers', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    // With a stopped clock an attempt takes no time, even on a busy machine.
    using _still = postern.clock.stop()
    const destination = await receiver()
    let failures = 3
    destination.answer = (_call, response) => {
      failures -= 1
      response.writeHead(failures >= 0 ? 503 : 200).end('later')
    }
    const webhook = await register(destination.url)
    await publish()
    for (const [attempts, wait] of [
      [1, 1_000],
      [2, 5_000],
      [3, 30_000],
    ] as const) {
      const waiting = await delivery(webhook.id, ({ attemptCount }) => attemptCount === attempts)
      const last = waiting.attempts.at(-1)
      assert.equal(Number(fromIso(waiting.nextAttemptAt)) - Number(fromIso(last.startedAt)), wait)
      postern.clock.advance(wait)
    }
    const done = await delivery(webhook.id, ({ status }) => status === 'delivered')
    assert.equal(new Set(destination.received.map(({ event }) => event.id)).size, 1)
    assert.equal(new Set(destination.received.map(({ body }) => body.toString())).size, 1)
    assert.deepEqual(
      done.attempts.map(({ statusCode }: { statusCode: number }) => statusCode),
      [503, 503, 503, 200],
    )
    assert.deepEqual(
      destination.received.map(({ headers }) => headers['x-service-attempt']),
      ['1', '2', '3', '4'],
    )
  })

  test('counts no whole answer within 30 s as a failure, headers and a dripping body included', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    for (const begin of ['nothing', 'headers', 'half a body'] as const) {
      const destination = await receiver()
      destination.answer = (_call, response) => {
        if (begin === 'headers') response.writeHead(200).flushHeaders()
        if (begin === 'half a body') response.writeHead(200, { 'content-length': '100' }).write('half')
      }
      const webhook = await register(destination.url)
      await publish()
      await destination.count(1)
      postern.clock.advance(30_000)
      const waiting = await delivery(webhook.id, ({ attemptCount }) => attemptCount === 1)
      assert.equal(waiting.status, 'pending', begin)
      assert.equal(waiting.reason, 'timeout', begin)
      destination.answer = (_call, response) => void response.writeHead(200).end()
      postern.clock.advance(1_000)
      await delivery(webhook.id, ({ status }) => status === 'delivered')
    }
  })

  test('ends at once on a 4xx or a redirect, which it does not follow', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const elsewhere = await receiver()
    for (const status of [400, 404, 408, 301, 302, 307, 308]) {
      const destination = await receiver()
      destination.answer = (_call, response) =>
        void response.writeHead(status, { location: elsewhere.url }).end()
      const webhook = await register(destination.url)
      await publish()
      const failed = await delivery(webhook.id, (row) => row.status === 'failed')
      assert.equal(failed.reason, `http_${status}`)
      assert.equal(failed.attemptCount, 1)
      assert.equal(failed.nextAttemptAt, null)
    }
    assert.equal(elsewhere.received.length, 0)
  })

  test('waits at least as long as Retry-After says', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    using _still = postern.clock.stop()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(429, { 'retry-after': '120' }).end()
    const webhook = await register(destination.url)
    await publish()
    const waiting = await delivery(webhook.id, ({ attemptCount }) => attemptCount === 1)
    const wait = Number(fromIso(waiting.nextAttemptAt)) - Number(fromIso(waiting.attempts[0].startedAt))
    assert.equal(wait, 120_000)
  })

  test('makes a last attempt before the horizon, however long Retry-After is', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(503, { 'retry-after': '86400' }).end()
    const webhook = await register(destination.url)
    await publish()
    const waiting = await delivery(webhook.id, ({ attemptCount }) => attemptCount === 1)
    assert.equal(waiting.status, 'pending')
    const wait = Number(fromIso(waiting.nextAttemptAt)) - Number(fromIso(waiting.createdAt))
    assert.equal(wait, DAY - MINUTE)
    destination.answer = (_call, response) => void response.writeHead(204).end()
    postern.clock.advance(DAY - MINUTE)
    const delivered = await delivery(webhook.id, ({ status }) => status === 'delivered')
    assert.equal(delivered.attemptCount, 2)
  })

  it('disables a webhook whose destination answers 410, keeps later deliveries, and notifies the other webhooks', async () => {
    const { postern, key, receiver, register, publish, delivery } = await sender()
    const [gone, witness] = [await receiver(), await receiver()]
    gone.answer = (_call, response) => void response.writeHead(410).end()
    const webhook = await register(gone.url)
    await register(witness.url, { events: ['webhook.disabled'] })
    await publish()
    await delivery(webhook.id, ({ status }) => status === 'failed')
    const [reported] = await witness.count(1)
    assert.deepEqual(reported?.event.data, { webhookId: webhook.id, reason: 'gone' })
    const shown = await postern.client().get(`/v1/webhooks/${webhook.id}`, { token: key })
    assert.equal(shown.body.status, 'disabled')
    assert.equal(shown.body.disabledReason, 'gone')
    await publish()
    const held = await delivery(webhook.id, ({ status }) => status === 'held')
    assert.equal(held.attemptCount, 0)
    assert.equal(gone.received.length, 1)
  })

  it('gives up 24 hours after the event, and keeps the record', async () => {
    const { postern, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(500).end()
    const webhook = await register(destination.url)
    // The first retry comes by the clock alone, however long the machine takes until then.
    using _still = postern.clock.stop()
    await publish()
    await delivery(webhook.id, ({ attemptCount }) => attemptCount === 1)
    postern.clock.advance(25 * 60 * 60 * 1_000)
    const failed = await delivery(webhook.id, ({ status }) => status === 'failed')
    assert.equal(failed.reason, 'horizon_passed')
    assert.equal(failed.attemptCount, 1)
    assert.equal(destination.received.length, 1)
  })

  test('ignores any number of interim answers (RFC 9110 15.2), and keeps a body that looks like one unchanged', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    const text = 'HTTP/1.1 100 Continue\r\n\r\n'
    destination.answer = (_call, response) => {
      response.writeContinue()
      response.writeProcessing()
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.writeContinue()
      response.socket?.write('HTTP/1.1 100 Go on\r\nx-note: one\r')
      response.socket?.write('\n\r\n')
      response.writeHead(200, { 'content-length': 2 * text.length })
      response.write(text)
      response.end(text)
    }
    const webhook = await register(destination.url)
    for (const _connection of ['new', 'kept']) {
      const event = await publish()
      const delivered = await delivery(
        webhook.id,
        ({ eventId, status }) => eventId === event.id && status !== 'pending',
      )
      assert.deepEqual(
        delivered.attempts.map(({ statusCode, responseBody, error }: Record<string, unknown>) => ({
          statusCode,
          responseBody,
          error,
        })),
        [{ statusCode: 200, responseBody: text + text, error: null }],
      )
    }
  })

  test('keeps 16 KiB of an answer and does not read the rest', async () => {
    const { receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', more)
      response.on('error', () => {})
      more()
    }
    const webhook = await register(destination.url)
    await publish()
    const delivered = await delivery(webhook.id, ({ status }) => status === 'delivered')
    assert.equal(delivered.attempts[0].responseBody.length, 16 * 1024)
  })
})

/** Verifies a signature as specification 4 describes it, like a receiver. */
function verifyAsSpecified({ headers, body }: Received, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const received = Buffer.from(String(headers['x-service-signature']))
  return expected.length === received.length && timingSafeEqual(expected, received)
}
