import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

const GOOD = { type: 'agent.run.completed', data: RUN }
const json = { 'content-type': 'application/json' }

onBothEngines('publishing a batch', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const batch = async (events: unknown[], headers = {}) => {
    const { postern, key } = await sender()
    return callsOf(postern, key).post('/v1/events/batch', { events }, headers)
  }

  it('answers each event in its order with an id or an error, and sends the valid ones', async () => {
    const { receiver, register } = await sender()
    const destination = await receiver()
    await register(destination.url, { events: ['*'] })
    const { status, body } = await batch([
      GOOD,
      { ...GOOD, type: 'no.such' },
      { ...GOOD, data: { ...RUN, durationMs: 'long' } },
      { ...GOOD, type: 'invitation.created' },
      { type: 'file.processed', data: { text: 'x'.repeat(256 * 1024) } },
      { type: 'file.processed', data: { deep: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) } },
      { type: 'file.processed', data: { last: true } },
    ])
    assert.equal(status, 202)
    const results = body.results as {
      id?: string
      error?: { code: string; details: object; message: string }
    }[]
    assert.equal(results.length, 7)
    assert.deepEqual(
      results.map(({ error }) => error && { code: error.code, ...pick(error.details) }),
      [
        undefined,
        { code: 'VALIDATION_FAILED', field: 'type', reason: 'unknown_event_type' },
        { code: 'TYPE_MISMATCH', field: 'data.durationMs', reason: undefined },
        { code: 'VALIDATION_FAILED', field: 'type', reason: 'reserved_event_type' },
        { code: 'VALIDATION_FAILED', field: 'data', reason: 'too_large' },
        { code: 'VALIDATION_FAILED', field: 'data', reason: 'too_deep' },
        undefined,
      ],
    )
    const ids = results.flatMap(({ id }) => (id === undefined ? [] : [id]))
    const received = await destination.count(2)
    assert.deepEqual(received.map(({ event }) => event.id).sort(), ids.sort())
  })

  it('accepts 1,000 events, and refuses 0 and 1,001', async () => {
    const { postern, receiver, register } = await sender()
    const destination = await receiver()
    await register(destination.url, { events: ['file.processed'] })
    // An answer that a busy machine brings after 30 seconds would be asked for again.
    using _still = postern.clock.stop()
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: 'file.processed', data: { index } }))
    const { status, body } = await batch(many(1_000))
    assert.equal(status, 202)
    assert.equal(new Set(body.results.map(({ id }: { id: string }) => id)).size, 1_000)
    const received = await destination.count(1_000)
    assert.equal(new Set(received.map(({ event }) => event.id)).size, 1_000)
    assertError(await batch([]), 'VALIDATION_FAILED', { field: 'events' })
    assertError(await batch(many(1_001)), 'VALIDATION_FAILED', { field: 'events' })
  })

  test('refuses the whole batch if the form of an event is wrong, and names its place', async () => {
    for (const [events, code, field] of [
      [[GOOD, {}], 'MISSING_REQUIRED_FIELD', 'events.1.type'],
      [[GOOD, { ...GOOD, data: 'x' }], 'TYPE_MISMATCH', 'events.1.data'],
      [[GOOD, 7], 'TYPE_MISMATCH', 'events.1'],
      [[{ ...GOOD, id: 'evt_1' }], 'VALIDATION_FAILED', 'events.0.id'],
    ] as const) {
      assertError(await batch([...events]), code, { field })
    }
  })

  test('does not parse an event that is too large, and accepts the others', async () => {
    const { postern, key } = await sender()
    const large = `{"type":"file.processed","data":{"text":"${'\\u0041'.repeat(100_000)}","x":nothing}}`
    const good = JSON.stringify(GOOD)
    const body = `{"events":[${[good, large, good].join()}]}`
    const answer = await callsOf(postern, key).post('/v1/events/batch', body, json)
    assert.equal(answer.status, 202, answer.text)
    const results = answer.body.results as { id?: string; error?: { details: object } }[]
    assert.deepEqual(
      results.map(({ error }) => error && pick(error.details)),
      [undefined, { field: 'data', reason: 'too_large' }, undefined],
    )
  })

  test('accepts data with 10,000 different names, and refuses more, alone and in a batch', async () => {
    const { postern, key } = await sender()
    const own = callsOf(postern, key)
    const eventOf = (count: number) => ({
      type: 'file.processed',
      data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1])),
    })
    const [most, more] = [eventOf(10_000), eventOf(10_001)]
    const refused = { field: 'data', reason: 'too_many_names' }
    assert.equal((await own.post('/v1/events', most)).status, 202)
    assertError(await own.post('/v1/events', more), 'VALIDATION_FAILED', refused)
    assert.equal((await batch([most])).status, 202)
    assertError(await batch([most, more]), 'VALIDATION_FAILED', { ...refused, field: 'events.1.data' })
  })

  test('refuses millions of mistakes in 16 MiB without listing them', async () => {
    const { postern, key } = await sender()
    const own = callsOf(postern, key)
    const numbers = await own.post('/v1/events/batch', `{"events":[${'1,'.repeat(4_000_000)}1]}`, json)
    assertError(numbers, 'VALIDATION_FAILED', { field: 'events' })
    assert.equal(numbers.body.error.details.issues.length, 1)
    const nested = await own.post('/v1/events/batch', `{"events":[[${'1,'.repeat(4_000_000)}1]]}`, json)
    assertError(nested, 'VALIDATION_FAILED', { field: 'events.0', reason: 'too_many_values' })
    assert.ok(nested.text.length < 2_000)
    const tooLarge = await own.post('/v1/events/batch', `"${'x'.repeat(16 * 1024 * 1024)}"`, json)
    assertError(tooLarge, 'VALIDATION_FAILED', { field: 'body', reason: 'too_large' })
  })

  it('makes its events once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const events = [GOOD, { ...GOOD, type: 'no.such' }]
    const first = await batch(events, headers)
    const repeated = await batch(events, headers)
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(repeated.body, first.body)
    assertError(await batch([GOOD], headers), 'VALIDATION_FAILED', { field: 'Idempotency-Key' })
  })
})

function pick(details: object): object {
  const { field, reason } = details as { field: string; reason?: string }
  return { field, reason }
}
