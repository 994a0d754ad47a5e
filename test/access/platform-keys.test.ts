import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { DAY, HOUR, SECOND } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError, withPostern } from '../support/attacks.ts'
import { openEvents } from '../support/live-stream.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey, newEmail } from '../support/people.ts'
import { actingFor, foundBy, platformKey } from '../support/platform.ts'
import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { within } from '../support/waits.ts'
import { callsOf, readAll } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

const FIELD = 'Postern-Organization'
const EVENT = { type: 'agent.run.completed', data: RUN }
const KEYS = '/v1/operator/platform-keys'
const newExternalId = () => `cus_${newEmail()}`

onBothEngines('a key of the installation', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const receivers: Receiver[] = []
  after(() => Promise.all(receivers.map((one) => one.stop())))
  async function receive(): Promise<Receiver> {
    const receiver = await startReceiver()
    receivers.push(receiver)
    return receiver
  }

  it('acts for the organization that a request names by its id or external id, and its audit log says who did it', async () => {
    const postern = await server()
    const receiver = await receive()
    const admin = await administrator(postern)
    const externalId = newExternalId()
    await callsOf(postern, OPERATOR_TOKEN).patch(`/v1/operator/organizations/${admin.organizationId}`, {
      externalId,
    })
    const scopes = ['webhooks:read', 'webhooks:write', 'events:write']
    const { id, key } = await platformKey(postern, { name: 'Acme platform', scopes })
    assert.match(key, /^ppk_[0-9A-Za-z]{49}$/)
    const [byId, byExternalId] = [
      actingFor(postern, { key }, admin.organizationId),
      actingFor(postern, { key }, `ext:${externalId}`),
    ]
    const hook = await byId.post('/v1/webhooks', { url: receiver.url, events: [EVENT.type] })
    assert.equal(hook.status, 201, hook.text)
    assert.equal((await byExternalId.post('/v1/events', EVENT)).status, 202)
    await receiver.count(1)
    assert.deepEqual(
      (await byExternalId.get('/v1/webhooks')).body.data.map((one: { id: string }) => one.id),
      [hook.body.id],
    )
    const own = callsOf(postern, admin.token)
    const { body: log } = await own.get(`/v1/audit-log?action=webhook.created`)
    assert.deepEqual(
      log.data.map((one: { actorId: string }) => one.actorId),
      [id],
    )
    const { body: actors } = await own.get(`/v1/actors?ids=${id}`)
    assert.deepEqual(actors.data, [{ id, kind: 'platform_key', name: 'Acme platform' }])
    assertError(await byId.get('/v1/audit-log'), 'FORBIDDEN', {
      reason: 'scope_required',
      scope: 'audit:read',
    })
    assert.ok(!postern.log().includes(key))
  })

  test('must name an organization that there is, and learns of none without the scope of the route', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { key } = await platformKey(postern, { mayCreateOrganizations: false })
    const get = (name?: string) => actingFor(postern, { key }, name).get('/v1/webhooks')
    assertError(await get(), 'MISSING_REQUIRED_FIELD', { field: FIELD })
    for (const name of [
      '',
      ' ',
      'ext:',
      'ext: ',
      'acme',
      'EXT:acme',
      'ext:a b',
      'ext:a,ext:b',
      `ext:${'x'.repeat(256)}`,
    ])
      assertError(await get(name), 'VALIDATION_FAILED', {
        ...{ field: FIELD, reason: 'not_an_organization', value: name.trim().slice(0, 256) },
      })
    assertError(await get('ext:\u00e9'), 'VALIDATION_FAILED', { field: FIELD })
    const unknown = admin.organizationId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const name of [unknown, 'ext:unknown', `ext:${admin.organizationId}`])
      assertError(await get(name), 'ENTITY_NOT_FOUND', { field: FIELD, value: name })
    assertError(
      await actingFor(postern, { key }, 'ext:unknown').post('/v1/events', EVENT),
      'ENTITY_NOT_FOUND',
    )
    // Two headers are one text with a comma, also where both say the same.
    for (const names of [
      [admin.organizationId, admin.organizationId],
      [admin.organizationId, 'ext:unknown'],
    ]) {
      const lines = names.map((name) => `${FIELD}: ${name}\r\n`).join('')
      const head = rawHead('GET /v1/webhooks', { authorization: `Bearer ${key}` })
      const answer = await sendRaw(postern.url, head.replace(/\r\n$/, `${lines}\r\n`))
      const { code, details } = answer.body.error
      assert.deepEqual([code, details.field], ['VALIDATION_FAILED', FIELD])
    }
    assert.equal((await get(admin.organizationId)).status, 200)

    const narrow = await platformKey(postern, { scopes: ['events:write'] })
    for (const name of [admin.organizationId, unknown, 'ext:unknown'])
      assertError(await actingFor(postern, narrow, name).get('/v1/webhooks'), 'FORBIDDEN', {
        reason: 'scope_required',
        scope: 'webhooks:read',
      })
    assertError(await actingFor(postern, narrow, 'ext:narrow').post('/v1/webhooks', {}), 'FORBIDDEN')
    assert.deepEqual(await foundBy(postern, 'narrow'), [])
  })

  it('has no access to an organization that is disabled or deleted', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const key = await platformKey(postern)
    const externalId = newExternalId()
    const calls = actingFor(postern, key, `ext:${externalId}`)
    assert.equal((await calls.post('/v1/events', EVENT)).status, 202)
    const [{ id, name }] = await foundBy(postern, externalId)
    const path = `/v1/operator/organizations/${id}`
    await operator.patch(path, { status: 'disabled' })
    for (const call of [calls, actingFor(postern, key, id)])
      assertError(await call.post('/v1/events', EVENT), 'UNAUTHORIZED', { reason: 'organization_disabled' })
    await operator.patch(path, { status: 'active' })
    assert.equal((await calls.post('/v1/events', EVENT)).status, 202)
    await operator.delete(`${path}?${new URLSearchParams([['name', name]])}`)
    assertError(await actingFor(postern, key, id).post('/v1/events', EVENT), 'ENTITY_NOT_FOUND')
    assertError(await calls.get('/v1/events'), 'ENTITY_NOT_FOUND')
    // The external id is free, and the next use makes another organization.
    assert.equal((await calls.post('/v1/events', EVENT)).status, 202)
    assert.notEqual((await foundBy(postern, externalId))[0].id, id)
  })

  test('is the one credential whose organization the header chooses: any other must name its own', async () => {
    const postern = await server()
    const [admin, other] = [await administrator(postern), await administrator(postern)]
    const externalId = newExternalId()
    await callsOf(postern, OPERATOR_TOKEN).patch(`/v1/operator/organizations/${admin.organizationId}`, {
      externalId,
    })
    const tokens = [admin.token, await apiKey(postern, admin)]
    for (const token of tokens) {
      const get = (name: string) =>
        postern.client().get('/v1/webhooks', { token, headers: { 'postern-organization': name } })
      for (const name of [admin.organizationId, admin.organizationId.toUpperCase().replace('ORG', 'org')])
        assert.equal((await get(name)).status, 200)
      assert.equal((await get(`ext:${externalId}`)).status, 200)
      for (const name of [other.organizationId, `ext:${externalId.toUpperCase()}`, 'ext:x', '', 'acme'])
        assertError(await get(name), 'FORBIDDEN', { field: FIELD, reason: 'another_organization' })
    }
    const headers = { 'postern-organization': admin.organizationId }
    const elsewhere = [
      await admin.client.get('/v1/auth/session', { headers }),
      await postern.client().get('/v1/operator/organizations', { token: OPERATOR_TOKEN, headers }),
    ]
    for (const answer of elsewhere) assertError(answer, 'FORBIDDEN', { reason: 'another_organization' })
    // A stranger finds out nothing by it.
    assertError(await postern.client().get('/v1/webhooks', { headers }), 'UNAUTHORIZED')
  })

  it('makes an organization with the first good POST for an external id, once, and it says so in its audit log', async () => {
    const postern = await server()
    const { id, key } = await platformKey(postern)
    const externalId = newExternalId()
    const calls = actingFor(postern, { key }, `ext:${externalId}`)
    assertError(await calls.get('/v1/webhooks'), 'ENTITY_NOT_FOUND', { field: FIELD })
    assertError(await calls.post('/v1/events', { type: EVENT.type }), 'MISSING_REQUIRED_FIELD')
    // A path with an id makes no organization, because a new one cannot have the thing.
    const elsewhere = `/v1/webhooks/${newId('webhook', postern.clock.now())}/rotate-secret`
    assertError(await calls.post(elsewhere), 'ENTITY_NOT_FOUND', { field: FIELD })
    const narrow = await platformKey(postern, { scopes: ['events:write'] })
    const dry = await actingFor(postern, narrow, `ext:${externalId}`).post('/v1/events?dryRun=true', EVENT)
    assertError(dry, 'FORBIDDEN', { reason: 'scope_required', scope: 'webhooks:read' })
    assert.deepEqual(await foundBy(postern, externalId), [], 'a refused request makes none')
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        calls.post('/v1/events', EVENT, { 'idempotency-key': `event-${at % 2}` }),
      ),
    )
    for (const answer of answers)
      if (answer.status !== 202) assertError(answer, 'DUPLICATE', { reason: 'still_running' })
    const [made, ...others] = await foundBy(postern, externalId)
    assert.deepEqual([made.name, made.plan, others.length], [externalId, 'unlimited', 0])
    const again = await calls.post('/v1/events', EVENT, { 'idempotency-key': 'event-0' })
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal((await readAll(calls, '/v1/events')).length, 2)
    const { body } = await calls.get('/v1/audit-log?action=organization.created')
    assert.deepEqual(
      body.data.map(({ actorId, details }: { actorId: string; details: object }) => [actorId, details]),
      [[id, { name: externalId, plan: 'unlimited', externalId }]],
    )
    // Where the external id is taken as a name, or too long for one, the organization is named by its own id.
    const taken = newExternalId()
    await administrator(postern, taken)
    for (const one of [taken, 'x'.repeat(101)]) {
      const sent = await actingFor(postern, { key }, `ext:${one}`).post('/v1/events', EVENT)
      assert.equal(sent.status, 202, sent.text)
      const [{ id: organizationId, name }] = await foundBy(postern, one)
      assert.equal(name, organizationId)
    }
  })

  it('works with its earlier secret for the hours of the overlap, and ends when it expires', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const admin = await administrator(postern)
    const { id, key } = await platformKey(postern, { expiresInDays: 2 })
    const rotated = await operator.post(`${KEYS}/${id}/rotate`, { overlapHours: 3 })
    assert.equal(rotated.status, 200, rotated.text)
    const ask = (secret: string) =>
      actingFor(postern, { key: secret }, admin.organizationId).get('/v1/webhooks')
    assert.notEqual(rotated.body.key, key)
    for (const secret of [key, rotated.body.key]) assert.equal((await ask(secret)).status, 200)
    postern.clock.advance(3 * HOUR)
    assertError(await ask(key), 'UNAUTHORIZED')
    assert.equal((await ask(rotated.body.key)).status, 200)
    const between = await operator.post(`${KEYS}/${id}/rotate`, {})
    for (const secret of [rotated.body.key, between.body.key]) assert.equal((await ask(secret)).status, 200)
    for (let kept = 1; kept < 5; kept += 1) await operator.post(`${KEYS}/${id}/rotate`, {})
    assertError(await operator.post(`${KEYS}/${id}/rotate`, {}), 'FORBIDDEN', { reason: 'too_many_secrets' })
    const atOnce = await operator.post(`${KEYS}/${id}/rotate`, { overlapHours: 0 })
    for (const secret of [rotated.body.key, between.body.key]) assertError(await ask(secret), 'UNAUTHORIZED')
    assert.equal((await ask(atOnce.body.key)).status, 200)
    const listed = await readAll(operator, KEYS)
    const { hint, lastUsedAt, expiresAt } = listed.find((one) => one.id === id)
    assert.equal(hint, atOnce.body.key.slice(-4))
    assert.ok(lastUsedAt !== null)
    assert.equal(expiresAt, rotated.body.expiresAt)
    postern.clock.advance(2 * DAY)
    assertError(await ask(atOnce.body.key), 'UNAUTHORIZED')
  })

  it('is changed at once in its name, addresses and end, which its pending invitations share, and never in what it may do', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const admin = await administrator(postern)
    const { id, key } = await platformKey(postern, { scopes: ['webhooks:read', 'invitations:write'] })
    const calls = actingFor(postern, { key }, admin.organizationId)
    const invited = (await calls.post('/v1/invitations', { email: newEmail('invited'), expiresInDays: 9 }))
      .body
    const at = `${KEYS}/${id}`
    const changed = await operator.patch(at, {
      name: ' Other ',
      expiresInDays: 2,
      allowedAddresses: ['203.0.113.0/24'],
    })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [changed.body.name, changed.body.allowedAddresses, changed.body.scopes],
      ['Other', ['203.0.113.0/24'], ['invitations:write', 'webhooks:read']],
    )
    const now = (await callsOf(postern, admin.token).get(`/v1/invitations/${invited.id}`)).body
    assert.equal(now.expiresAt, changed.body.expiresAt)
    assertError(await calls.get('/v1/webhooks'), 'FORBIDDEN', { reason: 'address_not_allowed' })
    const forever = (await operator.patch(at, { allowedAddresses: null, expiresInDays: null })).body
    assert.deepEqual([forever.name, forever.allowedAddresses, forever.expiresAt], ['Other', null, null])
    assert.equal((await calls.get('/v1/webhooks')).status, 200)
    assertError(await operator.patch(at, { scopes: ['events:write'] }), 'VALIDATION_FAILED')
    assertError(await operator.patch(at, {}), 'VALIDATION_FAILED')
    assertError(
      await operator.patch(`${KEYS}/${newId('platformKey', postern.clock.now())}`, { name: 'x' }),
      'ENTITY_NOT_FOUND',
    )
  })

  it('that is revoked is refused at once, its streams end, and so do its invitations and the keys that it made, if asked', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const admin = await administrator(postern)
    const [first, second] = [await platformKey(postern), await platformKey(postern)]
    const ids: string[] = []
    for (const key of [first, second]) {
      const calls = actingFor(postern, key, admin.organizationId)
      const made = await calls.post('/v1/api-keys', { name: 'made by the platform' })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.body.createdBy, key.id)
      ids.push(made.body.id)
      assert.equal((await calls.post('/v1/invitations', { email: newEmail('invited') })).status, 201)
    }
    const headers = { authorization: `Bearer ${first.key}`, 'postern-organization': admin.organizationId }
    const stream = await openEvents(`${postern.url}/v1/stream`, { headers })
    await stream.sees('the beginning', ({ event }) => event === 'open')
    assert.equal((await operator.delete(`${KEYS}/${first.id}`)).status, 204)
    assertError(await actingFor(postern, first, admin.organizationId).get('/v1/webhooks'), 'UNAUTHORIZED')
    postern.clock.advance(LIFETIME.credentialCache)
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    await within('the stream to end', stream.over)
    const own = callsOf(postern, admin.token)
    const statuses = async () =>
      (await readAll(own, '/v1/invitations'))
        .filter(({ inviterId }) => inviterId !== null)
        .map(({ inviterId, status }) => [inviterId, status])
        .toReversed()
    assert.deepEqual(await statuses(), [
      [first.id, 'revoked'],
      [second.id, 'pending'],
    ])
    const keys = async () => (await readAll(own, '/v1/api-keys')).map(({ id }) => id).toReversed()
    assert.deepEqual(await keys(), ids)
    assert.equal((await operator.delete(`${KEYS}/${second.id}?withMade=true`)).status, 204)
    assert.deepEqual(await keys(), [ids[0]])
    assertError(await operator.delete(`${KEYS}/${second.id}`), 'ENTITY_NOT_FOUND')
    assert.ok((await readAll(operator, KEYS)).every(({ id }) => id !== first.id && id !== second.id))
  })

  test('acts for the same organization through /mcp, and a stream ends when its external id is that of another', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const [admin, other] = [await administrator(postern), await administrator(postern)]
    const externalId = newExternalId()
    const own = `/v1/operator/organizations/${admin.organizationId}`
    await operator.patch(own, { externalId })
    const { key } = await platformKey(postern)
    const calls = actingFor(postern, { key }, `ext:${externalId}`)
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_webhooks', arguments: {} },
    }
    const receiver = await receive()
    const made = await calls.post('/v1/webhooks', { url: receiver.url, events: ['*'] })
    const { body } = await calls.post('/mcp', message, { accept: 'application/json, text/event-stream' })
    assert.deepEqual(
      body.result.structuredContent.data.map(({ id }: { id: string }) => id),
      [made.body.id],
    )
    const headers = { authorization: `Bearer ${key}`, 'postern-organization': `ext:${externalId}` }
    const stream = await openEvents(`${postern.url}/v1/stream`, { headers })
    await stream.sees('the beginning', ({ event }) => event === 'open')
    await operator.patch(own, { externalId: null })
    await operator.patch(`/v1/operator/organizations/${other.organizationId}`, { externalId })
    postern.clock.advance(LIFETIME.credentialCache)
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    await within('the stream to end', stream.over)
    assert.deepEqual((await calls.get('/v1/webhooks')).body.data, [])
  })

  test('comes from its networks alone, and makes no key with a wider reach', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = async (allowedAddresses: string[]) =>
      actingFor(postern, await platformKey(postern, { allowedAddresses }), admin.organizationId)
    assertError(await (await calls(['203.0.113.0/24'])).get('/v1/webhooks'), 'FORBIDDEN', {
      reason: 'address_not_allowed',
    })
    const here = await calls(['127.0.0.0/8', '::1'])
    assert.equal((await here.get('/v1/webhooks')).status, 200)
    const wide = await here.post('/v1/api-keys', { name: 'wide', allowedAddresses: ['10.0.0.0/8'] })
    assertError(wide, 'FORBIDDEN', { reason: 'beyond_own_addresses' })
    const within = await here.post('/v1/api-keys', { name: 'within', allowedAddresses: ['127.0.0.1'] })
    assert.equal(within.status, 201, within.text)
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const wrong = { name: 'wrong', scopes: null, allowedAddresses: ['10.0.0.1/8'] }
    assertError(await operator.post(KEYS, wrong), 'VALIDATION_FAILED', { field: 'allowedAddresses.0' })
  })

  test('gives no right that it lacks', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const key = await platformKey(postern, { scopes: ['keys:write', 'events:write', 'invitations:write'] })
    const calls = actingFor(postern, key, admin.organizationId)
    const wide = await calls.post('/v1/api-keys', { name: 'wide', role: 'administrator' })
    assertError(wide, 'FORBIDDEN', { reason: 'scope_required' })
    assertError(
      await calls.post('/v1/invitations', { email: newEmail(), role: 'administrator' }),
      'FORBIDDEN',
    )
    const narrow = await calls.post('/v1/api-keys', { name: 'narrow', scopes: ['events:write'] })
    assert.equal(narrow.status, 201, narrow.text)
  })

  it('serves any number of organizations, each made by its external id, with a webhook and a delivered event of its own', async () => {
    const postern = await server()
    const receiver = await receive()
    const key = await platformKey(postern)
    const externalIds = Array.from({ length: nightly(1_000, 15) }, newExternalId)
    for (const externalId of externalIds) {
      const calls = actingFor(postern, key, `ext:${externalId}`)
      const hook = await calls.post('/v1/webhooks', {
        url: `${receiver.url}/${encodeURIComponent(externalId)}`,
        events: [EVENT.type],
      })
      assert.equal(hook.status, 201, hook.text)
      const sent = await calls.post('/v1/events', { ...EVENT, data: { ...RUN, runId: externalId } })
      assert.equal(sent.status, 202, sent.text)
    }
    const received = await receiver.count(externalIds.length)
    assert.deepEqual(
      received.map(({ path, event }) => [path, event.data.runId]).sort(),
      externalIds.map((one) => [`/${encodeURIComponent(one)}`, one]).sort(),
    )
  })

  it('uses up half of its own rate in one organization at most, so that others have the rest, and makes so many in an hour', () =>
    withPostern(
      engine,
      {
        env: {
          LIMITS: JSON.stringify({ platformKey: { max: 10 }, organizationsPerPlatformKey: { max: 3 } }),
        },
      },
      async (postern) => {
        const key = await platformKey(postern)
        const [one, two] = ['ext:one', 'ext:two'].map((name) => actingFor(postern, key, name))
        assert.equal((await one?.post('/v1/events', EVENT))?.status, 202)
        assert.equal((await two?.post('/v1/events', EVENT))?.status, 202)
        const statuses = async (calls: typeof one, times: number) => {
          const found: (number | undefined)[] = []
          for (let time = 0; time < times; time += 1) found.push((await calls?.get('/v1/events'))?.status)
          return found
        }
        assert.deepEqual(await statuses(one, 8), [200, 200, 200, 200, 200, 429, 429, 429])
        assert.deepEqual(await statuses(two, 4), [200, 200, 200, 429])
        postern.clock.advance(60 * SECOND)
        assert.equal((await actingFor(postern, key, 'ext:three').post('/v1/events', EVENT)).status, 202)
        const fourth = await actingFor(postern, key, 'ext:four').post('/v1/events', EVENT)
        assertError(fourth, 'RATE_LIMITED')
        assert.deepEqual(await foundBy(postern, 'four'), [])
        assert.deepEqual(await statuses(two, 1), [200])
      },
    ))
})
