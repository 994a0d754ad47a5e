import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { onBothEngines, type Postern, usePostern } from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** A metric as `/metrics` shows it. */
async function metric(postern: Postern, name: string): Promise<number> {
  const { text, status } = await postern.client().get('/metrics')
  assert.equal(status, 200, text)
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  assert.ok(line, `${name} is not there`)
  return Number(line.split(' ')[1])
}

const FRESH = 10 * SECOND
const RUN_EVENT = { type: 'agent.run.completed', data: RUN }
const batchOf = (size: number) => ({ events: Array.from({ length: size }, () => RUN_EVENT) })

onBothEngines('the metrics of waiting deliveries', (engine) => {
  const sender = useSender(usePostern(engine))

  it('count deliveries by state, thousands too, and are read again after ten seconds', async () => {
    const { postern, key, receiver, register } = await sender()
    const calls = callsOf(postern, key)
    const states = ['due', 'scheduled', 'held', 'claimed'] as const
    const read = () =>
      Promise.all(states.map((state) => metric(postern, `postern_deliveries{state="${state}"}`)))
    assert.deepEqual(await read(), [0, 0, 0, 0])
    const destination = await receiver()
    const paused = [await register(destination.url), await register(destination.url)]
    for (const { id } of paused) await calls.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const published = () => metric(postern, 'postern_events_total{source="published"}')
    const before = await published()
    for (let batch = 0; batch < 3; batch += 1) await calls.post('/v1/events/batch', batchOf(1_000))
    await until(
      async () => {
        await advanceAtRest(postern, FRESH)
        return metric(postern, 'postern_deliveries{state="unwritten"}')
      },
      (unwritten) => unwritten === 0,
    )
    assert.deepEqual(await read(), [0, 0, 6_000, 0])
    assert.equal(await published(), before + 3_000)
    // One delivery waits for a retry, and one is in flight.
    for (const { id } of paused) await calls.delete(`/v1/webhooks/${id}`)
    destination.answer = (call, response) => {
      if (call.path === '/failing') response.writeHead(503).end()
    }
    const { id: failing } = await register(`${destination.url}/failing`)
    await register(`${destination.url}/slow`)
    await calls.post('/v1/events', RUN_EVENT)
    const attempts = (count: number) =>
      until(
        () => calls.get(`/v1/webhooks/${failing}/deliveries`),
        ({ body }) => body.data[0]?.attemptCount === count,
      )
    await attempts(1)
    postern.clock.advance(FRESH)
    await attempts(2)
    assert.deepEqual(await read(), [0, 1, 0, 1])
    assert.equal(await metric(postern, 'postern_delivery_attempts_in_flight'), 1)
    assert.ok((await metric(postern, 'postern_delivery_attempt_lateness_seconds_count')) >= 2)
    await destination.stop()
  })

  it('are read from the tables once in ten seconds', async () => {
    const { postern, key, register } = await sender()
    const calls = callsOf(postern, key)
    const { id } = await register('http://127.0.0.1:1/')
    await calls.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const held = () => metric(postern, 'postern_deliveries{state="held"}')
    using _still = postern.clock.stop()
    postern.clock.advance(FRESH)
    const before = await held()
    await calls.post('/v1/events', RUN_EVENT)
    postern.clock.advance(FRESH - 1)
    assert.equal(await held(), before)
    postern.clock.advance(1)
    assert.equal(await held(), before + 1)
  })
})

onBothEngines('a backlog without a worker', (engine) => {
  const server = usePostern(engine)
  const sender = useSender(server)
  const other = useSender(server)

  it('counts as late in /readyz after a minute, and /readyz stays 200', async () => {
    const { postern, publish, receiver, register } = await sender()
    const destination = await receiver()
    let answer = () => {}
    destination.answer = (_call, response) => {
      answer = () => void response.writeHead(204).end()
    }
    await register(destination.url, { maxInFlight: 1 })
    const ready = async () => {
      const { status, body } = await postern.client().get('/readyz')
      assert.deepEqual([status, body.status], [200, 'ok'])
      return String(body.checks.deliveries)
    }
    using _still = postern.clock.stop()
    // One after the other, each answered shortly before its deadline.
    for (let event = 0; event < 4; event += 1) await publish()
    for (const call of [1, 2]) {
      await destination.count(call)
      postern.clock.advance(29 * SECOND)
      assert.equal(await ready(), 'ok')
      answer()
    }
    await destination.count(3)
    postern.clock.advance(3 * SECOND)
    assert.equal(await ready(), '61 s late')
    answer()
    await destination.count(4)
    assert.equal(await ready(), 'ok')
    answer()
  })

  it('is counted as due, and its age is shown', async () => {
    const { postern, key, receiver, register } = await other()
    const destination = await receiver()
    destination.answer = () => {}
    await register(destination.url)
    // The first batch is longer than a lane.
    for (const size of [300, 10]) await callsOf(postern, key).post('/v1/events/batch', batchOf(size))
    await destination.count(1)
    postern.clock.advance(MINUTE / 3)
    const count = (state: string) => metric(postern, `postern_deliveries{state="${state}"}`)
    await until(
      async () => ({ due: await count('due'), claimed: await count('claimed') }),
      ({ due, claimed }) => due + claimed === 310 && due > 0,
      { what: 'all of them to be written, and the last to wait for room' },
    )
    const oldest = await metric(postern, 'postern_deliveries_oldest_due_seconds')
    assert.ok(oldest >= 20, `${oldest} s`)
    await destination.stop()
  })
})
