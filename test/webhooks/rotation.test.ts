import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { DAY, fromIso, SECOND } from '#src/core/clock.ts'
import { assertError, atOnce } from '../support/attacks.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import type { Received } from '../support/receiver.ts'
import { holding, signs } from '../support/signing.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

onBothEngines('rotating a secret', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const rotate = async (id: string, headers = {}) => {
    const { postern, key } = await sender()
    const answer = await callsOf(postern, key).post(`/v1/webhooks/${id}/rotate-secret`, {}, headers)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as { id: string; secret: string; previousSecretExpiresAt: string }
  }
  const delivered = async (id: string, event: { id: string }) => {
    const { delivery } = await sender()
    return delivery(id, ({ status, eventId }) => status !== 'pending' && eventId === event.id)
  }

  it('returns a new secret, and the end of the previous one', async () => {
    const { postern, key, register } = await sender()
    const { id, secret } = await register('http://127.0.0.1:9/')
    const before = postern.clock.now()
    const rotated = await rotate(id)
    assert.deepEqual(Object.keys(rotated).sort(), ['id', 'previousSecretExpiresAt', 'secret'])
    assert.equal(rotated.id, id)
    assert.match(rotated.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.notEqual(rotated.secret, secret)
    const ends = Number(fromIso(rotated.previousSecretExpiresAt))
    assert.ok(ends >= before + DAY && ends <= postern.clock.now() + DAY)
    const { body, text } = await callsOf(postern, key).get(`/v1/webhooks/${id}`)
    assert.equal(body.previousSecretExpiresAt, rotated.previousSecretExpiresAt)
    assert.equal(body.secretHint, rotated.secret.slice(-6))
    assert.equal(Number(fromIso(body.secretRotatedAt)), ends - DAY)
    assert.ok(!text.includes(rotated.secret))
  })

  it('rotates once for an Idempotency-Key', async () => {
    const { register } = await sender()
    const { id } = await register('http://127.0.0.1:9/')
    const headers = { 'idempotency-key': crypto.randomUUID() }
    assert.deepEqual(await rotate(id, headers), await rotate(id, headers))
  })

  it('signs with the new secret first, and a receiver that has it is called once', async () => {
    const { receiver, register, publish } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url)
    const { secret } = await rotate(id)
    destination.answer = holding(secret)
    const done = await delivered(id, await publish())
    assert.equal(done.status, 'delivered')
    assert.deepEqual(
      done.attempts.map(({ signedWith }: { signedWith: string }) => signedWith),
      ['current'],
    )
    assert.equal(destination.received.length, 1)
  })

  for (const refusal of [401, 403]) {
    test(`calls a receiver that answers ${refusal} again at once, in the same attempt, with the previous secret`, async () => {
      const { receiver, register, publish } = await sender()
      const destination = await receiver()
      const { id, secret } = await register(destination.url)
      await rotate(id)
      destination.answer = holding(secret, refusal)
      const done = await delivered(id, await publish())
      assert.equal(done.status, 'delivered')
      assert.equal(done.attempts.length, 1)
      assert.equal(done.attempts[0].statusCode, 204)
      assert.equal(done.attempts[0].signedWith, 'previous')
      assert.deepEqual(
        destination.received.map(({ headers }) => headers['x-service-attempt']),
        ['1', '1'],
      )
    })
  }

  test('loses no delivery to a receiver that changes its secret during an attempt', async () => {
    const { receiver, register, publish } = await sender()
    const destination = await receiver()
    const { id, secret } = await register(destination.url)
    const { secret: newest } = await rotate(id)
    destination.answer = (call, response) => {
      holding(destination.received.length === 1 ? secret : newest)(call, response)
    }
    const done = await delivered(id, await publish())
    assert.equal(done.status, 'delivered')
    assert.equal(done.attempts.length, 1)
    assert.equal(done.attempts[0].signedWith, 'current')
    assert.equal(destination.received.length, 3)
  })

  test('does not call again after another refusal, nor without an older secret', async () => {
    const { receiver, register, publish } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(400).end()
    const { id } = await register(destination.url)
    await rotate(id)
    assert.equal((await delivered(id, await publish())).reason, 'http_400')
    const other = await receiver()
    other.answer = (_call, response) => void response.writeHead(401).end()
    const unrotated = await register(other.url)
    const failed = await delivered(unrotated.id, await publish())
    assert.equal(failed.reason, 'http_401')
    assert.equal(failed.attempts[0].signedWith, 'current')
    assert.equal(destination.received.length, 2)
    assert.equal(other.received.length, 1)
  })

  test('fails a delivery that is refused with each valid secret', async () => {
    const { receiver, register, publish } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(401).end()
    const { id } = await register(destination.url)
    await rotate(id)
    await rotate(id)
    const failed = await delivered(id, await publish())
    assert.equal(failed.reason, 'http_401')
    assert.equal(failed.attempts.length, 1)
    assert.equal(new Set(destination.received.map(({ headers }) => headers['x-service-signature'])).size, 3)
  })

  it('leaves one signing secret after concurrent rotations; the others retire', async () => {
    const { postern, key, receiver, register, publish } = await sender()
    const destination = await receiver()
    const { id, secret } = await register(destination.url)
    const secrets = (await atOnce(8, () => rotate(id))).map((rotated) => rotated.secret)
    const { body } = await callsOf(postern, key).get(`/v1/webhooks/${id}`)
    const current = secrets.filter((one) => one.endsWith(body.secretHint))
    assert.equal(current.length, 1)
    await publish()
    const [call] = await destination.count(1)
    assert.ok(call && signs(current[0] ?? '', call))
    assert.equal(String(call.headers['webhook-signature']).split(' ').length, 9)
    for (const live of [...secrets, secret]) new Webhook(live).verify(call.body.toString(), asMap(call))
    const rows = await postern.app.database.db
      .selectFrom('webhook_secret')
      .select('expires_at')
      .where('webhook_id', '=', id as never)
      .execute()
    assert.equal(rows.filter(({ expires_at }) => expires_at === null).length, 1)
  })

  it('keeps at most ten retired secrets valid, and refuses the eleventh rotation of a day', async () => {
    const { postern, key, register } = await sender()
    const { id } = await register('http://127.0.0.1:9/')
    for (let times = 0; times < 10; times += 1) await rotate(id)
    const refused = await callsOf(postern, key).post(`/v1/webhooks/${id}/rotate-secret`)
    assertError(refused, 'RATE_LIMITED')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait > 86_000 && wait <= 86_400, String(wait))
    postern.clock.advance(wait * SECOND)
    await rotate(id)
  })
})

function asMap({ headers }: Received): Record<string, string> {
  return headers as Record<string, string>
}
