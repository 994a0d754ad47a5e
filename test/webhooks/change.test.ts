import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Id } from '#src/core/id.ts'
import { assertError, atOnce, tally } from '../support/attacks.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

const newPath = () => `path-${crypto.randomUUID().slice(0, 8)}`

onBothEngines('changing a webhook', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const calls = async () => callsOf((await sender()).postern, (await sender()).key)
  const register = async (more = {}) => (await sender()).register('http://127.0.0.1:9/hooks', more)

  it('changes only the named members', async () => {
    const { id } = await register({ description: 'before' })
    const own = await calls()
    const before = (await own.get(`/v1/webhooks/${id}`)).body
    const endpointPath = newPath()
    for (const change of [
      { url: 'http://127.0.0.1:10/' },
      { events: ['*'] },
      { endpointPath },
      { description: null },
      { maxInFlight: 1 },
      { status: 'paused' },
      { status: 'active', endpointPath: null },
    ]) {
      const answer = await own.patch(`/v1/webhooks/${id}`, change)
      assert.equal(answer.status, 200, answer.text)
      const { updatedAt, health } = answer.body
      assert.equal(health.state, change.status === 'paused' ? 'paused' : 'delivering')
      assert.deepEqual(answer.body, { ...before, ...change, updatedAt, health })
      assert.deepEqual((await own.get(`/v1/webhooks/${id}`)).body, answer.body)
      Object.assign(before, change)
    }
  })

  test('checks each member like a registration', async () => {
    const { id } = await register()
    const own = await calls()
    for (const [change, code, details] of [
      [{}, 'VALIDATION_FAILED', { field: 'body' }],
      [{ id: 'whk_1' }, 'VALIDATION_FAILED', { field: 'id' }],
      [{ secret: 'whsec_x' }, 'VALIDATION_FAILED', { field: 'secret', value: '[redacted]' }],
      [{ url: null }, 'TYPE_MISMATCH', { field: 'url' }],
      [{ url: 'http://10.0.0.1/' }, 'VALIDATION_FAILED', { field: 'url', reason: 'address_not_allowed' }],
      [{ events: [] }, 'VALIDATION_FAILED', { field: 'events' }],
      [{ events: ['no.such'] }, 'VALIDATION_FAILED', { field: 'events.0' }],
      [{ endpointPath: 'preview' }, 'VALIDATION_FAILED', { field: 'endpointPath', reason: 'reserved' }],
      [{ status: 'disabled' }, 'VALIDATION_FAILED', { field: 'status', value: 'disabled' }],
      [{ status: 'deleted' }, 'VALIDATION_FAILED', { field: 'status', value: 'deleted' }],
      [{ maxInFlight: 1_000 }, 'VALIDATION_FAILED', { field: 'maxInFlight' }],
    ] as const) {
      assertError(await own.patch(`/v1/webhooks/${id}`, change), code, details)
    }
  })

  it('sends the next event to the new URL, and only subscribed types', async () => {
    const { receiver, publish } = await sender()
    const [old, fresh] = [await receiver(), await receiver()]
    const { id } = await (await sender()).register(old.url)
    await publish()
    await old.count(1)
    const own = await calls()
    await own.patch(`/v1/webhooks/${id}`, { url: fresh.url })
    await publish()
    await fresh.count(1)
    await own.patch(`/v1/webhooks/${id}`, { events: ['file.processed'] })
    await publish()
    const event = await own.post('/v1/events', { type: 'file.processed', data: {} })
    const [, second] = await fresh.count(2)
    assert.equal(second?.event.id, event.body.id)
    assert.equal(old.received.length, 1)
  })

  it('sends a waiting retry to the new URL, so that a wrong URL can be corrected', async () => {
    const { postern, receiver, publish, delivery } = await sender()
    const [broken, right] = [await receiver(), await receiver()]
    broken.answer = (_call, response) => void response.writeHead(500).end()
    const { id } = await (await sender()).register(broken.url)
    const event = await publish()
    await delivery(id, ({ attemptCount }) => attemptCount === 1)
    await (await calls()).patch(`/v1/webhooks/${id}`, { url: right.url })
    postern.clock.advance(1_000)
    const [call] = await right.count(1)
    assert.equal(call?.event.id, event.id)
  })

  it('does not give a taken path to another organization, also with concurrent requests', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const own = await calls()
    const endpointPath = newPath()
    const mine = await atOnce(5, () => register())
    const theirs = await atOnce(5, () =>
      other.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] }),
    )
    const answers = await Promise.all([
      ...mine.map(({ id }) => own.patch(`/v1/webhooks/${id}`, { endpointPath })),
      ...theirs.map(({ body }) => other.patch(`/v1/webhooks/${body.id}`, { endpointPath })),
    ])
    assert.deepEqual(tally(answers), { 200: 1, 409: 9 })
    const [winner] = answers.filter(({ status }) => status === 200)
    for (const answer of answers)
      if (answer.status === 409) assertError(answer, 'DUPLICATE', { field: 'endpointPath' })
    const repeated = await (mine.some(({ id }) => id === winner?.body.id) ? own : other).patch(
      `/v1/webhooks/${winner?.body.id}`,
      { endpointPath },
    )
    assert.equal(repeated.status, 200, 'its own path is not taken')
  })

  it('frees the path of a deleted or changed webhook for its own organization only', async () => {
    const { postern } = await sender()
    const other = callsOf(postern, await apiKey(postern, await administrator(postern)))
    const theirs = await other.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] })
    const own = await calls()
    const endpointPath = newPath()
    const isKeptFromOthers = async () => {
      const body = { url: 'http://127.0.0.1:9/', events: ['*'], endpointPath }
      const change = await other.patch(`/v1/webhooks/${theirs.body.id}`, { endpointPath })
      for (const answer of [await other.post('/v1/webhooks', body), change])
        assertError(answer, 'DUPLICATE', { field: 'endpointPath', value: endpointPath })
      assertError(await postern.client().post(`/v1/webhooks/${endpointPath}`, {}), 'ENTITY_NOT_FOUND')
    }
    const first = await register({ endpointPath })
    await own.delete(`/v1/webhooks/${first.id}`)
    await isKeptFromOthers()
    const second = await register({ endpointPath })
    await own.patch(`/v1/webhooks/${second.id}`, { endpointPath: null })
    await isKeptFromOthers()
    await own.patch(`/v1/webhooks/${second.id}`, { endpointPath })
    await own.patch(`/v1/webhooks/${second.id}`, { endpointPath: newPath() })
    await isKeptFromOthers()
    await register({ endpointPath })
  })

  it('keeps at most 1,000 paths of an organization that none of its webhooks has', async () => {
    const { postern } = await sender()
    const admin = await administrator(postern)
    const other = callsOf(postern, await apiKey(postern, admin))
    const { id } = (await other.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] })).body
    const given = Array.from({ length: 999 }, () => ({
      path: newPath(),
      organization_id: admin.organizationId as Id<'organization'>,
      created_at: 0,
    }))
    await postern.app.database.tx((tx) => tx.insertInto('endpoint_path').values(given).execute())
    for (const path of [newPath(), newPath()])
      assert.equal((await other.patch(`/v1/webhooks/${id}`, { endpointPath: path })).status, 200)
    assertError(await other.patch(`/v1/webhooks/${id}`, { endpointPath: newPath() }), 'FORBIDDEN', {
      reason: 'too_many_endpoint_paths',
      limit: 1_000,
    })
    // A path that it already owns does not count again.
    assert.equal((await other.patch(`/v1/webhooks/${id}`, { endpointPath: given[0]?.path })).status, 200)
  })

  test('accepts an id with or without its prefix, and answers any other with INVALID_UUID', async () => {
    const { id } = await register()
    const own = await calls()
    assert.equal((await own.patch(`/v1/webhooks/${id.slice(4)}`, { description: 'x' })).body.id, id)
    for (const bad of ['whk_1', id.replace('whk', 'evt'), crypto.randomUUID(), 'x'.repeat(100)]) {
      assertError(await own.patch(`/v1/webhooks/${bad}`, { description: 'x' }), 'INVALID_UUID', {
        field: 'id',
      })
    }
  })

  test('requires an administrator', async () => {
    const { postern, admin } = await sender()
    const { id } = await register()
    const asMember = callsOf(postern, await apiKey(postern, admin, 'member'))
    assertError(await asMember.patch(`/v1/webhooks/${id}`, { description: 'x' }), 'FORBIDDEN')
    assertError(await asMember.delete(`/v1/webhooks/${id}`), 'FORBIDDEN')
    assertError(await asMember.post(`/v1/webhooks/${id}/rotate-secret`), 'FORBIDDEN')
  })

  it('is in the audit log, for every change', async () => {
    const { postern, admin, receiver, register } = await sender()
    const client = postern.client()
    const call = { token: admin.token }
    const { id } = await register((await receiver()).url)
    await client.patch(`/v1/webhooks/${id}`, { status: 'paused' }, call)
    await client.post(`/v1/webhooks/${id}/rotate-secret`, {}, call)
    await client.delete(`/v1/webhooks/${id}`, call)
    const log = await client.get('/v1/audit-log?limit=100', call)
    const mine = log.body.data.filter(({ targetId }: { targetId: string }) => targetId === id)
    assert.deepEqual(
      mine.map(({ action }: { action: string }) => action),
      ['webhook.deleted', 'webhook.secret_rotated', 'webhook.updated', 'webhook.created'],
    )
    assert.equal(log.text.includes('whsec_'), false)
  })
})
