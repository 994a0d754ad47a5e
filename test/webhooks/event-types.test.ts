import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Id } from '#src/core/id.ts'
import { assertError, atOnce, tally } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'
import { deep, HOSTILE_SCHEMAS, nest } from './hostile-schemas.ts'

const BUILT_IN = [
  'agent.run.completed',
  'agent.run.waiting',
  'file.processed',
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
const ORDER = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    orderId: { type: 'string', minLength: 1 },
    lines: {
      type: 'array',
      maxItems: 3,
      items: { type: 'object', properties: { amount: { type: 'number', minimum: 0 } }, required: ['amount'] },
    },
    state: { enum: ['open', 'paid'] },
    to: { anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }] },
  },
  required: ['orderId'],
  additionalProperties: false,
}
/** A schema of the document with what its names stand for. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
function withoutNames(schema: any, shapes: Record<string, unknown>): any {
  if (Array.isArray(schema)) return schema.map((one) => withoutNames(one, shapes))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref: name, ...beside } = schema
  if (typeof name === 'string')
    return { ...withoutNames(shapes[name.split('/').at(-1) ?? ''], shapes), ...beside }
  return Object.fromEntries(
    Object.entries(schema).map(([member, one]) => [member, withoutNames(one, shapes)]),
  )
}

onBothEngines('event types', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)
  let counter = 0
  const newName = () => {
    counter += 1
    return `made.by_test_${counter}`
  }
  const make = async (more: object = {}) => {
    const answer = await (await calls()).post('/v1/event-types', { name: newName(), ...more })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const publish = async (type: string, data: unknown) => (await calls()).post('/v1/events', { type, data })

  it('are made, read and listed, own ones before built-in ones', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const example = { orderId: 'order_1', state: 'paid' }
    const made = await other.post('/v1/event-types', {
      name: 'order.paid',
      description: 'Somebody paid.',
      schema: ORDER,
      example,
    })
    assert.equal(made.status, 201, made.text)
    const { createdAt, ...rest } = made.body
    assert.deepEqual(rest, {
      name: 'order.paid',
      description: 'Somebody paid.',
      schema: ORDER,
      example,
      builtIn: false,
      publishable: true,
    })
    assert.match(createdAt, /Z$/)
    assert.deepEqual((await other.get('/v1/event-types/order.paid')).body, made.body)
    const { body } = await other.get('/v1/event-types')
    assert.equal(body.nextCursor, null)
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['order.paid', ...BUILT_IN],
    )
    assertError(await (await calls()).get('/v1/event-types/order.paid'), 'ENTITY_NOT_FOUND', {
      field: 'type',
    })
  })

  it('show in their list how many webhooks are subscribed to each, active or paused', async () => {
    const { postern } = await sender()
    const admin = await administrator(postern)
    const own = callsOf(postern, admin.token)
    const name = newName()
    await own.post('/v1/event-types', { name })
    const counted = async () => {
      const { body } = await own.get('/v1/event-types')
      const of = (wanted: string) =>
        body.data.find((type: { name: string }) => type.name === wanted).subscribers
      return [of(name), of('file.processed')]
    }
    assert.deepEqual(await counted(), [0, 0])
    for (const events of [[name], [name, 'file.processed'], ['*'], ['*', name]])
      assert.equal((await own.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events })).status, 201)
    assert.deepEqual(await counted(), [4, 3])
    const [newest] = (await own.get('/v1/webhooks')).body.data
    await own.patch(`/v1/webhooks/${newest.id}`, { status: 'paused' })
    assert.deepEqual(await counted(), [4, 3])
    await own.delete(`/v1/webhooks/${newest.id}`)
    assert.deepEqual(await counted(), [3, 2])
  })

  test('each have a schema and a valid example', async () => {
    const { body } = await (await calls()).get('/v1/event-types')
    for (const type of body.data) {
      assert.equal(typeof type.schema, 'object', type.name)
      if (type.builtIn && type.publishable)
        assert.equal((await publish(type.name, type.example)).status, 202, type.name)
    }
  })

  test('refuse a name without a dot, a malformed one and a taken one', async () => {
    const own = await calls()
    for (const name of [
      '',
      'order',
      'Order.paid',
      '.paid',
      'order.',
      'order..paid',
      '*',
      'a.b c',
      'a.ü',
      '1.a',
      `a.${'b'.repeat(127)}`,
    ])
      assertError(await own.post('/v1/event-types', { name }), 'VALIDATION_FAILED', { field: 'name' })
    assertError(await own.post('/v1/event-types', {}), 'MISSING_REQUIRED_FIELD', { field: 'name' })
    assertError(await own.post('/v1/event-types', { name: 7 }), 'TYPE_MISMATCH', { field: 'name' })
    for (const name of BUILT_IN)
      assertError(await own.post('/v1/event-types', { name }), 'DUPLICATE', { field: 'name', value: name })
    const name = newName()
    assert.deepEqual(tally(await atOnce(10, () => own.post('/v1/event-types', { name }))), { 201: 1, 409: 9 })
  })

  it('belong to their organization: two organizations may use one name', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const { name } = await make({ schema: { required: ['mine'] } })
    const theirs = await other.post('/v1/event-types', { name, schema: { required: ['theirs'] } })
    assert.equal(theirs.status, 201)
    assert.equal((await publish(name, { mine: 1 })).status, 202)
    assertError(await publish(name, { theirs: 1 }), 'MISSING_REQUIRED_FIELD', { field: 'data.mine' })
    const event = { type: name, data: { theirs: 1 } }
    assert.equal((await other.post('/v1/events', event)).status, 202)
    const unknown = newName()
    await other.post('/v1/event-types', { name: unknown })
    assertError(await publish(unknown, {}), 'VALIDATION_FAILED', { field: 'type' })
    const webhook = { url: 'http://127.0.0.1:9/', events: [unknown] }
    assertError(await (await calls()).post('/v1/webhooks', webhook), 'VALIDATION_FAILED', {
      field: 'events.0',
    })
  })

  for (const [name, [schema, field]] of Object.entries(HOSTILE_SCHEMAS)) {
    test(`refuse a schema with ${name}`, async () => {
      const answer = await (await calls()).post('/v1/event-types', { name: newName(), schema })
      assertError(answer, 'VALIDATION_FAILED', { field })
    })
  }

  test('accept a schema just within the limits', async () => {
    for (const schema of [
      {},
      nest(10, {}),
      { oneOf: Array.from({ length: 32 }, (_, index) => ({ const: { index } })) },
      { properties: { a: { enum: Array.from({ length: 200 }, (_, index) => index) } } },
      { additionalProperties: { type: 'integer' }, not: { required: ['b'] } },
    ]) {
      await make({ schema, ...('oneOf' in schema ? { example: { index: 3 } } : {}) })
    }
  })

  test('refuse an example that is invalid by the schema', async () => {
    const own = await calls()
    const body = { name: newName(), schema: ORDER, example: { orderId: 7 } }
    assertError(await own.post('/v1/event-types', body), 'TYPE_MISMATCH', {
      field: 'example.orderId',
      value: 7,
    })
    const hollow = { name: newName(), example: { a: deep(3_000) } }
    assertError(await own.post('/v1/event-types', hollow), 'VALIDATION_FAILED', { field: 'example' })
  })

  test('check data when it is published, and name the dotted field', async () => {
    const { name } = await make({ schema: ORDER })
    for (const [data, code, field, value] of [
      [{}, 'MISSING_REQUIRED_FIELD', 'data.orderId', undefined],
      [{ orderId: '' }, 'VALIDATION_FAILED', 'data.orderId', ''],
      [
        { orderId: 'x', lines: [{ amount: 1 }, { amount: -1 }] },
        'VALIDATION_FAILED',
        'data.lines.1.amount',
        -1,
      ],
      [{ orderId: 'x', lines: [{}] }, 'MISSING_REQUIRED_FIELD', 'data.lines.0.amount', undefined],
      [{ orderId: 'x', state: 'lost' }, 'VALIDATION_FAILED', 'data.state', 'lost'],
      [{ orderId: 'x', surprise: true }, 'VALIDATION_FAILED', 'data.surprise', true],
      [{ orderId: 'x', to: 7 }, 'TYPE_MISMATCH', 'data.to', 7],
    ] as const) {
      assertError(await publish(name, data), code, { field, ...(value === undefined ? {} : { value }) })
    }
    assert.equal((await publish(name, { orderId: 'x', lines: [{ amount: 0 }], to: null })).status, 202)
  })

  test('do not change data: no default is filled in, no type is converted', async () => {
    const { name } = await make({
      schema: { properties: { a: { type: 'integer', default: 7 }, b: { default: 'x' } } },
    })
    assertError(await publish(name, { a: '7' }), 'TYPE_MISMATCH', { field: 'data.a', value: '7' })
    const { body } = await publish(name, {})
    assert.deepEqual((await (await calls()).get(`/v1/events/${body.id}`)).body.data, {})
  })

  test('name all errors of data, and only the first one of very large data', async () => {
    const answer = await publish('agent.run.completed', { status: 7 })
    assertError(answer, 'MISSING_REQUIRED_FIELD', { field: 'data.agentId' })
    assert.deepEqual(
      answer.body.error.details.issues.map(({ field, code }: { field: string; code: string }) => [
        field,
        code,
      ]),
      [
        ['data.agentId', 'MISSING_REQUIRED_FIELD'],
        ['data.runId', 'MISSING_REQUIRED_FIELD'],
        ['data.durationMs', 'MISSING_REQUIRED_FIELD'],
        ['data.output', 'MISSING_REQUIRED_FIELD'],
        ['data.status', 'TYPE_MISMATCH'],
      ],
    )
    const { name } = await make({ schema: { properties: { a: { items: { type: 'string' } } } } })
    const large = await publish(name, { a: Array.from({ length: 40_000 }, () => 1) })
    assertError(large, 'TYPE_MISMATCH', { field: 'data.a.0' })
    assert.equal(large.body.error.details.issues.length, 1)
    const { postern, key } = await sender()
    const events = [{ type: 'agent.run.completed', data: {} }]
    const batch = await callsOf(postern, key).post('/v1/events/batch', { events })
    assert.equal(batch.body.results[0].error.code, 'MISSING_REQUIRED_FIELD')
    assert.equal(batch.body.results[0].error.details.issues.length, 5)
  })

  it('can be changed: later events are checked by the new schema, and earlier events stay', async () => {
    const own = await calls()
    const { name } = await make({ schema: { required: ['a'] }, example: { a: 1 }, description: 'Before.' })
    const old = await publish(name, { a: 1 })
    const path = `/v1/event-types/${name}`
    assertError(await own.patch(path, { schema: { required: ['b'] } }), 'MISSING_REQUIRED_FIELD', {
      field: 'example.b',
    })
    assertError(await own.patch(path, { schema: { pattern: 'x' } }), 'VALIDATION_FAILED', {
      field: 'schema.pattern',
    })
    assertError(await own.patch(path, {}), 'VALIDATION_FAILED')
    assertError(await own.patch(path, { name: 'a.b' }), 'VALIDATION_FAILED', { field: 'name' })
    const changed = await own.patch(path, { schema: { required: ['b'] }, example: { b: 1 } })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(changed.body, (await own.get(path)).body)
    const { description, schema, example } = changed.body
    assert.deepEqual(
      { description, schema, example },
      { description: 'Before.', schema: { required: ['b'] }, example: { b: 1 } },
    )
    assertError(await publish(name, { a: 1 }), 'MISSING_REQUIRED_FIELD', { field: 'data.b' })
    assert.equal((await publish(name, { b: 1 })).status, 202)
    assert.deepEqual((await own.get(`/v1/events/${old.body.id}`)).body.data, { a: 1 })
  })

  it('can be deleted: new events are refused, and published ones are delivered', async () => {
    const own = await calls()
    const { receiver, register, postern, admin } = await sender()
    const destination = await receiver()
    const { name } = await make({})
    const { id } = await register(destination.url, { events: [name] })
    await own.patch(`/v1/webhooks/${id}`, { status: 'paused' })
    const { body } = await publish(name, { kept: true })
    const path = `/v1/event-types/${name}`
    assert.equal((await own.delete(path)).status, 204)
    assertError(await own.delete(path), 'ENTITY_NOT_FOUND', { field: 'type' })
    assertError(await own.get(path), 'ENTITY_NOT_FOUND', { field: 'type' })
    assertError(await publish(name, {}), 'VALIDATION_FAILED', { field: 'type', reason: 'unknown_event_type' })
    await own.patch(`/v1/webhooks/${id}`, { status: 'active' })
    const [call] = await destination.count(1)
    assert.equal(call?.event.id, body.id)
    // After it is made again, its subscribers get it.
    assert.equal((await own.post('/v1/event-types', { name })).status, 201)
    assert.equal((await publish(name, {})).body.deliveries, 1)
    const log = await postern.client().get('/v1/audit-log?limit=100', { token: admin.token })
    const actions = log.body.data.map(({ action }: { action: string }) => action)
    for (const action of ['event_type.created', 'event_type.updated', 'event_type.deleted'])
      assert.ok(actions.includes(action), action)
  })

  test('cannot be changed if they are built-in or of another organization, nor by a member', async () => {
    const { postern, admin } = await sender()
    const own = await calls()
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const { name } = await make({})
    for (const type of ['file.processed', 'webhook.received']) {
      const reason = 'built_in_event_type'
      assertError(await own.patch(`/v1/event-types/${type}`, { description: 'x' }), 'FORBIDDEN', { reason })
      assertError(await own.delete(`/v1/event-types/${type}`), 'FORBIDDEN', { reason })
    }
    assertError(await other.patch(`/v1/event-types/${name}`, { description: 'x' }), 'ENTITY_NOT_FOUND')
    assertError(await other.delete(`/v1/event-types/${name}`), 'ENTITY_NOT_FOUND')
    assertError(await asMember.patch(`/v1/event-types/${name}`, { description: 'x' }), 'FORBIDDEN')
    assertError(await asMember.delete(`/v1/event-types/${name}`), 'FORBIDDEN')
    assert.equal((await own.get(`/v1/event-types/${name}`)).status, 200)
  })

  it('are 500 and 512 KiB together at most, also with concurrent requests', async () => {
    const { postern } = await sender()
    const person = await administrator(postern)
    const other = callsOf(postern, await apiKey(postern, person))
    const rows = Array.from({ length: 495 }, (_, index) => ({
      organization_id: person.organizationId as Id<'organization'>,
      name: `a.b${index}`,
      description: '',
      schema: '{}',
      example: '{}',
      created_at: postern.clock.now(),
    }))
    await postern.app.database.tx((tx) => tx.insertInto('event_type').values(rows).execute())
    const answers = await atOnce(8, () => other.post('/v1/event-types', { name: newName() }))
    assert.deepEqual(tally(answers), { 201: 5, 403: 3 })
    assertError(await other.post('/v1/event-types', { name: newName() }), 'FORBIDDEN', {
      reason: 'too_many_event_types',
    })
    for (let index = 0; index < 9; index += 1) await other.delete(`/v1/event-types/a.b${index}`)
    const example = { text: 'x'.repeat(60_000) }
    const large = await atOnce(9, () => other.post('/v1/event-types', { name: newName(), example }))
    assert.deepEqual(tally(large), { 201: 8, 403: 1 })
    const refused = large.find(({ status }) => status === 403)
    assert.equal(refused?.body.error.details.reason, 'event_types_too_large')
  })

  test('are made by administrators and read by members', async () => {
    const { postern, admin } = await sender()
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    assertError(await asMember.post('/v1/event-types', { name: newName() }), 'FORBIDDEN')
    assert.equal((await asMember.get('/v1/event-types')).status, 200)
    assert.equal((await asMember.get('/v1/event-types/file.processed')).status, 200)
  })

  test('are in the API document: one entry for each built-in type, with the envelope and its data', async () => {
    const { postern } = await sender()
    const { body } = await postern.client().get('/openapi.json')
    assert.equal(body.openapi, '3.1.0')
    assert.deepEqual(Object.keys(body.webhooks), BUILT_IN)
    for (const [type, { post }] of Object.entries<{ post: never }>(body.webhooks)) {
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
      const { schema: named } = (post as any).requestBody.content['application/json']
      const schema = withoutNames(named, body.components.schemas)
      assert.deepEqual(schema.required, ['id', 'type', 'createdAt', 'data'])
      assert.equal(schema.properties.type.const, type)
      const known = (await (await calls()).get(`/v1/event-types/${type}`)).body
      assert.deepEqual(withoutDescriptions(schema.properties.data), {
        ...(withoutDescriptions(known.schema) as object),
        examples: [known.example],
      })
    }
  })
})

/** A schema without the descriptions of its members. */
function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(
    ([name, value]) => !(name === 'description' && typeof value === 'string'),
  )
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'examples' ? value : withoutDescriptions(value)]),
  )
}
