import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { CompiledQuery, sql } from 'kysely'
import { toIso } from '#src/core/clock.ts'
import { type Id, idFloor } from '#src/core/id.ts'
import { selectEvents } from '#src/webhooks/events/event-list.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** Events of another publisher. */
const MANY = 100_000
const LONG_AGO = 0
const FILE = { type: 'file.processed', data: { fileId: 'file_1' } }

onBothEngines('the events of an organization', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const sender = useSender(server)

  it('are filtered by type, time and the beginning of an id, and returned as a table', async () => {
    const { postern } = await sender()
    const key = await apiKey(postern, await administrator(postern))
    const calls = callsOf(postern, key)
    const publish = async (event: object) => {
      // Ids of two events of one millisecond would have the same beginning.
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

  it('are filtered by their publisher, which the list shows', async () => {
    const { postern } = await sender()
    const admin = await administrator(postern)
    const [one, other] = [await apiKey(postern, admin), await apiKey(postern, admin)]
    const publish = async (token: string, path: string, body: object) => {
      const answer = await postern.client().post(path, body, { token })
      assert.equal(answer.status, 202, answer.text)
      return answer.body
    }
    const first = await publish(one, '/v1/events', FILE)
    const second = await publish(admin.token, '/v1/events', { type: 'agent.run.completed', data: RUN })
    const batch = await publish(one, '/v1/events/batch', {
      events: [FILE, { type: 'no.such', data: {} }, FILE],
    })
    const [third, , fourth] = batch.results
    const calls = callsOf(postern, other)
    const { data: keys } = (await calls.get('/v1/api-keys')).body
    const [ofOther, ofOne] = keys.map((key: { serviceAccountId: string }) => key.serviceAccountId)
    const found = async (query: string): Promise<{ id: string; actorId: string | null }[]> => {
      const answer = await calls.get(`/v1/events?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }
    const ids = async (query: string) => (await found(query)).map(({ id }) => id)
    assert.deepEqual(await ids(`actor=${ofOne}`), [fourth.id, third.id, first.id])
    assert.deepEqual(await ids(`actor=${ofOne}&limit=2`), [fourth.id, third.id])
    assert.deepEqual(await ids(`actor=${ofOne}&type=file.processed&id=${first.id}`), [first.id])
    assert.deepEqual(await ids(`actor=${ofOne}&type=agent.run.completed`), [])
    assert.deepEqual(await ids(`actor=${admin.accountId}`), [second.id])
    assert.deepEqual(await ids(`actor=${ofOther}`), [])
    assert.deepEqual(await ids('actor=%27%20or%201=1'), [])
    assertError(await calls.get('/v1/events?actor='), 'VALIDATION_FAILED', { field: 'actor' })
    // Events of the platform have no publisher.
    const all = await found('')
    assert.deepEqual(
      all.filter(({ actorId }) => actorId !== null).map(({ id, actorId }) => [id, actorId]),
      [
        [fourth.id, ofOne],
        [third.id, ofOne],
        [second.id, admin.accountId],
        [first.id, ofOne],
      ],
    )
    // A single event is exactly the signed text, byte for byte.
    assert.equal('actorId' in (await calls.get(`/v1/events/${second.id}`)).body, false)
    const table = await postern
      .client()
      .get(`/v1/events?actor=${ofOne}`, { token: other, headers: { accept: 'text/csv' } })
    const rows = parse(table.text, { columns: true }) as Record<string, string>[]
    assert.deepEqual(
      rows.map(({ actorId }) => actorId),
      [ofOne, ofOne, ofOne],
    )
    // Another organization finds nothing by it, and the id of a deleted service account stays.
    const stranger = callsOf(postern, await apiKey(postern, await administrator(postern)))
    assert.deepEqual((await stranger.get(`/v1/events?actor=${ofOne}`)).body.data, [])
    assert.equal((await calls.delete(`/v1/service-accounts/${ofOne}`)).status, 204)
    assert.equal((await found(`actor=${ofOne}`)).length, 3)
  })

  it('of one publisher are found by an index among many events of others', async () => {
    const { postern } = await sender()
    const { db } = postern.app.database
    const admin = await administrator(postern)
    const keys = await Promise.all([apiKey(postern, admin), apiKey(postern, admin)])
    for (const token of keys)
      assert.equal((await postern.client().post('/v1/events', FILE, { token })).status, 202)
    const numbers = await db
      .selectFrom('publisher')
      .selectAll()
      .where('organization_id', '=', admin.organizationId as Id<'organization'>)
      .execute()
    const [busy, seldom] = numbers.map(({ number }) => Number(number)) as [number, number]
    const row = sql`${admin.organizationId}, 'file.processed', ${Buffer.from('{}')}, 0, ${LONG_AGO}, ${busy}`
    const columns = sql`event (id, organization_id, type, body, hops, created_at, publisher)`
    await postern.app.database.tx((tx) =>
      (engine === 'sqlite'
        ? sql`insert into ${columns} with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MANY})
            select 'evt_00000001-0000-7000-8000-' || printf('%012d', i), ${row} from n`
        : sql`insert into ${columns}
            select 'evt_00000001-0000-7000-8000-' || lpad(i::text, 12, '0'), ${row} from generate_series(1, ${MANY}) as n (i)`
      ).execute(tx),
    )
    if (engine === 'postgres') await postern.app.database.tx((tx) => sql`analyze event`.execute(tx))
    const span = { from: idFloor('event', 0), before: idFloor('event', 2 ** 48 - 1) }
    const organizationId = admin.organizationId as Id<'organization'>
    for (const publisher of [busy, seldom]) {
      const { sql: text, parameters } = selectEvents(db, { organizationId, publisher }, span, 21).compile()
      const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
      const { rows } = await db.executeQuery<object>(CompiledQuery.raw(`${how} ${text}`, [...parameters]))
      const plan = rows.map((one) => Object.values(one).join(' ')).join('\n')
      assert.match(plan, /event_publisher/)
      assert.doesNotMatch(plan, /event_organization|event_pkey|Seq Scan on event|SCAN event|TEMP B-TREE|Sort/)
    }
    const page = await postern
      .client()
      .get(`/v1/events?actor=${numbers[1]?.actor_id}`, { token: keys[1] as string })
    assert.equal(page.body.data.length, 1)
  })

  it('are only checked with `dryRun`, which returns the same errors and the webhooks that would get them', async () => {
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

  test('are only checked with `dryRun`, which does not use up an Idempotency-Key', async () => {
    const { postern, key } = await sender()
    const calls = callsOf(postern, key)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    assert.equal((await calls.post('/v1/events?dryRun=true', FILE, headers)).status, 200)
    const real = await calls.post('/v1/events', FILE, headers)
    assert.equal(real.status, 202, real.text)
    assert.equal(real.headers.get('idempotent-replayed'), null)
  })
})
