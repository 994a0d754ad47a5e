import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { toIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

const FILE = { type: 'file.processed', data: { fileId: 'file_1' } }

onBothEngines('the events of an organization', (engine) => {
  const server = usePostern(engine)
  const sender = useSender(server)

  it('are narrowed by type, time and the beginning of an id, and given as a table', async () => {
    const { postern } = await sender()
    const key = await apiKey(postern, await administrator(postern))
    const calls = callsOf(postern, key)
    const publish = async (event: object) => {
      // Two events of one millisecond would begin alike.
      postern.clock.advance(100_000)
      return (await calls.post('/v1/events', event)).body
    }
    const begin = toIso(postern.clock.now() + 1)
    const first = await publish({ type: 'agent.run.completed', data: RUN })
    const second = await publish(FILE)
    const third = await publish({ type: 'agent.run.completed', data: { ...RUN, output: '=1+1' } })
    const ids = async (query: string) => {
      const answer = await calls.get(`/v1/events?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await ids(`since=${begin}`), [third.id, second.id, first.id])
    assert.deepEqual(await ids('type=file.processed'), [second.id])
    assert.deepEqual(await ids(`since=${second.createdAt}`), [third.id, second.id])
    assert.deepEqual(await ids(`since=${begin}&until=${second.createdAt}`), [first.id])
    assert.deepEqual(await ids(`since=${toIso(0)}&until=${toIso(1)}`), [])
    assert.deepEqual(await ids(`id=${second.id}`), [second.id])
    assert.deepEqual(await ids(`id=${second.id.slice(0, 17)}`), [second.id])
    assert.deepEqual(await ids(`id=evt_&since=${begin}`), [third.id, second.id, first.id])
    assert.deepEqual(await ids('id=evt_ffff'), [])
    for (const query of ['id=dlv_1', 'id=evt_%25', "id=evt_'", 'since=1', 'until=later'])
      assertError(await calls.get(`/v1/events?${query}`), 'VALIDATION_FAILED')
    const { text } = await postern
      .client()
      .get(`/v1/events?since=${begin}`, { token: key, headers: { accept: 'text/csv' } })
    const rows = parse(text, { columns: true }) as Record<string, string>[]
    assert.deepEqual(
      rows.map(({ id, type, data }) => [id, type, JSON.parse(data ?? '')]),
      [
        [third.id, 'agent.run.completed', { ...RUN, output: '=1+1' }],
        [second.id, FILE.type, FILE.data],
        [first.id, 'agent.run.completed', RUN],
      ],
    )
  })

  it('are tried without being published: checked as they would be, with the webhooks that they would go to', async () => {
    const { postern, key, register, receiver } = await sender()
    const receiving = await receiver()
    const { url } = receiving
    const asking = await register(url, { events: ['file.processed'] })
    const every = await register(url, { events: ['*'] })
    await register(url, { events: ['agent.run.completed'] })
    const calls = callsOf(postern, key)
    await calls.patch(`/v1/webhooks/${every.id}`, { status: 'paused' })
    const before = (await calls.get('/v1/events')).body.data
    const answer = await calls.post('/v1/events?dryRun=true', FILE)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, {
      dryRun: true,
      type: FILE.type,
      deliveries: 2,
      webhooks: [
        { id: asking.id, url, status: 'active' },
        { id: every.id, url, status: 'paused' },
      ],
    })
    assert.deepEqual((await calls.get('/v1/events')).body.data, before)
    assert.equal(receiving.received.length, 0)
    assert.equal((await calls.post('/v1/events?dryRun=false', FILE)).status, 202)
    for (const [body, code] of [
      [{ type: 'no.such', data: {} }, 'VALIDATION_FAILED'],
      [{ type: 'webhook.test', data: {} }, 'VALIDATION_FAILED'],
      [{ type: 'agent.run.completed', data: { runId: 7 } }, undefined],
      [{ type: 'file.processed' }, 'MISSING_REQUIRED_FIELD'],
    ] as const) {
      const [dry, real] = [
        await calls.post('/v1/events?dryRun=true', body),
        await calls.post('/v1/events', body),
      ]
      assert.ok(real.status >= 400)
      assert.equal(dry.status, real.status)
      assert.deepEqual(
        { ...dry.body.error, requestId: '' },
        { ...real.body.error, requestId: '' },
        'the same as if it were published',
      )
      if (code !== undefined) assertError(dry, code)
    }
    assertError(await calls.post('/v1/events?dryRun=maybe', FILE), 'TYPE_MISMATCH', { field: 'dryRun' })
  })

  it('are tried without being published under an Idempotency-Key that stays free', async () => {
    const { postern, key } = await sender()
    const calls = callsOf(postern, key)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    assert.equal((await calls.post('/v1/events?dryRun=true', FILE, headers)).status, 200)
    const real = await calls.post('/v1/events', FILE, headers)
    assert.equal(real.status, 202, real.text)
    assert.equal(real.headers.get('idempotent-replayed'), null)
  })
})
