import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import type { Receiver } from '../support/receiver.ts'
import { answering, ended, fail, LONG_AGO } from '../support/replays.ts'
import { type Calls, callsOf, readAll, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** Asks for ten minutes before the next attempt. */
const later: Receiver['answer'] = (_call, response) =>
  void response.writeHead(503, { 'retry-after': String((10 * MINUTE) / SECOND) }).end()

onBothEngines('deliveries of all webhooks', (engine) => {
  const sender = useSender(usePostern(engine))

  /** An organization with so many webhooks. */
  async function make(count = 2) {
    const { postern, receiver } = await sender()
    const own = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const webhooks: { id: string; destination: Receiver }[] = []
    for (let made = 0; made < count; made += 1) {
      const destination = await receiver()
      const webhook = { url: destination.url, events: ['agent.run.completed'] }
      const { id } = (await own.post('/v1/webhooks', webhook)).body
      webhooks.push({ id, destination })
    }
    return { webhooks, own }
  }

  const answerAll = (webhooks: { destination: Receiver }[], answer: Receiver['answer']) => {
    for (const { destination } of webhooks) destination.answer = answer
  }

  /** Publishes an event of which every delivery waits after its first attempt. */
  async function leaveWaiting(own: Calls, webhooks: { destination: Receiver }[]): Promise<string> {
    answerAll(webhooks, later)
    const { id } = (await own.post('/v1/events', { type: 'agent.run.completed', data: RUN })).body
    await until(
      async () => (await own.get(`/v1/deliveries?eventId=${id}`)).body.data as { attemptCount: number }[],
      (rows) => rows.length === webhooks.length && rows.every(({ attemptCount }) => attemptCount === 1),
    )
    return id
  }

  it('are made again by one replay, which is counted first, listed and read', async () => {
    const { webhooks, own } = await make()
    answerAll(webhooks, answering(400))
    const [first] = webhooks
    await fail(own, first?.id ?? '', 3)
    await until(
      async () => (await own.get('/v1/deliveries?status=failed')).body.data,
      (rows) => rows.length === 6,
    )
    answerAll(webhooks, answering(200))
    const tried = await own.post('/v1/replays', { since: LONG_AGO, dryRun: true })
    assert.deepEqual([tried.status, tried.body], [200, { matched: 6, atLeast: false }])
    assert.deepEqual((await own.get('/v1/replays')).body.data, [])
    const begun = await own.post('/v1/replays', { since: LONG_AGO })
    assert.equal(begun.status, 202, begun.text)
    assert.equal(begun.body.webhookId, null)
    const done = await ended(own, begun.body.id)
    assert.deepEqual([done.status, done.total, done.replayed], ['completed', 6, 6])
    assert.deepEqual((await own.get('/v1/replays')).body.data, [done])
    for (const { destination } of webhooks) await destination.count(6)
  })

  it('that wait are due now, and those that failed are made again', async () => {
    const { webhooks, own } = await make()
    answerAll(webhooks, answering(400))
    await fail(own, webhooks[0]?.id ?? '', 1)
    await until(
      async () => (await own.get('/v1/deliveries?status=failed')).body.data,
      (rows) => rows.length === 2,
    )
    const waiting = await leaveWaiting(own, webhooks)
    answerAll(webhooks, answering(200))
    const count = async (body: object) =>
      (await own.post('/v1/deliveries/retry', { ...body, dryRun: true })).body.matched
    assert.equal(await count({ status: 'pending' }), 2)
    assert.equal(await count({ status: 'failed' }), 2)
    assert.equal(await count({}), 4)
    const begun = await own.post('/v1/deliveries/retry', { status: 'pending' })
    assert.equal(begun.status, 202, begun.text)
    assert.equal((await ended(own, begun.body.id)).replayed, 2)
    const rows = await until(
      () => readAll(own, `/v1/deliveries?eventId=${waiting}`),
      (all) => all.every(({ status }) => status === 'delivered'),
    )
    assert.deepEqual(
      rows.map(({ attemptCount }) => attemptCount),
      [2, 2],
      'they are the same deliveries',
    )
    const rest = await own.post('/v1/deliveries/retry', {})
    assert.equal((await ended(own, rest.body.id)).replayed, 2)
    await until(
      () => readAll(own, '/v1/deliveries?status=delivered'),
      (all) => all.length === 4,
    )
  })
})
