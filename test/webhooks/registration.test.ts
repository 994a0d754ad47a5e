import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, atOnce, tally } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, readAll } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

const URL = 'http://127.0.0.1:9/hooks'
const GOOD = { url: URL, events: ['agent.run.completed'] }

/** Refused paths, by their errors. */
const HOSTILE_PATHS: Record<string, string[]> = {
  'too short': ['', 'a', 'ab'],
  'too long': ['a'.repeat(65), 'a'.repeat(200)],
  'of other characters': [
    'Upper',
    'with space',
    'under_score',
    'dot.dot',
    'slash/y',
    '..',
    'ünï',
    'a\nb',
    'a?b',
  ],
  escaped: ['%2e%2e%2f', 'a%2fb', 'abc%00', 'abc\u0000'],
  'with a hyphen in front': ['-abc', '--'],
  reserved: ['preview', 'test', 'stats', 'deliveries', 'captures', 'replay', 'rotate-secret'],
  'an id': ['0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42', 'whk_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42'],
}

onBothEngines('registering a webhook', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)

  it('answers 201 with the whole webhook and, only this time, its secret', async () => {
    const answer = await (await calls()).post('/v1/webhooks', {
      ...GOOD,
      description: 'Mine',
      maxInFlight: 3,
      maxPerSecond: 2.5,
    })
    assert.equal(answer.status, 201)
    const { id, secret, createdAt, updatedAt, secretHint, secretRotatedAt, ...rest } = answer.body
    assert.match(id, /^whk_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
    assert.deepEqual(rest, {
      ...GOOD,
      endpointPath: null,
      description: 'Mine',
      status: 'active',
      disabledReason: null,
      listener: null,
      listenedAt: null,
      maxInFlight: 3,
      maxPerSecond: 2.5,
      previousSecretExpiresAt: null,
      health: { state: 'delivering', since: null, reason: null, nextAttemptAt: null },
    })
    assert.equal(secretHint, secret.slice(-6))
    assert.equal(createdAt, updatedAt)
    assert.equal(secretRotatedAt, createdAt)
    assert.match(answer.headers.get('location') ?? '', new RegExp(`/v1/webhooks/${id}$`))
    const read = await (await calls()).get(`/v1/webhooks/${id}`)
    assert.deepEqual({ ...read.body, secret }, answer.body)
    assert.ok(!read.text.includes(secret))
  })

  it('keeps no secret readable in the database', async () => {
    const { postern } = await sender()
    const { secret } = (await (await calls()).post('/v1/webhooks', GOOD)).body
    const rows = await postern.app.database.db.selectFrom('webhook_secret').selectAll().execute()
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(rows).includes(secret.slice(6, 30)))
    assert.ok(!postern.log().includes(secret.slice(6, 30)))
  })

  for (const [name, body, code, details] of [
    ['no url', { events: GOOD.events }, 'MISSING_REQUIRED_FIELD', { field: 'url' }],
    ['no events', { url: URL }, 'MISSING_REQUIRED_FIELD', { field: 'events' }],
    ['an empty list of events', { ...GOOD, events: [] }, 'VALIDATION_FAILED', { field: 'events' }],
    ['a text for a list', { ...GOOD, events: '*' }, 'TYPE_MISMATCH', { field: 'events', value: '*' }],
    [
      'a number among the events',
      { ...GOOD, events: ['*', 7] },
      'TYPE_MISMATCH',
      { field: 'events.1', value: 7 },
    ],
    [
      'an unknown event',
      { ...GOOD, events: ['*', 'no.such'] },
      'VALIDATION_FAILED',
      { field: 'events.1', value: 'no.such', reason: 'unknown_event_type' },
    ],
    ['a pattern of events', { ...GOOD, events: ['agent.*'] }, 'VALIDATION_FAILED', { field: 'events.0' }],
    [
      '101 events',
      { ...GOOD, events: Array.from({ length: 101 }, () => '*') },
      'VALIDATION_FAILED',
      { field: 'events' },
    ],
    [
      'a URL of 2,049 characters',
      { ...GOOD, url: `${URL}/${'a'.repeat(2_048 - URL.length)}` },
      'VALIDATION_FAILED',
      { field: 'url' },
    ],
    ['a relative URL', { ...GOOD, url: '/hooks' }, 'VALIDATION_FAILED', { field: 'url' }],
    [
      'credentials in the URL',
      { ...GOOD, url: 'https://ada:secret@acme.test/' },
      'VALIDATION_FAILED',
      { field: 'url', reason: 'credentials' },
    ],
    [
      'another scheme',
      { ...GOOD, url: 'ftp://acme.test/' },
      'VALIDATION_FAILED',
      { field: 'url', reason: 'scheme' },
    ],
    [
      'an address that is not public',
      { ...GOOD, url: 'http://10.0.0.1/' },
      'VALIDATION_FAILED',
      { field: 'url', reason: 'address_not_allowed' },
    ],
    ['no attempt at once', { ...GOOD, maxInFlight: 0 }, 'VALIDATION_FAILED', { field: 'maxInFlight' }],
    ['257 attempts at once', { ...GOOD, maxInFlight: 257 }, 'VALIDATION_FAILED', { field: 'maxInFlight' }],
    ['no call a second', { ...GOOD, maxPerSecond: 0 }, 'VALIDATION_FAILED', { field: 'maxPerSecond' }],
    [
      'too many calls a second',
      { ...GOOD, maxPerSecond: 10_001 },
      'VALIDATION_FAILED',
      { field: 'maxPerSecond' },
    ],
    ['a rate in words', { ...GOOD, maxPerSecond: 'ten' }, 'TYPE_MISMATCH', { field: 'maxPerSecond' }],
    ['half an attempt', { ...GOOD, maxInFlight: 1.5 }, 'TYPE_MISMATCH', { field: 'maxInFlight' }],
    [
      'a long description',
      { ...GOOD, description: 'x'.repeat(501) },
      'VALIDATION_FAILED',
      { field: 'description' },
    ],
    [
      'a description with a NUL',
      { ...GOOD, description: 'a\u0000b' },
      'VALIDATION_FAILED',
      { field: 'description' },
    ],
    [
      'a secret of its own',
      { ...GOOD, secret: 'whsec_mine' },
      'VALIDATION_FAILED',
      { field: 'secret', value: '[redacted]' },
    ],
    ['a status', { ...GOOD, status: 'paused' }, 'VALIDATION_FAILED', { field: 'status' }],
    [
      'an endpointPath that is no text',
      { ...GOOD, endpointPath: 7 },
      'TYPE_MISMATCH',
      { field: 'endpointPath' },
    ],
  ] as const) {
    test(`refuses ${name}`, async () => {
      assertError(await (await calls()).post('/v1/webhooks', body), code, details)
    })
  }

  for (const [name, paths] of Object.entries(HOSTILE_PATHS)) {
    test(`refuses an endpointPath that is ${name}`, async () => {
      for (const endpointPath of paths) {
        const answer = await (await calls()).post('/v1/webhooks', { ...GOOD, endpointPath })
        assertError(answer, 'VALIDATION_FAILED', { field: 'endpointPath', value: endpointPath })
      }
    })
  }

  test('accepts values just within the limits', async () => {
    const { post } = await calls()
    const suffix = crypto.randomUUID().slice(0, 8)
    for (const body of [
      { ...GOOD, url: `${URL}/${'a'.repeat(2_047 - URL.length)}` },
      { ...GOOD, events: Array.from({ length: 100 }, () => 'agent.run.completed') },
      { ...GOOD, endpointPath: `0${suffix}`.slice(0, 3) },
      { ...GOOD, endpointPath: `${suffix}${'a'.repeat(56)}` },
      { ...GOOD, description: 'x'.repeat(500), maxInFlight: 256 },
    ]) {
      const answer = await post('/v1/webhooks', body)
      assert.equal(answer.status, 201, answer.text)
    }
  })

  test('keeps each event type once', async () => {
    const { body } = await (await calls()).post('/v1/webhooks', {
      ...GOOD,
      events: ['*', 'file.processed', '*'],
    })
    assert.deepEqual(body.events, ['*', 'file.processed'])
  })

  it('gives an endpointPath to one webhook of the whole server, also with concurrent requests', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const own = await calls()
    const endpointPath = `orders-${crypto.randomUUID().slice(0, 8)}`
    const answers = await atOnce(20, (index) =>
      (index % 2 === 0 ? own : other).post('/v1/webhooks', { ...GOOD, endpointPath }),
    )
    assert.deepEqual(tally(answers), { 201: 1, 409: 19 })
    for (const answer of answers) {
      if (answer.status === 409)
        assertError(answer, 'DUPLICATE', { field: 'endpointPath', value: endpointPath })
    }
  })

  it('makes one webhook for an Idempotency-Key, and shows its secret again to a repetition', async () => {
    const own = await calls()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await own.post('/v1/webhooks', GOOD, key)
    const repeated = await own.post('/v1/webhooks', GOOD, key)
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(repeated.body, first.body)
    const other = await own.post('/v1/webhooks', { ...GOOD, description: 'other' }, key)
    assertError(other, 'VALIDATION_FAILED', { field: 'Idempotency-Key' })
  })

  test('requires an administrator; members read and see no secret', async () => {
    const { postern, admin } = await sender()
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    assertError(await asMember.post('/v1/webhooks', GOOD), 'FORBIDDEN')
    const { id } = (await (await calls()).post('/v1/webhooks', GOOD)).body
    const read = await asMember.get(`/v1/webhooks/${id}`)
    assert.equal(read.status, 200)
    assert.equal(read.body.secret, undefined)
    assert.equal((await asMember.get(`/v1/webhooks/${id.slice(4)}`)).body.id, id)
  })

  it('lists webhooks newest first, page by page, and only those of the organization', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const made: string[] = []
    for (let index = 0; index < 7; index += 1) made.unshift((await other.post('/v1/webhooks', GOOD)).body.id)
    const listed = await readAll(other, '/v1/webhooks', 3)
    assert.deepEqual(
      listed.map(({ id }) => id),
      made,
    )
    assert.ok(listed.every((webhook) => !('secret' in webhook)))
  })

  it('lists webhooks that are subscribed to a type, by name or by `*`, page by page', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const make = async (...events: string[]) =>
      (await other.post('/v1/webhooks', { ...GOOD, events })).body.id
    const own = (name: string) =>
      other.post('/v1/event-types', { name, description: 'x', schema: { type: 'object' }, example: {} })
    for (const name of ['order.paid', 'order.paid_x', 'order.paid.x'])
      assert.equal((await own(name)).status, 201)
    const asking = [
      await make('order.paid'),
      await make('*'),
      await make('order.paid_x'),
      await make('file.processed', 'order.paid'),
      await make('order.paid.x'),
      await make('file.processed', '*'),
    ]
    const found = async (type: string) =>
      (await readAll(other, `/v1/webhooks?eventType=${encodeURIComponent(type)}`, 2)).map(({ id }) =>
        asking.indexOf(id),
      )
    assert.deepEqual(await found('order.paid'), [5, 3, 1, 0])
    assert.deepEqual(await found('order.paid_x'), [5, 2, 1])
    assert.deepEqual(await found('ORDER.PAID'), [5, 1])
    assert.deepEqual(await found('%'), [5, 1])
    assert.deepEqual(await found('","'), [5, 1])
    assertError(await other.get('/v1/webhooks?eventType='), 'VALIDATION_FAILED', { field: 'eventType' })
  })
})
