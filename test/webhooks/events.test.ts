import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { assertError, atOnce } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, readAll, turnsTaken } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

const GOOD = { type: 'agent.run.completed', data: RUN }
const FILE = { type: 'file.processed', data: { fileId: 'file_1' } }
const json = { 'content-type': 'application/json' }
const OWN_FACTS = [
  'webhook.test',
  'webhook.received',
  'webhook.disabled',
  'invitation.created',
  'invitation.accepted',
  'member.role_changed',
  'member.removed',
  'mcp_server.changed',
  'connection.expired',
  'connection.revoked',
  'document.indexed',
]

onBothEngines('publishing an event', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)

  it('answers 202 with its id, type, moment and the number of its deliveries', async () => {
    const { register, receiver } = await sender()
    const { url } = await receiver()
    const before = (await (await calls()).post('/v1/events', GOOD)).body.deliveries
    const paused = await register(url)
    await register(url, { events: ['*'] })
    await register(url, { events: ['file.processed'] })
    await (await calls()).patch(`/v1/webhooks/${paused.id}`, { status: 'paused' })
    const answer = await (await calls()).post('/v1/events', GOOD)
    assert.equal(answer.status, 202)
    assert.deepEqual(Object.keys(answer.body).sort(), ['createdAt', 'deliveries', 'id', 'type'])
    assert.match(answer.body.id, /^evt_[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.equal(answer.body.deliveries, before + 2)
    const read = await (await calls()).get(`/v1/events/${answer.body.id}`)
    const { id, type, createdAt } = answer.body
    assert.deepEqual(read.body, { id, type, createdAt, data: RUN })
    assert.deepEqual(Object.keys(read.body), ['id', 'type', 'createdAt', 'data'])
  })

  test('names similar types and the way to register one for an unknown type, alone and in a batch', async () => {
    const own = await calls()
    const name = 'parcel.handed_over'
    assert.equal((await own.post('/v1/event-types', { name })).status, 201)
    const typed = 'parcel.handed_ovre'
    const message = `The event type "${typed}" is not registered. Did you mean "${name}"? Register it with POST /v1/event-types; GET /v1/event-types lists those that are.`
    const details = { field: 'type', value: typed, reason: 'unknown_event_type', nearest: [name] }
    const { body, status } = await own.post('/v1/events', { type: typed, data: {} })
    assert.equal(status, 400)
    assert.deepEqual([body.error.message, body.error.details], [message, details])
    const batch = await own.post('/v1/events/batch', { events: [{ type: typed, data: {} }] })
    assert.deepEqual(batch.body.results[0].error, { code: 'VALIDATION_FAILED', message, details })
    const webhook = await own.post('/v1/webhooks', { url: 'https://93.184.215.14/', events: [typed] })
    assert.deepEqual([webhook.body.error.message, webhook.body.error.details.nearest], [message, [name]])
    const far = await own.post('/v1/events', { type: 'nothing.alike', data: {} })
    assert.deepEqual(far.body.error.details.nearest, [])
    // Event types of the platform can be subscribed to, but are not suggested to publishers.
    const fact = await own.post('/v1/events', { type: 'webhook.tset', data: {} })
    assert.deepEqual(fact.body.error.details.nearest, [])
  })

  for (const [name, body, code, details] of [
    ['no type', { data: {} }, 'MISSING_REQUIRED_FIELD', { field: 'type' }],
    ['no data', { type: FILE.type }, 'MISSING_REQUIRED_FIELD', { field: 'data' }],
    ['data that is no object', { ...FILE, data: [] }, 'TYPE_MISMATCH', { field: 'data' }],
    ['data that is null', { ...FILE, data: null }, 'TYPE_MISMATCH', { field: 'data' }],
    ['an id of its own', { ...FILE, id: 'evt_1' }, 'VALIDATION_FAILED', { field: 'id' }],
    [
      'an unknown type',
      { ...FILE, type: 'no.such' },
      'VALIDATION_FAILED',
      { field: 'type', value: 'no.such', reason: 'unknown_event_type' },
    ],
    ['every type', { ...FILE, type: '*' }, 'VALIDATION_FAILED', { field: 'type' }],
    [
      'a type that is a member of every object',
      { ...FILE, type: '__proto__' },
      'VALIDATION_FAILED',
      { field: 'type' },
    ],
    [
      'a missing member of data',
      { ...GOOD, data: { ...RUN, runId: undefined } },
      'MISSING_REQUIRED_FIELD',
      { field: 'data.runId' },
    ],
    [
      'a member of another type',
      { ...GOOD, data: { ...RUN, durationMs: '12' } },
      'TYPE_MISMATCH',
      { field: 'data.durationMs', value: '12' },
    ],
    [
      'a negative duration',
      { ...GOOD, data: { ...RUN, durationMs: -1 } },
      'VALIDATION_FAILED',
      { field: 'data.durationMs', value: -1 },
    ],
    [
      'data nested too deeply',
      `{"type":"file.processed","data":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      'VALIDATION_FAILED',
      { field: 'data', reason: 'too_deep' },
    ],
    [
      'data with __proto__',
      '{"type":"file.processed","data":{"__proto__":{"a":1}}}',
      'VALIDATION_FAILED',
      { field: 'body', reason: 'reserved_member' },
    ],
    ['malformed JSON', '{"type":', 'VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' }],
    [
      'a second mark of byte order',
      `\ufeff\ufeff${JSON.stringify(GOOD)}`,
      'VALIDATION_FAILED',
      { field: 'body', reason: 'malformed_json' },
    ],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'VALIDATION_FAILED', { field: 'body' }],
    [
      'more than 256 KiB',
      { ...FILE, data: { text: 'x'.repeat(256 * 1024) } },
      'VALIDATION_FAILED',
      { field: 'body', reason: 'too_large' },
    ],
  ] as const) {
    test(`refuses ${name}`, async () => {
      assertError(await (await calls()).post('/v1/events', body, json), code, details)
    })
  }

  it('accepts data just within the limits, and sends it unchanged', async () => {
    const { receiver, register } = await sender()
    const destination = await receiver()
    await register(destination.url, { events: ['file.processed'] })
    const empty = JSON.stringify({ ...FILE, data: { text: '' } }).length
    const nested = JSON.parse(`${'['.repeat(90)}${']'.repeat(90)}`)
    const odd = { zero: '\u0000', half: '\ud800', line: '\u2028', big: 1e300, '': null, 'a.b': [true] }
    for (const [index, data] of [{ text: 'x'.repeat(256 * 1024 - empty) }, { nested }, odd].entries()) {
      const answer = await (await calls()).post('/v1/events', { type: FILE.type, data })
      assert.equal(answer.status, 202, answer.text.slice(0, 300))
      await destination.count(index + 1)
      const call = destination.received.find(({ event }) => event.id === answer.body.id)
      assert.deepEqual(call?.event.data, data)
      assert.deepEqual((await (await calls()).get(`/v1/events/${answer.body.id}`)).body.data, data)
    }
  })

  test('refuses event types that only the platform may publish', async () => {
    for (const type of OWN_FACTS) {
      const { body } = await (await calls()).get(`/v1/event-types/${type}`)
      assert.equal(body.publishable, false)
      const answer = await (await calls()).post('/v1/events', { type, data: body.example })
      assertError(answer, 'VALIDATION_FAILED', { field: 'type', value: type, reason: 'reserved_event_type' })
    }
  })

  test('requires an administrator or a key of one; members only read', async () => {
    const { postern, admin } = await sender()
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    assertError(await asMember.post('/v1/events', GOOD), 'FORBIDDEN')
    assertError(await asMember.post('/v1/events/batch', { events: [GOOD] }), 'FORBIDDEN')
    const { id } = (await callsOf(postern, admin.token).post('/v1/events', GOOD)).body
    assert.equal((await asMember.get(`/v1/events/${id}`)).status, 200)
  })

  it('makes one event for an Idempotency-Key within 24 hours, also for concurrent requests', async () => {
    const { postern, receiver, register } = await sender()
    const destination = await receiver()
    await register(destination.url)
    const own = await calls()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = await atOnce(10, () => own.post('/v1/events', GOOD, key))
    const made = answers.filter(({ status }) => status === 202)
    assert.ok(made.length >= 1)
    assert.equal(new Set(made.map(({ body }) => body.id)).size, 1)
    for (const answer of answers) if (answer.status !== 202) assertError(answer, 'DUPLICATE')
    const repeated = await own.post('/v1/events', GOOD, key)
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(repeated.body, made[0]?.body)
    assertError(await own.post('/v1/events', FILE, key), 'VALIDATION_FAILED', { field: 'Idempotency-Key' })
    await destination.count(1)
    await turnsTaken(await sender())
    assert.equal(destination.received.length, 1)
    postern.clock.advance(DAY)
    assert.notEqual((await own.post('/v1/events', GOOD, key)).body.id, made[0]?.body.id)
  })

  it('distinguishes bodies by exact numbers that a parser rounds to one, and not by the order of members', async () => {
    const event = (id: string) => `{"type":"file.processed","data":{"id":${id},"a":"12345678901234567890"}}`
    const other = (id: string) => `{"data":{"a":"12345678901234567890","id":${id}},"type":"file.processed"}`
    for (const [path, wrap] of [
      ['/v1/events', (text: string) => text],
      ['/v1/events/batch', (text: string) => `{"events":[${text}]}`],
    ] as const) {
      const key = { ...json, 'idempotency-key': crypto.randomUUID() }
      const first = await (await calls()).post(path, wrap(event('9007199254740993')), key)
      assert.equal(first.status, 202, first.text)
      for (const same of [other('9007199254740993'), event('900719925474099300e-2')]) {
        const repeated = await (await calls()).post(path, wrap(same), key)
        assert.deepEqual([repeated.status, repeated.body], [202, first.body], repeated.text)
      }
      const another = await (await calls()).post(path, wrap(event('9007199254740992')), key)
      assertError(another, 'VALIDATION_FAILED', {
        field: 'Idempotency-Key',
        reason: 'used_with_another_body',
      })
    }
  })

  test('accepts an Idempotency-Key again after a refused request', async () => {
    const own = await calls()
    const key = { 'idempotency-key': crypto.randomUUID() }
    assertError(await own.post('/v1/events', { ...GOOD, data: {} }, key), 'MISSING_REQUIRED_FIELD')
    assert.equal((await own.post('/v1/events', GOOD, key)).status, 202)
  })

  test('tells one organization’s keys from another’s', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const key = { 'idempotency-key': crypto.randomUUID() }
    const mine = await (await calls()).post('/v1/events', GOOD, key)
    const theirs = await other.post('/v1/events', FILE, key)
    assert.equal(theirs.status, 202)
    assert.notEqual(theirs.body.id, mine.body.id)
  })

  const EXACT =
    '{ "id": 9007199254740993, "sum": 1.50, "tiny": 1e-400, "zero": -0, "\\u0061": "\\ud83d\\ude00" }'

  it('passes data on unchanged: no number loses a digit, alone and in a batch, in deliveries and in reads', async () => {
    const { register, receiver } = await sender()
    const destination = await receiver()
    await register(destination.url, { events: ['file.processed'] })
    const event = `{"data" :\n${EXACT} , "type":"file.processed"}`
    const alone = await (await calls()).post('/v1/events', event, json)
    assert.equal(alone.status, 202, alone.text)
    const keyed = await (await calls()).post('/v1/events', event, {
      ...json,
      'idempotency-key': crypto.randomUUID(),
    })
    const batch = await (await calls()).post('/v1/events/batch', `{"events":[ ${event},${event}]}`, json)
    const ids = [alone.body.id, keyed.body.id, ...batch.body.results.map(({ id }: { id: string }) => id)]
    const received = await destination.count(4)
    for (const id of ids) {
      const call = received.find((one) => one.event.id === id)
      assert.ok(String(call?.body).endsWith(`,"data":${EXACT}}`), String(call?.body))
      const read = await (await calls()).get(`/v1/events/${id}`)
      assert.equal(read.text, String(call?.body))
      assert.equal(read.headers.get('content-type'), 'application/json; charset=utf-8')
    }
    const list = await (await calls()).get('/v1/events?type=file.processed&limit=4')
    assert.equal(list.text.split(EXACT).length, 5)
    assert.deepEqual(
      list.body.data.map(({ id }: { id: string }) => id),
      ids.toReversed(),
    )
  })

  test('refuses data that JSON parsers read differently: a repeated member, a number out of range', async () => {
    for (const [data, field, reason] of [
      ['{"a":1,"a":2}', 'data.a', 'duplicate_member'],
      ['{"list":[{"b":{"x":1,"\\u0078":1}}]}', 'data.list.0.b.x', 'duplicate_member'],
      ['{"a":[1,1e999]}', 'data.a.1', 'number_out_of_range'],
    ] as const) {
      const event = `{"type":"file.processed","data":${data}}`
      assertError(await (await calls()).post('/v1/events', event, json), 'VALIDATION_FAILED', {
        field,
        reason,
      })
      const batch = await (await calls()).post('/v1/events/batch', `{"events":[${event}]}`, json)
      assert.equal(batch.body.results[0].error.details.reason, reason)
    }
    const twice = '{"type":"file.processed","data":{"a":1},"data":{"a":2}}'
    assertError(await (await calls()).post('/v1/events', twice, json), 'VALIDATION_FAILED', { field: 'data' })
  })

  it('lists events newest first, by type, page by page, and none of another organization', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const made: string[] = []
    for (let index = 0; index < 7; index += 1)
      made.unshift((await other.post('/v1/events', index % 2 === 0 ? GOOD : FILE)).body.id)
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
    // The list also has the platform's own events of the organization.
    const all = await readAll(other, '/v1/events', 3)
    assert.deepEqual(ids(all).slice(0, 7), made)
    const files = await readAll(other, '/v1/events?type=file.processed', 2)
    assert.deepEqual(
      ids(files),
      made.filter((_, index) => index % 2 === 1),
    )
    assert.deepEqual(await readAll(other, '/v1/events?type=no.such'), [])
    assertError(await (await calls()).get(`/v1/events/${made[0]}`), 'ENTITY_NOT_FOUND', { field: 'id' })
    for (const cursor of ['x', 'evt_1', Buffer.from("evt_' or 1=1").toString('base64url')])
      assertError(await other.get(`/v1/events?cursor=${cursor}`), 'VALIDATION_FAILED', { field: 'cursor' })
    for (const limit of ['0', '101', '-1', 'x'])
      assert.equal((await other.get(`/v1/events?limit=${limit}`)).status, 400, limit)
  })
})
