import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { nightly } from '../support/nightly.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { answering } from '../support/replays.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

onBothEngines('why a delivery waits', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  /** A new webhook whose destination answers no call before `release`. */
  async function stand(more: object = {}) {
    const { postern, key, receiver, register } = await sender()
    const calls = callsOf(postern, key)
    const destination = await receiver()
    const held: ServerResponse[] = []
    destination.answer = (_call, response) => void held.push(response)
    const { id } = await register(destination.url, more)
    const path = `/v1/webhooks/${id}`
    return {
      ...{ postern, calls, destination, id, path },
      async publish(count: number): Promise<void> {
        const events = Array.from({ length: count }, () => ({ type: 'agent.run.completed', data: RUN }))
        assert.equal((await calls.post('/v1/events/batch', { events })).status, 202)
      },
      /** The reasons of all its waiting deliveries, the oldest first. */
      async reasons(): Promise<{ reason: string; until: string | null }[]> {
        const { data } = (await calls.get(`${path}/deliveries?limit=100`)).body
        const found = []
        for (const one of data.toReversed()) found.push((await calls.get(`/v1/deliveries/${one.id}`)).body)
        return found.map(({ waiting }) => waiting).filter((waiting) => waiting !== null)
      },
      /** Stops further deliveries to it. */
      async end(): Promise<void> {
        assert.equal((await calls.delete(path)).status, 204)
      },
      release(): void {
        destination.answer = answering(204)
        for (const response of held.splice(0)) response.writeHead(204).end()
      },
      async isDrained(): Promise<void> {
        await until(
          async () => (await calls.get(`${path}/stats`)).body.deliveries.pending,
          (pending) => pending === 0,
          { what: 'all delivered' },
        )
      },
    }
  }

  it('is `attempting` until its answer arrives', async () => {
    const { destination, publish, reasons, release, isDrained } = await stand()
    await publish(1)
    await destination.count(1)
    assert.deepEqual(await reasons(), [{ reason: 'attempting', until: null }])
    release()
    await isDrained()
    assert.deepEqual(await reasons(), [])
  })

  it('is `in_flight` beyond the calls at once that its webhook allows', async () => {
    const { destination, publish, reasons, release, isDrained } = await stand({ maxInFlight: 2 })
    await publish(5)
    await destination.count(2)
    const expected = [...Array(2).fill('attempting'), ...Array(3).fill('in_flight')]
    assert.deepEqual(
      await reasons(),
      expected.map((reason) => ({ reason, until: null })),
    )
    release()
    await isDrained()
  })

  it('is `rate`, and `attempting` for the next one that the rate allows', async () => {
    const { postern, destination, publish, reasons, release, end } = await stand({ maxPerSecond: 0.1 })
    const stood = postern.clock.stop()
    try {
      await publish(4)
      await destination.count(1)
      assert.deepEqual(
        (await reasons()).map(({ reason }) => reason),
        ['attempting', 'rate', 'rate', 'rate'],
      )
      release()
      const left = await until(reasons, ({ length }) => length === 3, { what: 'one delivered' })
      assert.deepEqual(
        left.map(({ reason }) => reason),
        ['attempting', 'rate', 'rate'],
      )
    } finally {
      stood[Symbol.dispose]()
    }
    await end()
  })

  test('is `webhook_disabled` or `webhook_paused` until the webhook is resumed', async () => {
    const { calls, destination, path, publish, reasons, isDrained } = await stand({ maxInFlight: 1 })
    destination.answer = answering(410)
    await publish(3)
    await until(
      async () => (await calls.get(path)).body.status,
      (status) => status === 'disabled',
      { what: 'a webhook that is gone' },
    )
    assert.deepEqual(await reasons(), Array(2).fill({ reason: 'webhook_disabled', until: null }))
    destination.answer = answering(204)
    assert.equal((await calls.patch(path, { status: 'paused' })).status, 200)
    assert.deepEqual(await reasons(), Array(2).fill({ reason: 'webhook_paused', until: null }))
    assert.equal((await calls.patch(path, { status: 'active' })).status, 200)
    await isDrained()
  })

  it('counts each delivery once in problems, as waiting or as failed, while deliveries are attempted and retried', async () => {
    const { postern, calls, destination, id, publish, end } = await stand()
    let answered = 0
    destination.answer = (_call, response) => {
      answered += 1
      response.writeHead(answered % 3 === 0 ? 400 : 503).end()
    }
    const made = nightly(400, 150)
    await publish(made)
    for (let read = 0; read < nightly(60, 30); read += 1) {
      if (read % 6 === 5) postern.clock.advance(MINUTE)
      const { data } = (await calls.get('/v1/problems')).body
      const problem = data.find(({ subjectId }: { subjectId: string }) => subjectId === id)
      const [waiting, failed] = [problem?.waiting?.count ?? 0, problem?.failed?.count ?? 0]
      assert.ok(waiting + failed <= made, `${waiting} wait and ${failed} failed of ${made}`)
    }
    await end()
  })
})
