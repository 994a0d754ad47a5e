import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isCode, Postern, PosternError } from '#sdk/postern.ts'
import { verify } from '#sdk/webhooks.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { RUN, useSender } from '../support/webhooks.ts'

onBothEngines('the SDK', (engine) => {
  const sender = useSender(usePostern(engine))
  const client = async () => {
    const { postern, key } = await sender()
    return new Postern({ baseUrl: `${postern.url}/`, apiKey: key })
  }

  it('registers a webhook, publishes an event, verifies what arrives by both signatures, and reads its delivery', async () => {
    const api = await client()
    const { postern, receiver } = await sender()
    const { url, count } = await receiver()
    const webhook = await api.webhooks.create({ url, events: ['agent.run.completed'] })
    const event = await api.events.publish({ type: 'agent.run.completed', data: RUN })
    const [call] = await count(1)
    assert.ok(call)
    const { body, headers } = call
    const now = postern.clock.now()
    for (const scheme of ['standard', 'service'] as const) {
      const read = await verify({ body, headers, secrets: webhook.secret, now, scheme })
      assert.equal(read.id, event.id)
      assert.deepEqual(read.data, RUN)
    }
    const [listed] = await until(
      () => api.webhooks.deliveries(webhook.id).take(1),
      ([one]) => one?.status === 'delivered',
    )
    assert.equal((await api.deliveries.read(listed?.id ?? '')).attempts[0]?.statusCode, 204)
    await api.webhooks.delete(webhook.id)
  })

  it('goes through the pages of a list, takes its first things, and stops where it is told to', async () => {
    const api = await client()
    const made = []
    for (let at = 0; at < 5; at++)
      made.push(
        (await api.webhooks.create({ url: 'https://example.com/', events: ['*'], description: `${at}` })).id,
      )
    const list = api.webhooks.list({ limit: 2 })
    const ids = []
    for await (const { id } of list) ids.push(id)
    assert.deepEqual(ids, made.reverse())
    const first = await list.page()
    assert.deepEqual(
      first.data.map(({ id }) => id),
      ids.slice(0, 2),
    )
    const second = await list.page(first.nextCursor ?? '')
    assert.deepEqual(
      second.data.map(({ id }) => id),
      ids.slice(2, 4),
    )
    assert.deepEqual(
      (await list.take(3)).map(({ id }) => id),
      ids.slice(0, 3),
    )
    assert.deepEqual(await list.take(0), [])
    for (const id of ids) await api.webhooks.delete(id)
  })

  it('throws what the catalogue says, by its code', async () => {
    const api = await client()
    const problem = (error: unknown) => {
      assert.ok(isCode(error, 'VALIDATION_FAILED') || isCode(error, 'MISSING_REQUIRED_FIELD'))
      assert.equal(error.details.field, 'url')
      assert.equal(error.status, 400)
      assert.match(error.requestId ?? '', /^req_/)
      return true
    }
    await assert.rejects(api.webhooks.create({ events: ['*'] } as never), problem)
    const gone = await api.webhooks.read(`whk_01a2029b-705e-7606-a85c-6298b135787f`).catch((error) => error)
    assert.ok(gone instanceof PosternError && isCode(gone, 'ENTITY_NOT_FOUND'))
    assert.equal(isCode(gone, 'DUPLICATE'), false)
    const { postern } = await sender()
    const stranger = new Postern({ baseUrl: postern.url, apiKey: 'psk_nobody' })
    await assert.rejects(stranger.webhooks.list().page(), (error) => isCode(error, 'UNAUTHORIZED'))
  })

  it('publishes once however often the same call is made with its key', async () => {
    const api = await client()
    const event = { type: 'agent.run.completed', data: RUN } as const
    const [one, two] = [
      await api.events.publish(event, { idempotencyKey: 'the-same' }),
      await api.events.publish(event, { idempotencyKey: 'the-same' }),
    ]
    assert.equal(one.id, two.id)
    assert.notEqual((await api.events.publish(event)).id, one.id)
  })
})
