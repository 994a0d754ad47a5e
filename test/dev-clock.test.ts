import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, fromIso, HOUR, MINUTE, SECOND, systemClock } from '#src/core/clock.ts'
import { administrator, apiKey, newEmail } from './support/people.ts'
import { freshStore, onBothEngines, postern, testOnOneEngineByDay, usePostern } from './support/postern.ts'
import { useProcesses, useReceivers } from './support/processes.ts'
import { refusedStart, startHere } from './support/start-here.ts'
import { callsOf, until } from './support/webhook-calls.ts'
import { RUN, useSender } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }
const ON = { DEV_CLOCK: 'on' }

onBothEngines('a clock that is moved for a trial', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { ...ON, RETENTION_DAYS: '5', DEFAULT_PLAN: 'team' } })
  const sender = useSender(server)

  async function advance(by: string): Promise<void> {
    const { code, out, err } = await postern(await server(), 'clock', '--advance', by)
    assert.equal(code, 0, err)
    assert.match(out, /ahead of this machine/)
  }

  test('brings a retry that is due in ten hours at once, signed at the moment at which it is', async () => {
    const { key, receiver, register, publish } = await sender()
    const destination = await receiver()
    await register(destination.url)
    destination.answer = (_call, response) => {
      const isFirst = destination.received.length === 1
      void response
        .writeHead(isFirst ? 503 : 204, isFirst ? { 'retry-after': String((10 * HOUR) / SECOND) } : {})
        .end()
    }
    await publish()
    // The wait of ten hours begins when the attempt is recorded, so the clock moves after that.
    const [first] = await destination.count(1)
    const calls = callsOf(await server(), key)
    await until(
      () => calls.get(`/v1/deliveries/${first?.headers['x-service-delivery']}`),
      ({ body }) => body.attempts.length === 1,
    )
    await advance('11h')
    const [, second] = await destination.count(2)
    const signedAt = Number(second?.headers['webhook-timestamp']) * SECOND
    assert.ok(Math.abs(signedAt - systemClock.now()) < 5 * MINUTE)
  })

  it('ends a delivery that is retried once it is moved beyond its 24 hours, with the reason and without another attempt', async () => {
    const { key, receiver, register, publish, delivery } = await sender()
    const destination = await receiver()
    // The retry is due within the 24 hours, and long after what the test takes.
    destination.answer = (_call, response) =>
      void response.writeHead(503, { 'retry-after': String((10 * HOUR) / SECOND) }).end()
    const webhook = await register(destination.url)
    await publish()
    const waiting = await delivery(webhook.id, ({ attemptCount }) => attemptCount === 1)
    assert.equal(waiting.status, 'pending')
    await advance('24h')
    const failed = await delivery(webhook.id, ({ status }) => status !== 'pending')
    assert.deepEqual([failed.status, failed.reason, failed.attemptCount], ['failed', 'horizon_passed', 1])
    assert.equal(destination.received.length, 1)
    // Deliveries to it would keep later events from being removed.
    assert.equal((await callsOf(await server(), key).delete(`/v1/webhooks/${webhook.id}`)).status, 204)
  })

  it('ends an invitation and an old secret, turns a cycle of credits, and removes what is old', async () => {
    const { key, receiver, register, publish, delivery } = await sender()
    const calls = callsOf(await server(), key)
    const webhook = await register((await receiver()).url)
    const event = await publish()
    await delivery(webhook.id, ({ status }) => status === 'delivered')
    await calls.post(`/v1/webhooks/${webhook.id}/rotate-secret`)
    const { body: invited } = await calls.post('/v1/invitations', { email: newEmail(), role: 'member' })
    const { body: before } = await calls.get('/v1/billing/balance')
    const shown = async () => (await calls.get(`/v1/invitations/${invited.id}`)).body
    assert.equal((await shown()).status, 'pending')
    await advance('32d')
    await until(shown, ({ status }) => status === 'expired', { what: 'the invitation to expire' })
    const webhookNow = (await calls.get(`/v1/webhooks/${webhook.id}`)).body
    assert.equal(webhookNow.previousSecretExpiresAt, null)
    await until(
      async () => (await calls.get('/v1/billing/balance')).body.cycle.startedAt,
      (startedAt) => Number(fromIso(startedAt)) > Number(fromIso(before.cycle.startedAt)) + 20 * DAY,
      { what: 'the cycle to turn' },
    )
    await until(
      () => calls.get(`/v1/events/${event.id}`),
      ({ status }) => status === 404,
      {
        what: 'the event to be removed',
      },
    )
  })

  test('is told of, and goes forward only', async () => {
    const running = await server()
    const ahead = async () => JSON.parse((await postern(running, 'clock', '--json')).out).aheadMs
    const before = await ahead()
    for (const wrong of ['-1h', '0s', '24', '1y', '9999d', ''])
      assert.equal((await postern(running, 'clock', `--advance=${wrong}`)).code, 2, wrong)
    await advance('90m')
    assert.equal(await ahead(), before + 90 * MINUTE)
    const { out } = await postern(running, 'doctor')
    assert.match(out, /ok {7}Clock .*; that of the database was moved to 20/)
    const tooFar = await postern(running, 'clock', '--advance', '4000d')
    assert.equal(tooFar.code, 1)
    assert.match(tooFar.err, /days ahead, and 4000 are the most/)
    assert.equal(await ahead(), before + 90 * MINUTE)
  })

  test('refuses commands without the setting, whose links would have ended', async () => {
    const running = await server()
    await advance('1h')
    const { DEV_CLOCK: _, ...env } = running.env
    const invited = ['invite', '--organization', 'Late', '--email', newEmail(), '--role', 'administrator']
    const refused = await postern({ env }, ...invited)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /The clock of this database was moved ahead/)
    assert.match((await postern({ env }, 'doctor')).out, /problem {2}Clock .*set DEV_CLOCK=on/)
    assert.equal((await postern(running, ...invited)).code, 0)
  })

  test('is moved only where the server that was started last follows it', async () => {
    const store = await freshStore(engine)
    const url = 'http://localhost:3000'
    const strict = await startHere(store)
    assert.notEqual(strict.url, '')
    const { code, err } = await postern(
      { env: { ...store, ...ON, BASE_URL: url } },
      'clock',
      '--advance',
      '1d',
    )
    assert.equal(code, 1)
    assert.match(err, /was not started with DEV_CLOCK=on/)
    assert.equal((await strict.end()).code, 0)
    const again = await startHere(store)
    assert.notEqual(again.url, '')
    assert.equal((await again.end()).code, 0)
  })
})

describe('a clock that is moved on a database of several processes', () => {
  const start = useProcesses({ env: { ...ON, ROLE: 'api' } })
  const receiver = useReceivers()

  it('is followed by each of them', async () => {
    const { one, processes } = await start()
    await processes.start({ env: { ...ON, ROLE: 'worker' } })
    const destination = await receiver()
    destination.answer = (_call, response) =>
      void response.writeHead(destination.received.length === 1 ? 503 : 204, { 'retry-after': '36000' }).end()
    const calls = callsOf(one, await apiKey(one, await administrator(one)))
    await calls.post('/v1/webhooks', { url: destination.url, events: [EVENT.type] })
    const { body: event } = await calls.post('/v1/events', EVENT)
    const [first] = await destination.count(1)
    await until(
      () => calls.get(`/v1/deliveries/${first?.headers['x-service-delivery']}`),
      ({ body }) => body.attempts.length === 1,
    )
    assert.equal((await postern(one, 'clock', '--advance', '11h')).code, 0)
    await destination.count(2)
    const later = await until(
      () => calls.post('/v1/events', EVENT),
      ({ body }) => Number(fromIso(body.createdAt)) > Number(fromIso(event.createdAt)) + 10 * HOUR,
    )
    assert.equal(later.status, 202)
  })
})

describe('a clock that is not to be moved', () => {
  const server = usePostern('sqlite')

  it('is not, without the setting, in production, or at an address of others', async () => {
    const { code, err } = await postern(await server(), 'clock', '--advance', '1h')
    assert.equal(code, 1)
    assert.match(err, /DEV_CLOCK=on/)
    for (const env of [
      { NODE_ENV: 'production', BASE_URL: 'https://id.example.com' },
      { BASE_URL: 'https://id.example.com' },
    ]) {
      const refused = await refusedStart({ ...(await freshStore('sqlite')), ...ON, ...env })
      assert.match(refused.err, /DEV_CLOCK=on is for trials/)
    }
  })

  it('refuses a start that could not follow it', async () => {
    const store = await freshStore('sqlite')
    const first = await startHere({ ...store, ...ON })
    assert.equal((await postern({ env: { ...store, ...ON } }, 'clock', '--advance', '24h')).code, 0)
    assert.equal((await first.end()).code, 0)
    assert.match((await refusedStart(store)).err, /The clock of this database was moved ahead/)
  })
})
