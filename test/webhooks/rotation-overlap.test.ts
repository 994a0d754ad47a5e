import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR, SECOND } from '#src/core/clock.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { holding, signs, verifies, verifying } from '../support/signing.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

onBothEngines('the 24 hours after a rotation', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  it('lose no delivery to receivers with the old or the new secret, by either signature', async () => {
    const { postern, key, receiver, register, publish, delivery } = await sender()
    using _still = postern.clock.stop()
    const own = callsOf(postern, key)
    const make = async () => {
      const destination = await receiver()
      const { id, secret } = await register(destination.url)
      return { id, secret, destination }
    }
    const [old, fresh, standardOld, standardNew] = [await make(), await make(), await make(), await make()]
    const all = [old, fresh, standardOld, standardNew]
    old.destination.answer = holding(old.secret)
    standardOld.destination.answer = verifying(standardOld.secret)
    for (const one of all) {
      const rotated = (await own.post(`/v1/webhooks/${one.id}/rotate-secret`)).body.secret
      if (one === fresh) one.destination.answer = holding(rotated)
      if (one === standardNew) one.destination.answer = verifying(rotated)
    }
    for (const wait of [0, HOUR, 12 * HOUR, 11 * HOUR - 1]) {
      postern.clock.advance(wait)
      const event = await publish()
      for (const { id } of all) {
        const done = await delivery(id, ({ eventId, status }) => eventId === event.id && status !== 'pending')
        assert.equal(done.status, 'delivered', `${JSON.stringify(done)} after ${wait} ms`)
        assert.equal(done.attempts.length, 1)
        assert.equal(done.attempts[0].signedWith, id === old.id ? 'previous' : 'current')
      }
    }
    // A process reads a cached webhook again after some seconds.
    postern.clock.advance(5 * 60 * SECOND)
    const event = await publish()
    for (const { id } of all) {
      const done = await delivery(id, ({ eventId, status }) => eventId === event.id && status !== 'pending')
      const isOld = id === old.id || id === standardOld.id
      assert.equal(done.status, isOld ? 'failed' : 'delivered')
      if (isOld) assert.equal(done.reason, 'http_401')
    }
    const shown = (await own.get(`/v1/webhooks/${old.id}`)).body
    assert.equal(shown.previousSecretExpiresAt, null)
  })

  it('are counted separately for each retired secret, over several rotations', async () => {
    const { postern, key, receiver, register, publish } = await sender()
    const own = callsOf(postern, key)
    const destination = await receiver()
    const { id, secret } = await register(destination.url)
    const secrets = [secret]
    const rotate = async () =>
      secrets.unshift((await own.post(`/v1/webhooks/${id}/rotate-secret`)).body.secret)
    /** The live secrets, newest first, by the signatures of a delivery. */
    const live = async () => {
      const { id: eventId } = await publish()
      const call = await until(
        async () => destination.received.find(({ event }) => event.id === eventId),
        (found) => found !== undefined,
      )
      assert.ok(call && signs(secrets[0] ?? '', call))
      return secrets.map((one) => verifies(one, call))
    }
    await rotate()
    postern.clock.advance(10 * HOUR)
    await rotate()
    assert.deepEqual(await live(), [true, true, true])
    postern.clock.advance(13 * HOUR)
    assert.deepEqual(await live(), [true, true, true])
    postern.clock.advance(HOUR + 10 * SECOND)
    assert.deepEqual(await live(), [true, true, false])
    await rotate()
    postern.clock.advance(10 * HOUR)
    assert.deepEqual(await live(), [true, true, false, false])
    postern.clock.advance(14 * HOUR)
    assert.deepEqual(await live(), [true, false, false, false])
    const { body } = await own.get(`/v1/webhooks/${id}`)
    assert.equal(body.previousSecretExpiresAt, null)
  })

  test('apply to each retry, which is signed with the secrets that are valid at its time', async () => {
    const { postern, key, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const { id } = await register(destination.url)
    await publish()
    await delivery(id, ({ attemptCount }) => attemptCount === 1)
    const { secret } = (await callsOf(postern, key).post(`/v1/webhooks/${id}/rotate-secret`)).body
    destination.answer = holding(secret)
    postern.clock.advance(SECOND)
    const done = await delivery(id, ({ status }) => status === 'delivered')
    assert.equal(done.attempts[1].signedWith, 'current')
    assert.equal(destination.received.length, 2)
  })
})
