import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { LIFETIME } from '#src/core/limits.ts'
import { PERMISSION_NAMES, permissionRow } from '#src/http/permissions.ts'
import { assertError } from '../support/attacks.ts'
import type { Call } from '../support/browser.ts'
import { watchLive } from '../support/live-stream.ts'
import { connectMcp } from '../support/mcp-client.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { createTenant } from '../support/tenants.ts'
import { within } from '../support/waits.ts'
import { RUN } from '../support/webhooks.ts'

const ADMINISTRATORS = PERMISSION_NAMES.filter((name) => permissionRow(name).role === 'administrator')
const EVENT = { type: 'agent.run.completed', data: RUN }

/** Narrows a key in the database only, which no request can, so that cached checks stay as they were. */
async function narrow({ app }: Postern, key: string, scopes: string[]): Promise<void> {
  await app.database.tx((tx) =>
    tx
      .updateTable('api_key')
      .set({ scopes: JSON.stringify(scopes) })
      .where('hint', '=', key.slice(-4))
      .execute(),
  )
}

onBothEngines('an API key with scopes', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  let stand: Promise<{ postern: Postern; admin: Person }> | undefined
  const all = () => {
    stand ??= server().then(async (postern) => ({ postern, admin: await administrator(postern) }))
    return stand
  }
  /** Calls as the holder of an administrator's key with these scopes. */
  const holder = async (...scopes: string[]) => {
    const { postern, admin } = await all()
    const token = await apiKey(postern, admin, 'administrator', scopes)
    const client = postern.client()
    return {
      token,
      get: (path: string, call: Call = {}) => client.get(path, { token, ...call }),
      post: (path: string, body: object, call: Call = {}) => client.post(path, body, { token, ...call }),
      patch: (path: string, body: object) => client.patch(path, body, { token }),
    }
  }
  const make = async (body: object) => {
    const { postern, admin } = await all()
    return postern.client().post('/v1/api-keys', { name: 'narrow', ...body }, { token: admin.token })
  }

  test('shows them in the order of the table, and has the lowest role that has them all', async () => {
    const { postern, admin } = await all()
    const token = { token: admin.token }
    const made = await make({ scopes: ['events:write', 'members:read', 'events:write'] })
    assert.deepEqual([made.status, made.body.role], [201, 'administrator'], made.text)
    assert.deepEqual(made.body.scopes, ['members:read', 'events:write'])
    assert.equal((await make({ scopes: ['members:read'] })).body.role, 'member')
    for (const body of [{}, { scopes: null }, { role: 'member' }]) {
      const whole = (await make(body)).body
      assert.deepEqual([whole.role, whole.scopes], ['member', null])
    }
    const { data } = (await postern.client().get('/v1/api-keys', token)).body
    const listed = data.find(({ id }: { id: string }) => id === made.body.id)
    assert.deepEqual(listed.scopes, ['members:read', 'events:write'])
    const log = await postern.client().get(`/v1/audit-log?target=${made.body.id}`, token)
    assert.equal(log.body.data[0].details.scopes, 'members:read events:write')
  })

  test('has scopes of a list that every program can read', async () => {
    const { postern } = await all()
    const { data } = (await postern.client().get('/v1/scopes')).body
    assert.deepEqual(
      data.map(({ scope }: { scope: string }) => scope),
      PERMISSION_NAMES,
    )
    const lowest = data.filter(({ role }: { role: string }) => role === 'administrator')
    assert.deepEqual(
      lowest.map(({ scope }: { scope: string }) => scope),
      ADMINISTRATORS,
    )
  })

  test('is refused with a scope that there is not, or that its role does not have', async () => {
    const unknown = await make({ scopes: ['events:read', 'events:wrte'] })
    assertError(unknown, 'VALIDATION_FAILED', { field: 'scopes.1', value: 'events:wrte' })
    assertError(await make({ scopes: [] }), 'VALIDATION_FAILED', { field: 'scopes' })
    const many = [...PERMISSION_NAMES, 'events:read']
    assertError(await make({ scopes: many }), 'VALIDATION_FAILED', { field: 'scopes' })
    assertError(await make({ scopes: 'events:read' }), 'TYPE_MISMATCH', { field: 'scopes' })
    for (const scope of ADMINISTRATORS) {
      const answer = await make({ role: 'member', scopes: ['members:read', scope] })
      assertError(answer, 'VALIDATION_FAILED', { field: 'scopes.1', value: scope, reason: 'not_of_role' })
    }
  })

  test('makes no key that may more than itself', async () => {
    const { post } = await holder('keys:write', 'events:write', 'events:read')
    const ask = (body: object) => post('/v1/api-keys', { name: 'made by a key', ...body })
    for (const scopes of [['events:write'], ['keys:write', 'events:read']])
      assert.deepEqual((await ask({ scopes })).body.scopes, scopes)
    const beyond = await ask({ scopes: ['events:read', 'audit:read'] })
    assertError(beyond, 'FORBIDDEN', { reason: 'scope_required', scope: 'audit:read' })
    for (const role of ['member', 'administrator'])
      assertError(await ask({ role }), 'FORBIDDEN', { reason: 'scope_required', scope: 'organization:read' })
  })

  it('gets no secret of another service account, whose own things it may not reach', async () => {
    const { postern } = await all()
    const victim = (await make({ scopes: ['conversations:read', 'conversations:write', 'events:read'] })).body
    const begun = await postern.client().post('/v1/conversations', { title: 'own' }, { token: victim.key })
    assert.equal(begun.status, 201, begun.text)
    const { serviceAccountId } = victim
    const narrow = await holder('keys:write', 'events:read', 'conversations:read', 'conversations:write')
    const wish = { name: 'theirs', serviceAccountId }
    const lacking = { reason: 'scope_required', scope: 'conversations:all' }
    const scopes = ['events:read', 'conversations:read']
    assertError(await narrow.post('/v1/api-keys', { ...wish, scopes }), 'FORBIDDEN', lacking)
    assertError(await narrow.post(`/v1/api-keys/${victim.id}/rotate`, {}), 'FORBIDDEN', lacking)
    // Events have no owner, so a key of the other service account with `events:read` alone may be made.
    assert.equal((await narrow.post('/v1/api-keys', { ...wish, scopes: ['events:read'] })).status, 201)
    assert.equal((await narrow.post('/v1/api-keys', { name: 'new', scopes })).status, 201)
    const every = await holder(...scopes, 'keys:write', 'conversations:write', 'conversations:all')
    const theirs = await every.post('/v1/api-keys', { ...wish, scopes })
    const { data } = (await postern.client().get('/v1/conversations', { token: theirs.body.key })).body
    assert.deepEqual([theirs.status, data[0].id], [201, begun.body.id])
    assert.equal((await every.post(`/v1/api-keys/${victim.id}/rotate`, {})).status, 200)
  })

  test('makes members of people, and no administrators', async () => {
    const { postern, admin } = await all()
    const inviting = await holder('invitations:write')
    const lacking = { reason: 'scope_required', scope: 'organization:read' }
    const invite = (body: object) => inviting.post('/v1/invitations', { email: newEmail(), ...body })
    const invited = await invite({})
    assert.equal(invited.body.role, 'member', invited.text)
    assertError(await invite({ role: 'administrator' }), 'FORBIDDEN', lacking)
    const rows = [{ email: newEmail() }, { email: newEmail(), role: 'administrator' }]
    const { results } = (await inviting.post('/v1/invitations/bulk', { invitations: rows })).body
    assert.equal(results[0].invitation.role, 'member')
    assert.deepEqual([results[1].error.code, results[1].error.details], ['FORBIDDEN', lacking])
    const wish = { email: newEmail(), role: 'administrator' }
    const theirs = await postern.client().post('/v1/invitations', wish, { token: admin.token })
    const resend = (id: string) => inviting.post(`/v1/invitations/${id}/resend`, {})
    assertError(await resend(theirs.body.id), 'FORBIDDEN', lacking)
    assert.equal((await resend(invited.body.id)).status, 200)
    const person = await member(postern, admin)
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    const { patch } = await holder('members:write')
    assertError(await patch(path, { role: 'administrator' }), 'FORBIDDEN', lacking)
    assert.equal((await patch(path, { role: 'member' })).status, 200)
    const whole = await holder(...PERMISSION_NAMES)
    assert.equal((await whole.patch(path, { role: 'administrator' })).status, 200)
  })

  it('must have the scope when a right is given, whatever was remembered of it', async () => {
    const { postern, admin } = await all()
    const path = `/v1/organizations/${admin.organizationId}/members`
    const { accountId } = await member(postern, admin)
    const { body: invited } = await postern
      .client()
      .post('/v1/invitations', { email: newEmail() }, { token: admin.token })
    const { body: key } = await make({})
    const email = newEmail()
    const writes: [scope: string, method: string, path: string, body?: object][] = [
      ['organization:write', 'PATCH', `/v1/organizations/${admin.organizationId}`, { name: 'Other' }],
      ['members:write', 'PATCH', `${path}/${accountId}`, { role: 'member' }],
      ['members:write', 'DELETE', `${path}/${accountId}`],
      ['invitations:write', 'POST', '/v1/invitations', { email }],
      ['invitations:write', 'POST', '/v1/invitations/bulk', { invitations: [{ email }] }],
      ['invitations:write', 'POST', `/v1/invitations/${invited.id}/resend`],
      ['invitations:write', 'DELETE', `/v1/invitations/${invited.id}`],
      ['keys:write', 'POST', '/v1/api-keys', { name: 'late', scopes: ['keys:write'] }],
      ['keys:write', 'DELETE', `/v1/api-keys/${key.id}`],
    ]
    using _ = postern.clock.stop()
    for (const [scope, method, path, body] of writes) {
      const { get, token } = await holder(scope, 'organization:read')
      // The verdict about the key is remembered: admission lets the next call in.
      assert.equal((await get('/v1/organizations')).status, 200)
      await narrow(postern, token, ['organization:read'])
      const answer = await postern.client().call(path, { method, token, ...(body && { body }) })
      assertError(answer, 'FORBIDDEN', { reason: 'scope_required', scope })
    }
  })

  it('gets no kept answer of a route that it may call no more', async () => {
    const { postern } = await all()
    const { post, token } = await holder('events:write')
    const publish = () => post('/v1/events', EVENT, { headers: { 'idempotency-key': 'once' } })
    assert.equal((await publish()).status, 202)
    assert.equal((await publish()).headers.get('idempotent-replayed'), 'true')
    await narrow(postern, token, ['events:read'])
    postern.clock.advance(LIFETIME.credentialCache)
    assertError(await publish(), 'FORBIDDEN', { reason: 'scope_required', scope: 'events:write' })
  })

  it('gets no kept answer of another key of its service account that may more', async () => {
    const { postern } = await all()
    const whole = (await make({ role: 'administrator' })).body
    const { serviceAccountId } = whole
    const narrow = (await make({ serviceAccountId, scopes: ['keys:write'] })).body
    const same = (await make({ serviceAccountId, scopes: ['keys:write'] })).body
    const ask = (token: string, body: object) =>
      postern.client().post('/v1/api-keys', body, { token, headers: { 'idempotency-key': 'shared' } })
    const wish = { name: 'late', role: 'administrator' }
    assert.equal((await ask(whole.key, wish)).status, 201)
    assertError(await ask(narrow.key, wish), 'FORBIDDEN', { reason: 'scope_required' })
    const less = { name: 'later', scopes: ['keys:write'] }
    const first = await ask(narrow.key, less)
    assert.equal(first.status, 201, first.text)
    // A key that takes the place of another one repeats its calls.
    assert.equal((await ask(same.key, less)).text, first.text)
  })

  test('finds the tools of /mcp that it may call, and no other does anything', async () => {
    const { postern } = await all()
    const { token } = await holder('events:write', 'event_types:read')
    const client = await connectMcp(postern.url, token, 'new')
    after(() => client.close())
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['publish_event', 'list_event_types'],
    )
    assert.ok(!(await client.callTool({ name: 'publish_event', arguments: EVENT })).isError)
    const { isError, structuredContent } = await client.callTool({ name: 'list_webhooks', arguments: {} })
    assert.equal(isError, true)
    const { error } = structuredContent as { error: { code: string; details: object } }
    assert.deepEqual(error.details, { reason: 'scope_required', scope: 'webhooks:read' })
  })

  it('sees of the live stream what it may read, and is let go when that is nothing', async () => {
    const { postern } = await all()
    const { get, token } = await holder('deliveries:read', 'invitations:read')
    const stream = await watchLive(postern.url, token)
    assert.deepEqual(stream.seen[0]?.data.kinds, ['delivery', 'replay', 'invitation'])
    const topic = await get('/v1/stream?topics=deliveries,runs')
    assertError(topic, 'FORBIDDEN', { reason: 'scope_required', scope: 'runs:read' })
    const { get: ask } = await holder('events:write')
    assertError(await ask('/v1/stream'), 'FORBIDDEN', { reason: 'scope_required', scope: 'deliveries:read' })
    await narrow(postern, token, ['events:write'])
    // The end of any right makes the server check all streams.
    const { body } = await make({})
    assert.equal(
      (await postern.client().delete(`/v1/api-keys/${body.id}`, { token: (await all()).admin.token })).status,
      204,
    )
    postern.clock.advance(LIFETIME.credentialCache)
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    await within('the answer to end', stream.over)
  })

  it('reaches what others own with the scope for it alone', async () => {
    const { postern, admin } = await all()
    const made = await postern.client().post('/v1/conversations', {}, { token: admin.token })
    const path = `/v1/conversations/${made.body.id}`
    const own = await holder('conversations:read')
    assert.deepEqual((await own.get('/v1/conversations')).body.data, [])
    assertError(await own.get(path), 'CONVERSATION_NOT_FOUND')
    const every = await holder('conversations:read', 'conversations:all')
    assert.equal((await every.get('/v1/conversations')).body.data[0].id, made.body.id)
    assert.equal((await every.get(path)).status, 200)
  })

  test('sends the tokens of a connection to no other address without the scope for that', async () => {
    const tenant = await createTenant(await server())
    const { client, token } = tenant.admin
    const body = { name: 'crm', url: 'https://mcp.acme.test/', connectionId: await tenant.own('connection') }
    const { id } = (await client.post('/v1/mcp-servers', body, { token })).body
    const key = await tenant.keyOf(['mcp_servers:write'])
    const change = (body: object, token: string) =>
      tenant.postern.client().patch(`/v1/mcp-servers/${id}`, body, { token })
    const elsewhere = { url: 'https://elsewhere.test/' }
    const lacking = { reason: 'scope_required', scope: 'connections:use' }
    assertError(await change(elsewhere, key), 'FORBIDDEN', lacking)
    assert.equal((await change({ name: 'sales' }, key)).status, 200)
    const both = await tenant.keyOf(['mcp_servers:write', 'connections:use'])
    assert.equal((await change(elsewhere, both)).body.url, elsewhere.url)
  })

  it('is shown the problems of what it may read, and the names of keys with the scope for them', async () => {
    const { admin, postern } = await all()
    const file = await postern.client().post('/v1/files?name=a.txt', 'a text', { token: admin.token })
    const failure = { status: 'failed', error_code: 'PARSE_FAILED', begun_at: postern.clock.now() } as const
    await postern.app.database.tx((tx) =>
      tx.updateTable('file').set(failure).where('id', '=', file.body.id).execute(),
    )
    const kinds = async (...scopes: string[]) => {
      const { data } = (await (await holder(...scopes)).get('/v1/problems')).body
      return data.map(({ kind }: { kind: string }) => kind)
    }
    assert.deepEqual([file.status, await kinds('files:read')], [201, ['file']])
    assert.deepEqual(await kinds('members:read'), [])
    const { id } = (await make({ name: 'Deploys' })).body
    for (const [scopes, name] of [
      [['members:read'], null],
      [['members:read', 'keys:read'], 'Deploys'],
    ] as const) {
      const { data } = (await (await holder(...scopes)).get(`/v1/actors?ids=${id}`)).body
      assert.deepEqual(data, [{ id, kind: 'api_key', name }])
    }
  })
})
