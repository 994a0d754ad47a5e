import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, it } from 'node:test'
import { DAY, HOUR, repeat, SECOND, systemClock } from '#src/core/clock.ts'
import { administrator, apiKey } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  postern as run,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { until } from '../support/waits.ts'
import { callsOf, turnsTaken } from '../support/webhook-calls.ts'
import { RUN, type Sender, useSender } from '../support/webhooks.ts'

const HEARTBEAT = 10 * SECOND

/** A destination that answers its calls only at `release`. */
function holding() {
  const held: ServerResponse[] = []
  let most = 0
  return {
    answer(_call: unknown, response: ServerResponse) {
      held.push(response)
      most = Math.max(most, held.length)
    },
    held,
    most: () => most,
    release() {
      for (const response of held.splice(0)) response.writeHead(204).end()
    },
  }
}

async function publish({ postern, key }: Pick<Sender, 'postern' | 'key'>, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({ type: 'agent.run.completed', data: RUN }))
  const answer = await callsOf(postern, key).post('/v1/events/batch', { events })
  assert.equal(answer.status, 202, answer.text)
}

onBothEngines('the number of calls that a destination gets at once', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)
  const cleanups: (() => Promise<unknown>)[] = []
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  })

  it('begins with 4, grows while answers arrive with stable latency, and is kept over a restart', async () => {
    const first = await startPostern(engine)
    const admin = await administrator(first)
    const key = await apiKey(first, admin)
    const own = await sender()
    const destination = await own.receiver()
    const hold = holding()
    destination.answer = hold.answer
    const { body: webhook } = await callsOf(first, key).post('/v1/webhooks', {
      url: destination.url,
      events: ['*'],
    })
    assert.equal(webhook.maxInFlight, 256)
    await publish({ postern: first, key }, 400)
    await until(
      () => hold.held.length,
      (open) => open === 4,
      { what: '4 calls at once' },
    )
    // Much longer than the delays of a busy machine, because the limit grows only while the latency is stable.
    const stopAnswering = repeat(systemClock, 400, hold.release)
    await until(hold.most, (most) => most >= 32, { what: '32 calls at once' })
    stopAnswering()
    destination.answer = (_call, response) => void response.writeHead(204).end()
    hold.release()
    const stats = (postern: Postern) => callsOf(postern, key).get(`/v1/webhooks/${webhook.id}/stats`)
    await until(
      () => stats(first),
      ({ body }) => body.deliveries.pending === 0,
      { what: 'all delivered' },
    )
    first.clock.advance(HEARTBEAT)
    const { body } = await until(
      () => stats(first),
      (answer) => answer.body.inFlight.level >= 32,
      {
        what: 'a level that is written down',
      },
    )
    assert.ok(body.inFlight.level <= 256)
    assert.equal(body.inFlight.parkedAt, null)
    await first.stop()

    const { DATA_DIR = '', DATABASE_URL } = first.env
    const second = await startPostern(engine, {
      env0: { DATA_DIR, ...(DATABASE_URL !== undefined && { DATABASE_URL }) },
    })
    cleanups.push(() => second.stop())
    const fresh = holding()
    destination.answer = fresh.answer
    await until(
      async () => {
        await publish({ postern: second, key }, 100)
        return fresh.held.length
      },
      (open) => open >= 32,
      { what: '32 calls at once, before the first was answered' },
    )
    destination.answer = (_call, response) => void response.writeHead(204).end()
    fresh.release()
  })

  test('is never more than `maxInFlight`', async () => {
    const own = await sender()
    const destination = await own.receiver()
    const hold = holding()
    destination.answer = hold.answer
    await own.register(destination.url, { maxInFlight: 6 })
    await publish(own, 200)
    const stopAnswering = repeat(systemClock, 20, hold.release)
    await destination.count(200)
    stopAnswering()
    hold.release()
    assert.ok(hold.most() >= 4 && hold.most() <= 6, `${hold.most()} at once`)
  })

  it('falls to one when the webhook is parked, with the moment in the stats', async () => {
    const own = await sender()
    const destination = await own.receiver()
    destination.answer = (_call, response) => void response.writeHead(503).end()
    const { id } = await own.register(destination.url)
    await publish(own, 40)
    const parked = await until(
      async () => {
        await advanceAtRest(own.postern, HEARTBEAT)
        return (await (await calls()).get(`/v1/webhooks/${id}/stats`)).body.inFlight
      },
      ({ parkedAt }) => parkedAt !== null,
      { what: 'a webhook that is parked' },
    )
    assert.equal(parked.level, 1)
    // The figure is read from the table every ten seconds.
    await until(
      async () => {
        await advanceAtRest(own.postern, HEARTBEAT)
        return (await own.postern.client().get('/metrics')).text
      },
      (text) => /^postern_webhooks_parked [1-9]/m.test(text),
      { what: 'the parked webhook in the metrics' },
    )
    assert.match((await run(own.postern, 'doctor')).out, /^ok +Parked +[1-9]\d* webhooks? parked: /m)
    destination.answer = (_call, response) => void response.writeHead(204).end()
    const opened = await until(
      async () => {
        await advanceAtRest(own.postern, HEARTBEAT)
        return (await (await calls()).get(`/v1/webhooks/${id}/stats`)).body.inFlight
      },
      ({ parkedAt }) => parkedAt === null,
      { what: 'a webhook that is not parked' },
    )
    assert.ok(opened.level >= 1)
  })
})

onBothEngines('a destination with `maxPerSecond`', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const PACE = 10 * SECOND

  /** Waits until deliveries are stored as delivered, because moving the clock ends calls in flight. */
  async function delivered({ postern, key }: Sender, id: string, count: number) {
    const stats = () => callsOf(postern, key).get(`/v1/webhooks/${id}/stats?window=3d`)
    const { body } = await until(stats, (answer) => answer.body.deliveries.delivered === count, {
      what: `${count} delivered`,
    })
    assert.equal(body.deliveries.failed, 0)
  }

  test('gets no more calls a second, and deliveries that wait for the rate are neither late nor failed', async () => {
    const own = await sender()
    const destination = await own.receiver()
    const { id } = await own.register(destination.url, { maxPerSecond: SECOND / PACE })
    await publish(own, 4)
    await delivered(own, id, 1)
    await turnsTaken(own)
    assert.equal(destination.received.length, 1)
    own.postern.clock.advance(PACE - 4 * SECOND)
    await delivered(own, id, 2)
    // Its own schedule alone would have ended by then.
    own.postern.clock.advance(DAY + HOUR)
    await delivered(own, id, 3)
    await turnsTaken(own)
    assert.equal(destination.received.length, 3)
    const { body: ready } = await own.postern.client().get('/readyz')
    assert.deepEqual(ready.checks, { database: 'ok', deliveries: 'ok' })
    own.postern.clock.advance(PACE)
    await delivered(own, id, 4)
    const late = own.postern
      .log()
      .split('\n')
      .filter((line) => line.includes(`"webhookId":"${id}"`) && line.includes('"msg":"attempt"'))
      .map((line) => JSON.parse(line).lateMs as number)
    assert.equal(late.length, 4)
    assert.ok(Math.max(...late) < PACE, `late by ${late}`)
  })

  it('has 24 hours for retries of a delivery that waited longer for the rate', async () => {
    const own = await sender()
    const destination = await own.receiver()
    const { id } = await own.register(destination.url, { maxPerSecond: SECOND / PACE })
    await publish(own, 2)
    await delivered(own, id, 1)
    destination.answer = (_call, response) => void response.writeHead(503).end()
    own.postern.clock.advance(DAY + HOUR)
    await destination.count(2)
    const waiting = await own.delivery(
      id,
      ({ attemptCount, nextAttemptAt }) => attemptCount === 1 && nextAttemptAt !== null,
    )
    assert.equal(waiting.status, 'pending')
    destination.answer = (_call, response) => void response.writeHead(204).end()
    own.postern.clock.advance(PACE)
    await destination.count(3)
    await own.delivery(id, ({ status }) => status === 'delivered')
  })

  test('can get another rate, or none', async () => {
    const own = await sender()
    const destination = await own.receiver()
    const { id } = await own.register(destination.url, { maxPerSecond: 0.1 })
    const client = callsOf(own.postern, own.key)
    await publish(own, 30)
    await destination.count(1)
    const answer = await client.patch(`/v1/webhooks/${id}`, { maxPerSecond: null })
    assert.equal(answer.body.maxPerSecond, null)
    await publish(own, 1)
    await destination.count(31)
  })
})
