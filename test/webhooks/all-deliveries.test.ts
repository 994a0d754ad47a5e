import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { toIso } from '#src/core/clock.ts'
import { type Id, momentOf } from '#src/core/id.ts'
import { MOST_PASSED } from '#src/webhooks/deliveries/list-deliveries.ts'
import { assertError } from '../support/attacks.ts'
import { writeDeliveries, writeWebhooks } from '../support/many-webhooks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { type Calls, callsOf, readAll, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** The members of an item that these tests read. */
interface Listed {
  id: string
  webhookId: string
  eventId: string
  status: string
  attemptCount: number
}

onBothEngines('the deliveries of an organization', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

  /** A new organization, so that its list has only its own items. */
  async function tenant() {
    const { postern } = await sender()
    const admin = await administrator(postern)
    const own = callsOf(postern, await apiKey(postern, admin))
    return { postern, own, organizationId: admin.organizationId as Id<'organization'> }
  }

  /** The list as a table. */
  async function table(own: Calls, query: string): Promise<{ id: string }[]> {
    const { status, text } = await own.get(`/v1/deliveries?${query}`, { accept: 'text/csv' })
    assert.equal(status, 200, text)
    return parse(text, { columns: true }) as { id: string }[]
  }

  it('are listed newest first over all webhooks, with every filter, page by page', async () => {
    const { postern, own } = await tenant()
    const { receiver } = await sender()
    const destination = await receiver()
    // Temporary failures are retried only after the end of the test, even on a slow machine.
    destination.answer = ({ event }, response) =>
      void response.writeHead(Number(event.data.answer), { 'retry-after': '600' }).end()
    const register = async (url: string, events: string[]) =>
      (await own.post('/v1/webhooks', { url, events })).body.id as string
    const one = await register(`${destination.url}/one`, ['agent.run.completed'])
    const two = await register(`${destination.url}/two`, ['file.processed', 'agent.run.completed'])
    const made: Listed[] = []
    const publish = async (answer: number, type = 'agent.run.completed') => {
      const event = await own.post('/v1/events', { type, data: { ...RUN, answer } })
      const rows = await until(
        async () => (await own.get(`/v1/deliveries?eventId=${event.body.id}`)).body.data,
        (all) => all.length === event.body.deliveries && all.every((row: Listed) => row.attemptCount > 0),
      )
      made.unshift(...rows)
      return rows
    }
    await publish(200)
    const [failed] = await publish(404)
    const [waiting] = await publish(503, 'file.processed')
    postern.clock.advance(10)
    const since = toIso(postern.clock.now())
    postern.clock.advance(10)
    const [late] = await publish(302, 'file.processed')
    assert.equal(made.length, 6)
    const expected = ids(made).toSorted().reverse()
    for (const limit of [1, 2, 100])
      assert.deepEqual(ids(await readAll(own, '/v1/deliveries', limit)), expected)
    const of = (holds: (row: Listed) => boolean) =>
      expected.filter((id) => holds(made.find((row) => row.id === id) as Listed))
    const listed = async (query: string) => ids(await readAll(own, `/v1/deliveries?${query}`, 1))
    assert.deepEqual(
      await listed('status=failed'),
      of(({ status }) => status === 'failed'),
    )
    assert.deepEqual(
      await listed('status=pending,failed'),
      of(({ status }) => status !== 'delivered'),
    )
    assert.deepEqual(await listed('status=held'), [])
    assert.deepEqual(
      await listed(`webhookId=${one}`),
      of(({ webhookId }) => webhookId === one),
    )
    assert.deepEqual(
      await listed(`webhookId=${two}&status=delivered`),
      of((row) => row.webhookId === two && row.status === 'delivered'),
    )
    assert.deepEqual(await listed('eventType=file.processed'), [late.id, waiting.id])
    assert.deepEqual(
      await listed('statusCode=404'),
      of(({ eventId }) => eventId === failed.eventId),
    )
    assert.deepEqual(await listed('statusCode=5xx'), [waiting.id])
    assert.deepEqual(await listed('errorClass=http_5xx,http_3xx'), [late.id, waiting.id])
    assert.deepEqual(await listed(`since=${since}`), [late.id])
    assert.deepEqual(
      await listed(`until=${since}`),
      of(({ id }) => id !== late.id),
    )
    assert.deepEqual(
      await listed(`eventId=${failed.eventId}&webhookId=${two}`),
      of((row) => row.eventId === failed.eventId && row.webhookId === two),
    )

    const row = (await own.get(`/v1/deliveries?statusCode=503`)).body.data[0]
    assert.deepEqual(
      { ...row, nextAttemptAt: '', createdAt: '', updatedAt: '' },
      {
        id: waiting.id,
        webhookId: two,
        url: `${destination.url}/two`,
        eventId: waiting.eventId,
        eventType: 'file.processed',
        status: 'pending',
        reason: 'http_503',
        test: false,
        attemptCount: 1,
        lastStatusCode: 503,
        lastErrorClass: 'http_5xx',
        nextAttemptAt: '',
        createdAt: '',
        updatedAt: '',
        endedAt: null,
      },
    )
    assert.ok(row.nextAttemptAt > row.createdAt)
    const asText = ([name, value]: [string, unknown]) => [name, String(value ?? '')]
    assert.deepEqual(await table(own, 'statusCode=503'), [
      Object.fromEntries(Object.entries(row).map(asText)),
    ])
    assert.deepEqual(ids(await table(own, 'limit=1')), ids(await readAll(own, '/v1/deliveries')))
    const ended = (await own.get('/v1/deliveries?status=delivered&limit=1')).body.data[0]
    assert.equal(ended.endedAt, ended.updatedAt)
    assert.deepEqual([ended.lastStatusCode, ended.lastErrorClass], [200, null])

    await own.patch(`/v1/webhooks/${two}`, { status: 'paused' })
    assert.deepEqual(await listed('status=held'), [waiting.id])
    assert.equal((await own.delete(`/v1/webhooks/${two}`)).status, 204)
    assert.ok((await listed('status=failed')).includes(waiting.id))
    assert.deepEqual(await listed(''), expected)
  })

  test('exclude deliveries of other organizations, even by webhook or event', async () => {
    const { postern, own } = await tenant()
    const webhook = await own.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] })
    const event = await own.post('/v1/events', { type: 'file.processed', data: {} })
    assert.equal((await own.get('/v1/deliveries')).body.data.length, 1)
    const stranger = callsOf(postern, await apiKey(postern, await administrator(postern)))
    for (const query of ['', `?webhookId=${webhook.body.id}`, `?eventId=${event.body.id}`])
      assert.deepEqual((await stranger.get(`/v1/deliveries${query}`)).body, { data: [], nextCursor: null })
  })

  test('refuse an invalid filter', async () => {
    const { own } = await tenant()
    for (const [query, code, field] of [
      ['status=ended', 'VALIDATION_FAILED', 'status'],
      ['status=failed,', 'VALIDATION_FAILED', 'status'],
      ['statusCode=50x', 'VALIDATION_FAILED', 'statusCode'],
      ['errorClass=bad', 'VALIDATION_FAILED', 'errorClass'],
      ['since=yesterday', 'VALIDATION_FAILED', 'since'],
      ['webhookId=whk_1', 'INVALID_UUID', 'webhookId'],
      ['type=file.processed', 'VALIDATION_FAILED', 'type'],
    ] as const)
      assertError(await own.get(`/v1/deliveries?${query}`), code, { field })
  })

  it('merge the lists of many webhooks exactly', async () => {
    const { postern, own, organizationId } = await tenant()
    const { database } = postern.app
    const now = postern.clock.now()
    const webhooks = await writeWebhooks(database, organizationId, 130, now)
    // Some have very many, most a few, some none; a fixed sequence of numbers selects the webhook.
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const rows = await writeDeliveries(postern, organizationId, 3_000, () => {
      const skewed = random(2) === 0 ? random(3) : random(120)
      return {
        webhook_id: webhooks[skewed] as Id<'webhook'>,
        status: random(40) === 0 ? 'failed' : 'delivered',
      }
    })
    const newest = rows.toReversed()
    assert.deepEqual(ids(await readAll(own, '/v1/deliveries')), ids(newest))
    assert.deepEqual(
      ids(await readAll(own, '/v1/deliveries?status=failed')),
      ids(newest.filter(({ status }) => status === 'failed')),
    )
  })

  it('are read up to a limit for one page, and its cursor continues from there', async () => {
    const { postern, own, organizationId } = await tenant()
    const [webhookId] = await writeWebhooks(postern.app.database, organizationId, 1, postern.clock.now())
    const rows = await writeDeliveries(postern, organizationId, MOST_PASSED + 2_000, (index) => ({
      webhook_id: webhookId as Id<'webhook'>,
      status: index === 0 ? 'failed' : 'delivered',
    }))
    const first = (await own.get('/v1/deliveries?status=failed')).body
    assert.deepEqual(first.data, [])
    assert.notEqual(first.nextCursor, null)
    const second = (await own.get(`/v1/deliveries?status=failed&cursor=${first.nextCursor}`)).body
    assert.deepEqual(ids(second.data), [rows[0]?.id])
    assert.equal(second.nextCursor, null)
    assert.deepEqual(ids(await table(own, 'status=failed')), [rows[0]?.id])
    assert.deepEqual(
      ids(await table(own, `until=${toIso(momentOf(rows[700]?.id as Id<'delivery'>))}`)),
      ids(rows.slice(0, 700)).reverse(),
    )
  })
})
